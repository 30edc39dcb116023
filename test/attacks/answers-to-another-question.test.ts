import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import type { Response } from 'supertest';

import { deviceClient, openDeviceSite, PAGE, poll, startDevice, typeCode } from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
  type Query,
} from '../support/person.js';
import { fixture } from '../support/site-for.js';

const site = fixture(() =>
  openDeviceSite({
    scopes: {
      'photos:read': 'See your photos',
      'photos:write': 'Add and delete photos',
      profile: { description: 'See your name', optional: false },
    },
    resources: { 'https://frames.example': { name: 'Frame service' } },
  }),
);
beforeAll(() => {
  // a host that keeps the contents of the session when another person logs in
  site.app.post('/switch/:name', (req: Request<{ name: string }>, res, next) => {
    req.logIn({ id: req.params.name }, { session: true, keepSessionInfo: true }, (error) =>
      error ? next(error) : res.end(),
    );
  });
});

const newPerson = (): Promise<Person> => logInPerson(site, 'ada');
const isConsentPage = ({ text }: Response) => text.includes('id="consent-form"');
const isOutOfDate = (response: Response) =>
  response.status === 403 && response.text.includes('This page was out of date');
const requestOf = ({ clientId }: { readonly clientId: string }, more: Query = {}): Query =>
  codeQuery(clientId, { state: 'xyz', ...more });
const codes = ({ clientId }: { readonly clientId: string }) =>
  site.database.collection('oauth_grants').countDocuments({ clientId });

describe('a form that was made for one person and comes from another, in the same session', () => {
  test('of the consent page decides nothing: the other one is asked', async () => {
    const person = await newPerson();
    const client = await site.client();
    const page = await person.openAuthorize(requestOf(client));
    expect(page.text).toContain('Name of ada');
    await person.agent.post('/switch/grace');
    const answer = await person.choose(page);
    expect(isOutOfDate(answer)).toBe(true);
    expect(answer.text).toContain('Name of grace');
    expect(await codes(client)).toBe(0);
    // the person who is logged in now can answer that page
    expect(locationOf(await person.choose(answer)).searchParams.get('code')).toMatch(/./);
  });

  test('of the consent page is not answered to the other one who follows its redirect', async () => {
    const person = await newPerson();
    const client = await site.client();
    const page = await person.openAuthorize(requestOf(client));
    const decided = await postForm(person.agent, '/oauth/authorize', {
      ...hiddenFields(page),
      granted_scope: 'photos:read',
      decision: 'allow',
    });
    expect(decided.status).toBe(303);
    await person.agent.post('/switch/grace');
    const next = await person.agent.get(String(decided.headers.location));
    expect(isConsentPage(next)).toBe(true);
    expect(next.text).toContain('Name of grace');
    expect(await codes(client)).toBe(0);
  });

  test('of the account page continues as nobody else', async () => {
    const person = await newPerson();
    const client = await site.client({ trusted: true });
    const page = await person.openAuthorize(requestOf(client, { prompt: 'select_account' }));
    await person.agent.post('/switch/grace');
    const answer = await person.sendForm({ ...hiddenFields(page), account: 'continue' });
    expect(isOutOfDate(answer)).toBe(true);
    expect(await codes(client)).toBe(0);
  });

  test('of the device page connects no device, and a code that one has sent is not sent by the other', async () => {
    const person = await newPerson();
    const frame = await deviceClient(site);
    const authorization = await startDevice(site, frame);
    const page = await typeCode(person, authorization.user_code);
    expect(isConsentPage(page)).toBe(true);
    await person.agent.post('/switch/grace');
    const seen = await person.agent.get(`${PAGE}/request`).query({ user_code: authorization.user_code });
    expect(seen.status).toBe(303);
    const answer = await postForm(person.agent, PAGE, {
      ...hiddenFields(page),
      decision: 'allow',
      granted_scope: 'photos:read',
    });
    expect(answer.status).toBe(403);
    expect((await poll(site, frame, authorization)).body.error).toBe('authorization_pending');
  });

  test('of the connected apps disconnects nothing of the other', async () => {
    const person = await newPerson();
    const client = await site.client();
    await person.authorize(requestOf(client));
    const page = await person.agent.get('/oauth/authorizations');
    await person.agent.post('/switch/grace');
    await person.authorize(requestOf(client));
    const answer = await postForm(person.agent, '/oauth/authorizations/revoke', {
      ...hiddenFields(page),
      client_id: client.clientId,
    });
    expect(answer.status).toBe(403);
    expect((await person.agent.get('/oauth/authorizations')).text).toContain(client.name);
  });
});

