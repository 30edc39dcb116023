import { expect, test } from '@jest/globals';

import { DEVICE_CODE, deviceClient, personOf, poll, startDevice, typeCode } from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  postForm,
  tickedScopes,
} from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, introspectAs, redeem, refreshTokens } from '../support/tokens.js';

const site = siteFor({
  security: { rateLimits: false },
  grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE],
  // transitively: photos:share implies photos:write, which implies photos:read
  scopes: {
    'photos:read': 'See your photos',
    'photos:write': { description: 'Add photos', implies: ['photos:read'] },
    'photos:share': { description: 'Share photos', implies: ['photos:write'] },
    profile: 'See your name',
  },
  choices: {
    album: {
      label: 'Which album?',
      scopes: ['photos:read'],
      list: () => ['a1', 'a2'].map((value) => ({ value, label: value })),
    },
    expiresIn: { scopes: ['photos:write'], lifetime: [300, 600] },
  },
});
const client = fixture(() => site.client({ introspection: true }));
const person = fixture(() => logInPerson(site));

const SELECTED = { 'choice-album': 'a2', 'choice-expiresIn': '300' };
const query = (scope: string) => codeQuery(client, { state: 'xyz', scope });
/** Sends the consent page unchanged. */
const allow = async (scope: string, fields: object) => {
  const page = await person.openAuthorize(query(scope));
  const ticked = { granted_scope: tickedScopes(page), decision: 'allow' };
  return person.sendForm({ ...hiddenFields(page), ...ticked, ...fields });
};
const tokensFor = async (scope: string, fields: object) => {
  const code = locationOf(await allow(scope, fields)).searchParams.get('code') ?? '';
  return (await redeem(site, client, code).expect(200)).body as {
    access_token: string;
    refresh_token: string;
    expires_in: number;
  };
};

test('the consent page of a scope has the choices of the scopes that it implies', async () => {
  const { text } = await person.openAuthorize(query('photos:share'));
  expect(text).toContain('Which album?');
  expect(text).toContain('choice-expiresIn');
  const without = await allow('photos:share', {});
  expect([without.status, without.headers.location]).toEqual([422, undefined]);
  const other = await person.openAuthorize(query('profile'));
  expect(other.text).not.toContain('Which album?');
});

test('a choice of an implied scope is in req.auth, in introspection and in refreshed tokens', async () => {
  const tokens = await tokensFor('photos:share', SELECTED);
  expect(tokens.expires_in).toBeLessThanOrEqual(300);
  expect((await callApi(site, tokens.access_token)).body.choices).toMatchObject({ album: 'a2' });
  expect(await introspectAs(site, client, tokens.access_token)).toMatchObject({
    authorization_choices: { album: 'a2' },
  });
  const { body } = await refreshTokens(site, client, tokens.refresh_token, { scope: 'photos:read' }).expect(
    200,
  );
  expect((await callApi(site, (body as { access_token: string }).access_token)).body).toMatchObject({
    scopes: ['photos:read'],
    choices: { album: 'a2' },
  });
});

test('a wider scope asks for the choices of its implied scopes, which are then remembered', async () => {
  const other = await site.client();
  const stepUp = (scope: string) => person.openAuthorize({ ...query(scope), client_id: other.clientId });
  await person.choose(await stepUp('profile'));
  expect((await stepUp('profile')).status).toBe(302);
  const page = await stepUp('profile photos:write');
  expect(page.text).toContain('Which album?');
  const sent = { ...hiddenFields(page), granted_scope: ['profile', 'photos:write'], decision: 'allow' };
  await person.sendForm({ ...sent, ...SELECTED });
  expect((await stepUp('photos:write')).status).toBe(302);
  const { text } = await person.agent.get(`/oauth/authorizations/${other.clientId}`);
  expect(text).toContain('Which album?');
});

test('the page of a device has the choices of implied scopes', async () => {
  const device = await deviceClient(site);
  const authorization = await startDevice(site, device, { scope: 'photos:write' });
  const at = await personOf(site);
  const page = await typeCode(at, authorization.user_code);
  expect(page.text).toContain('Which album?');
  await postForm(at.agent, '/oauth/device', {
    ...hiddenFields(page),
    granted_scope: 'photos:write',
    decision: 'allow',
    ...SELECTED,
  }).redirects(1);
  const { body } = await poll(site, device, authorization).expect(200);
  const { access_token: token } = body as { access_token: string };
  expect((await callApi(site, token)).body.choices).toMatchObject({ album: 'a2' });
});

test('oauth.grants.create needs the choices of implied scopes', async () => {
  const grant = { clientId: client.clientId, userId: 'ada', scopes: ['photos:write'] };
  await expect(site.oauth.grants.create(grant)).rejects.toThrow('choices.album: is missing');
  const choices = { album: 'a1', expiresIn: 300 };
  expect((await site.oauth.grants.create({ ...grant, choices })).choices).toMatchObject({ album: 'a1' });
});
