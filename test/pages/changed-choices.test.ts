import { beforeEach, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
  type Query,
  tickedScopes,
} from '../support/person.js';
import { siteFor } from '../support/site-for.js';
import { callApi, introspectAs, obtainCode, redeem, refreshTokens } from '../support/tokens.js';

const JWT_API = 'https://albums.example';
const DAY = 86_400;
let client: ClientWithSecret;
let ada: Person;
let albums: string[];

const site = siteFor({
  audit: { ttl: 3600 },
  resources: { [JWT_API]: { accessTokenFormat: 'jwt' } },
  choices: {
    album: {
      label: 'Which album?',
      scopes: ['photos:read'],
      list: () => albums.map((value) => ({ value, label: `Album ${value}` })),
    },
    people: {
      label: 'Whose pictures?',
      scopes: ['photos:write'],
      multiple: true,
      list: () => ['p1', 'p2', 'p3'].map((value) => ({ value, label: `Person ${value}` })),
    },
    amount: { label: 'How many?', scopes: ['photos:write'], optional: true, number: { min: 1, max: 100 } },
    expiresIn: { scopes: ['profile'], lifetime: [600, DAY, 30 * DAY] },
  },
});
beforeEach(async () => {
  albums = ['a1', 'a2'];
  client = await site.client({ name: 'Ink', introspection: true });
  ada = await logInPerson(site);
});

const page = () => `/oauth/authorizations/${client.clientId}`;
async function codeFor(fields: object, more: Query = {}, whose = ada): Promise<string> {
  const query = codeQuery(client, more);
  const displayed = await whose.openAuthorize({ scope: 'photos:read', ...query });
  const sent = await whose.sendForm({
    ...hiddenFields(displayed),
    granted_scope: tickedScopes(displayed),
    decision: 'allow',
    ...fields,
  });
  return locationOf(sent).searchParams.get('code') ?? '';
}
async function tokensFor(fields: object, more: Query = {}) {
  const { body } = await redeem(site, client, await codeFor(fields, more)).expect(200);
  return body as { access_token: string; refresh_token: string; expires_in: number };
}
async function change(choice: string, fields: object, whose = ada) {
  const displayed = await whose.agent.get(page());
  const { csrf_token } = hiddenFields(displayed);
  const sent = await postForm(whose.agent, `${page()}/choices`, { csrf_token, choice, ...fields });
  return pageAfter(whose.agent, sent);
}
const choicesOf = async (token: string) => (await callApi(site, token)).body.choices as unknown;
const refresh = (token: string) => refreshTokens(site, client, token);

