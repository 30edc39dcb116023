import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import type { Response } from 'supertest';

import { createStores } from '../../lib/storage/stores.js';
import { codeQuery, createPerson, locationOf, logInPerson } from '../support/person.js';
import type { Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, createPkce, obtainTokens, tokenRequest } from '../support/tokens.js';

/** A user's id is non-empty text: anything else in a filter would mean another user, or all users. */
/** The result of the host's function, and the host's req.user. */
let given: unknown;
let user: object | undefined;

const site = siteFor({ security: { rateLimits: false } });
const inCommon = () =>
  ({ database: site.database, issuer: site.url, security: { rateLimits: false } }) as const;
const byFunction = siteFor(() => ({
  ...inCommon(),
  people: { id: () => given as string, authenticate: () => Promise.resolve(given as string) },
  grantTypes: [
    'authorization_code',
    'password',
    { grantType: 'gift', parameters: [], handle: () => ({ userId: given as string }) },
  ],
}));
const byDefault = siteFor(() => ({
  ...inCommon(),
  before: (app) =>
    app.use((req, _res, next) => {
      if (user !== undefined) req.user = user;
      next();
    }),
}));
const client = fixture(() => byFunction.client());

const { challenge } = createPkce();
const authorize = (at: Site, person = createPerson(at)): Promise<Response> =>
  person.openAuthorize(codeQuery(client, { scope: 'profile', ...challenge }));

describe('the option people.id', () => {
  test.each([
    ['a number', 42],
    ['an ObjectId', new mongoose.Types.ObjectId()],
    ['an object', {}],
    ['a promise', Promise.resolve('ada')],
    ['nothing', undefined],
    ['null', null],
    ['empty text', ''],
  ])('people.id with %s as a result is an error, and asks nobody', async (_what, value) => {
    given = value;
    const person = await logInPerson(byFunction);
    const location = locationOf(await authorize(byFunction, person));
    expect(location.searchParams.get('error')).toBe('server_error');
    expect((await person.agent.get('/oauth/authorizations')).status).toBe(500);
    expect((await person.agent.get('/oauth/applications')).status).toBe(500);
  });

  test('people.id with text as a result is accepted', async () => {
    given = '42';
    const person = await logInPerson(byFunction);
    expect((await authorize(byFunction, person)).status).toBe(200);
  });

  test.each([42, '', null, {}])('an extension grant with the user id %j is refused', async (value) => {
    given = value;
    const grants = () => site.database.collection('oauth_grants').countDocuments();
    const before = await grants();
    const response = await tokenRequest(byFunction, client, { grant_type: 'gift' });
    expect([response.status, response.body.error]).toEqual([500, 'server_error']);
    expect(await grants()).toBe(before);
  });
});

describe('the option people.authenticate', () => {
  test.each([42, '', null, undefined, {}, true])('the user id %j is a wrong password', async (value) => {
    given = value;
    const login = { grant_type: 'password', username: 'ada', password: 'of ada' };
    const response = await tokenRequest(byFunction, client, login);
    expect([response.status, response.body.error]).toEqual([400, 'invalid_grant']);
  });
});

describe('without people.id', () => {
  const uuid = new mongoose.mongo.UUID();
  const objectId = new mongoose.Types.ObjectId();

  test.each([
    ['text', { id: 'ada' }],
    ['a number', { id: 7 }],
    ['a large number', { id: 7n }],
    ['an ObjectId', { _id: objectId }],
    ['a UUID', { id: uuid }],
  ])('req.user with %s as an id is accepted', async (_what, value) => {
    user = value;
    expect((await authorize(byDefault)).status).toBe(200);
  });

  test.each([
    ['an object', { id: { tenant: 1, user: 2 } }],
    ['a list', { id: [1] }],
    ['empty text', { id: '' }],
    ['NaN', { id: Number.NaN }],
    ['true', { id: true }],
    ['a function', { id: () => 'ada' }],
  ])('req.user with %s as an id, which all users may have, is an error', async (_what, value) => {
    user = value;
    expect(locationOf(await authorize(byDefault)).searchParams.get('error')).toBe('server_error');
  });
});

describe('ids from code', () => {
  const wrong = [undefined, null, 5, {}, { $ne: null }, ['x']];

  test.each(wrong)('grants.revoke refuses a filter in which one of two ids is %j', async (value) => {
    const app = await site.client();
    const { access_token: token } = await obtainTokens(site, app);
    const revoke = (of: object) => site.oauth.grants.revoke(of as never);
    await expect(revoke({ userId: value, clientId: app.clientId })).rejects.toThrow(TypeError);
    await expect(revoke({ userId: 'ada', clientId: value })).rejects.toThrow(TypeError);
    expect((await callApi(site, token)).status).toBe(200);
  });

  test.each(wrong)('oauth.clients refuses the client id %j, and changes nothing', async (id) => {
    const { clients } = site.oauth;
    const of = id as string;
    for (const call of [
      () => clients.find(of),
      () => clients.update(of, { name: 'Stolen' }),
      () => clients.rotateSecret(of),
      () => clients.revokeOldSecrets(of),
      () => clients.delete(of),
      () => clients.listOfOwner(of),
    ])
      await expect(call()).rejects.toThrow(/must be text, not/);
    expect((await clients.find(client.clientId))?.name).toBe('Printing shop');
  });

  test('a filter of a store never has an undefined value', async () => {
    const stores = createStores(site.database.connection, { timeout: 5000 });
    const app = await site.client();
    const { access_token: token } = await obtainTokens(site, app);
    await expect(stores.grants.revokeAll({ userId: undefined }, new Date())).rejects.toThrow(
      'a filter of oauth_grants has no value for userId',
    );
    expect((await callApi(site, token)).status).toBe(200);
    await stores.close();
  });
});
