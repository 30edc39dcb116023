import { beforeEach, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { deviceClient, openDeviceSite, personOf, startDevice } from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  postForm,
  tickedScopes,
} from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { callApi, redeem, refreshTokens } from '../support/tokens.js';

const SCOPES = {
  'photos:read': 'See your photos',
  'photos:write': { description: 'Add and delete photos', implies: ['photos:read'] },
  profile: 'See your name',
  'cards:charge': { description: 'Charge your card', risk: 'high' },
} as const;

let ada: Person;

const site = fixture(() => openDeviceSite({ scopes: SCOPES }));
const shop = fixture(() => site.client());
beforeEach(async () => {
  await site.oauth.grants.revoke({ userId: 'ada' });
  ada = await logInPerson(site);
});

const ask = (scope: string, more: Record<string, string> = {}) =>
  ada.openAuthorize(codeQuery(shop, { scope, ...more }));
const allow = (page: Response, more: Record<string, unknown> = { ask_each_time: 'yes' }) =>
  ada.sendForm({ ...hiddenFields(page), granted_scope: tickedScopes(page), decision: 'allow', ...more });
const codeIn = (answer: Response) => String(locationOf(answer).searchParams.get('code'));
const isRequested = (page: Response) => page.status === 200 && page.text.includes('id="consent-form"');

test('the box for asking each time is not ticked, and consent without it is remembered', async () => {
  const page = await ask('profile');
  expect(page.text).toMatch(
    /<input type="checkbox" id="consent-each-time" name="ask_each_time" value="yes" form="consent-form">/,
  );
  expect((await allow(page, {})).status).toBe(302);
  expect((await ask('profile')).status).toBe(302);
});

test('a client that is asked about each time anyway has no such box (RFC 8252 §8.6)', async () => {
  const redirectUri = 'http://127.0.0.1:4000/callback';
  const program = await site.client({ type: 'public', redirectUris: [redirectUri], scopes: ['profile'] });
  const page = await ask('profile', {
    client_id: program.clientId,
    redirect_uri: redirectUri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  expect(isRequested(page)).toBe(true);
  expect(page.text).not.toContain('ask_each_time');
});

test('consent with the box is not remembered, and its tokens work', async () => {
  for (let times = 0; times < 2; times += 1) {
    const page = await ask('profile');
    expect(isRequested(page)).toBe(true);
    expect(page.text).not.toContain('You already allow it to');
    const tokens = (await redeem(site, shop, codeIn(await allow(page))).expect(200)).body;
    expect((await callApi(site, tokens.access_token)).body).toMatchObject({ scopes: ['profile'] });
    await refreshTokens(site, shop, tokens.refresh_token).expect(200);
  }
  expect((await ada.agent.get('/oauth/authorizations')).text).toContain('Printing shop');
});

test('prompt=none without remembered consent gets login_required', async () => {
  await allow(await ask('profile'));
  const { searchParams } = locationOf(await ask('profile', { prompt: 'none' }));
  expect(searchParams.get('error')).toBe('login_required');
});

test('the box forgets earlier consent to the scope and to scopes that include it, no other', async () => {
  await allow(await ask('profile photos:write'), {});
  await allow(await ask('photos:read', { prompt: 'consent' }));
  expect((await ask('profile')).status).toBe(302);
  for (const scope of ['photos:read', 'photos:write']) expect(isRequested(await ask(scope))).toBe(true);
});

test('the confirmation page of a scope retains the box', async () => {
  const page = await ask('cards:charge');
  const second = await allow(page, { granted_scope: 'cards:charge', ask_each_time: 'yes' });
  expect(second.text).toContain('id="consent-confirm"');
  const { ask_each_time: stored } = hiddenFields(second);
  expect(stored).toBe('yes');
  const answer = await ada.sendForm({
    ...hiddenFields(second),
    granted_scope: 'cards:charge',
    decision: 'allow',
  });
  expect(codeIn(answer)).not.toBe('null');
  expect(isRequested(await ask('cards:charge'))).toBe(true);
});

test('only the value yes ticks the box', async () => {
  for (const value of ['', 'no', ['yes', 'yes']]) {
    await site.oauth.grants.revoke({ userId: 'ada' });
    await allow(await ask('profile'), { ask_each_time: value });
    expect((await ask('profile')).status).toBe(302);
  }
});

test('the box is missing for devices and for trusted clients', async () => {
  const device = await startDevice(site, await deviceClient(site));
  const person = await personOf(site);
  const form = await person.agent.get('/oauth/device');
  const sent = await postForm(person.agent, '/oauth/device', {
    ...hiddenFields(form),
    user_code: device.user_code,
  });
  const consent = await person.agent.get(String(sent.headers.location));
  expect(consent.text).toContain('id="consent-form"');
  expect(consent.text).not.toContain('ask_each_time');
  const studio = await site.client({ trusted: true });
  const page = await ask('profile', { client_id: studio.clientId, prompt: 'consent' });
  expect(isRequested(page)).toBe(true);
  expect(page.text).not.toContain('ask_each_time');
});