describe('the page of an app changes the choices of a person', () => {
  test('another entry of a list applies at once to tokens, introspection and refreshes', async () => {
    const tokens = await tokensFor({ 'choice-album': 'a1' });
    const displayed = await ada.agent.get(page());
    expect(displayed.text).toMatch(/value="a1" checked/);
    const after = await change('album', { 'choice-album': 'a2' });
    expect(after.text).toContain('<strong><bdi>Ink</bdi></strong> works with what you chose from now on.');
    expect(after.text).toMatch(/value="a2" checked/);
    expect(await choicesOf(tokens.access_token)).toEqual({ album: 'a2' });
    expect((await introspectAs(site, client, tokens.access_token)).authorization_choices).toEqual({
      album: 'a2',
    });
    const next = await refresh(tokens.refresh_token).expect(200);
    expect(await choicesOf(String(next.body.access_token))).toEqual({ album: 'a2' });
    const entries = await site.oauth.audit.find({ clientId: client.clientId, userId: 'ada' });
    const reported = entries.find(({ type }) => type === 'grant.rebound');
    expect(reported).toMatchObject({ reason: 'album', count: 1 });
    expect(Object.values(reported ?? {})).not.toContain('a2');
    expect((await ada.agent.get(page())).text).toContain('You chose something else for it');
  });

  test('a JWT contains the old choice until it expires, and the next one the new choice', async () => {
    const tokens = await tokensFor({ 'choice-album': 'a1' }, { resource: JWT_API });
    await change('album', { 'choice-album': 'a2' });
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    expect(claimsOf(tokens.access_token).authorization_choices).toEqual({ album: 'a1' });
    const { body } = await refresh(tokens.refresh_token).expect(200);
    expect(claimsOf(String(body.access_token)).authorization_choices).toEqual({ album: 'a2' });
  });

  test('the changed choice is remembered, without another consent page', async () => {
    await tokensFor({ 'choice-album': 'a1' });
    await change('album', { 'choice-album': 'a2' });
    const code = await obtainCode(site, client, { query: { scope: 'photos:read', prompt: 'none' } });
    const { body } = await redeem(site, client, code).expect(200);
    expect(await choicesOf(String(body.access_token))).toEqual({ album: 'a2' });
  });

  test('a changed choice ends an unredeemed code', async () => {
    await tokensFor({ 'choice-album': 'a1' });
    const code = await codeFor({ 'choice-album': 'a1' }, { prompt: 'consent' });
    await change('album', { 'choice-album': 'a2' });
    const { body } = await redeem(site, client, code).expect(400);
    expect(body.error).toBe('invalid_grant');
  });

  test('a multiple choice can change to other entries, but not to none', async () => {
    const selected = { 'choice-people': ['p1', 'p2'], 'choice-amount': '50' };
    const tokens = await tokensFor(selected, { scope: 'photos:write' });
    await change('people', { 'choice-people': 'p3' });
    expect(await choicesOf(tokens.access_token)).toEqual({ people: ['p3'], amount: 50 });
    const refused = await change('people', {});
    expect([refused.status, refused.text.includes('Please choose one of these.')]).toEqual([422, true]);
    expect(await choicesOf(tokens.access_token)).toEqual({ people: ['p3'], amount: 50 });
  });

  test('a chosen number can decrease, and never increase', async () => {
    const selected = { 'choice-people': ['p1'], 'choice-amount': '50' };
    const tokens = await tokensFor(selected, { scope: 'photos:write' });
    for (const amount of ['51', '0', '', 'x', '2.5']) {
      const refused = await change('amount', { 'choice-amount': amount });
      expect([amount, refused.status]).toEqual([amount, 422]);
      expect(refused.text).toContain('Please type a number from 1 to 50.');
    }
    await change('amount', { 'choice-amount': '20' });
    expect(await choicesOf(tokens.access_token)).toEqual({ people: ['p1'], amount: 20 });
    expect((await change('amount', { 'choice-amount': '21' })).status).toBe(422);
    // a number that is already lower stays
    await tokensFor({ ...selected, 'choice-amount': '5' }, { scope: 'photos:write', prompt: 'consent' });
    await change('amount', { 'choice-amount': '4' });
    expect(await choicesOf(tokens.access_token)).toMatchObject({ amount: 4 });
  });

  test('a chosen lifetime can be shortened, also for issued tokens', async () => {
    const tokens = await tokensFor({ 'choice-expiresIn': String(30 * DAY) }, { scope: 'profile' });
    await change('expiresIn', { 'choice-expiresIn': '600' });
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
    // a longer lifetime is not offered again
    const displayed = await ada.agent.get(page());
    expect(displayed.text).not.toContain(`value="${DAY}"`);
    letPass(601);
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('an entry that is no longer offered is refused, even if the page showed it', async () => {
    const tokens = await tokensFor({ 'choice-album': 'a1' });
    albums = ['a1', 'a3'];
    expect((await change('album', { 'choice-album': 'a2' })).status).toBe(422);
    expect(await choicesOf(tokens.access_token)).toEqual({ album: 'a1' });
  });

  test('a choice without another entry has no form, and its change is refused', async () => {
    await tokensFor({ 'choice-album': 'a1' });
    albums = ['a1'];
    expect((await ada.agent.get(page())).text).not.toContain('rebind-album');
    expect((await change('album', { 'choice-album': 'a1' })).status).toBe(400);
  });

  test('choosing the same again changes nothing and emits no event', async () => {
    await tokensFor({ 'choice-album': 'a1' });
    expect((await change('album', { 'choice-album': 'a1' })).text).toContain('Nothing was changed.');
    const entries = await site.oauth.audit.find({ clientId: client.clientId });
    expect(entries.filter(({ type }) => type === 'grant.rebound')).toEqual([]);
  });
});

describe('protection of the choices of a person', () => {
  test.each([
    ['no CSRF token', { csrf_token: '' }],
    ['the CSRF token of somebody else', { csrf_token: 'x'.repeat(43) }],
  ])('a choice is not changed with %s', async (_what, fields) => {
    const tokens = await tokensFor({ 'choice-album': 'a1' });
    expect((await change('album', { ...fields, 'choice-album': 'a2' })).status).toBe(403);
    expect(await choicesOf(tokens.access_token)).toEqual({ album: 'a1' });
  });

  test('another person changes only their choices', async () => {
    const tokens = await tokensFor({ 'choice-album': 'a1' });
    const grace = await logInPerson(site, 'grace');
    expect((await change('album', { 'choice-album': 'a2' }, grace)).status).toBe(403);
    await redeem(site, client, await codeFor({ 'choice-album': 'a1' }, {}, grace));
    await change('album', { 'choice-album': 'a2' }, grace);
    expect(await choicesOf(tokens.access_token)).toEqual({ album: 'a1' });
  });

  test('a choice that the person never made, and an unknown one, cannot be changed', async () => {
    await tokensFor({ 'choice-album': 'a1' });
    for (const name of ['people', '__proto__', 'album.x', ''])
      expect((await change(name, { [`choice-${name}`]: 'p1' })).status).toBe(400);
  });
});
