import { beforeEach, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainCode, obtainTokens, redeem, tokenRequest, whoseGrantIs } from '../support/tokens.js';

/** Two processes: during an update one of them may read documents of a later release. */
const options = { issuer: 'http://127.0.0.1:3000', advanced: { clientCacheTtl: 0 } };
const site = siteFor(options);
const beside = siteFor(() => ({ ...options, database: site.database }));
let client: ClientWithSecret;
let tokens: Awaited<ReturnType<typeof obtainTokens>>;

beforeEach(async () => {
  client = await site.client({ trusted: true, introspection: true });
  tokens = await obtainTokens(site, client);
});

const grants = () => site.database.collection('oauth_grants');
const clients = () => site.database.collection('oauth_clients');
const refresh = () =>
  tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }).then();

const expectToBeLeft = ({ status, headers, text }: Response) => {
  expect([status, headers['retry-after']]).toEqual([503, '5']);
  expect(text).toContain('the service is being updated');
};

test('grants and clients are stored with their format', async () => {
  expect(await grants().findOne(whoseGrantIs(tokens.access_token))).toMatchObject({ documentFormat: 1 });
  expect(await clients().findOne({ _id: client.clientId as never })).toMatchObject({ documentFormat: 1 });
  expect(client).not.toHaveProperty('documentFormat');
});

test('a grant of a later release is answered 503 and stays as it is', async () => {
  const code = await obtainCode(site, client);
  const both = [whoseGrantIs(tokens.access_token), whoseGrantIs(code)];
  for (const grant of both) await grants().updateOne(grant, { $set: { documentFormat: 2 } });
  expectToBeLeft(await callApi(site, tokens.access_token));
  expectToBeLeft(await refresh());
  expectToBeLeft(await redeem(beside, client, code));
  expect(site.errors.at(-1)?.detail).toContain('a grant is stored in format 2, by a later release');
  for (const grant of both) await grants().updateOne(grant, { $set: { documentFormat: 1 } });
  expect((await callApi(site, tokens.access_token)).status).toBe(200);
  expect((await refresh()).status).toBe(200);
  expect((await redeem(beside, client, code)).status).toBe(200);
});

test('a client of a later release is answered 503', async () => {
  await clients().updateOne({ _id: client.clientId as never }, { $set: { documentFormat: 2 } });
  expectToBeLeft(await refresh());
  const person = await logInPerson(site);
  const page = await person.openAuthorize(codeQuery(client));
  expect([page.status, page.headers['retry-after']]).toEqual([503, '5']);
  await clients().updateOne({ _id: client.clientId as never }, { $set: { documentFormat: 1 } });
  expect((await refresh()).status).toBe(200);
});