describe('a client that is another one when the answer comes than it was on the page', () => {
  const EVIL = 'https://evil.example/cb';
  /** Without what the client will not be able to do. */
  const said = ({ text }: Response) => text.replace(/<div class="eas-limits">[^]*?<\/div>/, '');
  const bare = ({ clientId }: { readonly clientId: string }): Query => ({
    response_type: 'code',
    client_id: clientId,
    state: 'xyz',
  });

  test.each([
    ['where the answer goes', { redirectUris: [EVIL] }, 'evil.example'],
    ['for what it asks', { scopes: ['photos:read', 'profile', 'photos:write'] }, 'Add and delete photos'],
    ['what it is called', { name: 'Your bank' }, 'Your bank'],
    ['whether it is verified', { verified: false }, 'Not verified'],
  ] as const)('is asked about again: %s', async (_what, change, nowDisplayed) => {
    const person = await newPerson();
    const client = await site.client({ scopes: ['photos:read', 'profile'], verified: true });
    const page = await person.openAuthorize(bare(client));
    expect(said(page)).not.toContain(nowDisplayed);
    await site.oauth.clients.update(client.clientId, change);
    const answer = await person.choose(page);
    expect(isOutOfDate(answer)).toBe(true);
    expect(said(answer)).toContain(nowDisplayed);
    expect(await codes(client)).toBe(0);
    expect(locationOf(await person.choose(answer)).searchParams.get('code')).toMatch(/./);
  });

  test('is asked about again if it changes between the answer and the GET that follows', async () => {
    const person = await newPerson();
    const client = await site.client({ scopes: ['profile'] });
    const page = await person.openAuthorize(bare(client));
    const taken = await postForm(person.agent, '/oauth/authorize', {
      ...hiddenFields(page),
      granted_scope: 'profile',
      decision: 'allow',
    });
    expect(taken.status).toBe(303);
    await site.oauth.clients.update(client.clientId, { redirectUris: [EVIL] });
    const answer = await person.agent.get(String(taken.headers.location));
    expect(isOutOfDate(answer)).toBe(true);
    expect(await codes(client)).toBe(0);
  });

  test('is asked about again at the device page', async () => {
    const person = await newPerson();
    const frame = await deviceClient(site);
    const authorization = await startDevice(site, frame, { resource: 'https://frames.example' });
    const page = await typeCode(person, authorization.user_code);
    expect(page.text).toContain('Frame service');
    await site.oauth.clients.update(frame.clientId, { name: 'Your bank' });
    const send = (displayed: Response) =>
      postForm(person.agent, PAGE, {
        ...hiddenFields(displayed),
        decision: 'allow',
        granted_scope: 'photos:read',
      });
    const answer = await pageAfter(person.agent, await send(page));
    expect(isOutOfDate(answer)).toBe(true);
    expect(answer.text).toContain('Your bank');
    expect((await poll(site, frame, authorization)).body.error).toBe('authorization_pending');
    expect((await send(answer)).status).toBe(303);
  });

  test('is not asked about again for what no page shows', async () => {
    const person = await newPerson();
    const client = await site.client();
    const page = await person.openAuthorize(bare(client));
    await site.oauth.clients.rotateSecret(client.clientId);
    expect(locationOf(await person.choose(page)).searchParams.get('code')).toMatch(/./);
  });
});

test('a form is no answer once the application has another owner: the page is shown again', async () => {
  const person = await newPerson();
  const client = await site.client({ ownerId: 'bob' });
  const page = await person.openAuthorize(requestOf(client));
  expect(isConsentPage(page)).toBe(true);
  // as if it were handed over
  await site.database.update('oauth_clients', client.clientId, {
    $set: { ownerId: 'eve', ownerSince: new Date() },
  });
  const answer = await person.choose(page);
  expect(isOutOfDate(answer)).toBe(true);
  expect(await codes(client)).toBe(0);
});
