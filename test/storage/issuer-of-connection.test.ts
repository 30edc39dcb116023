import { expect, test } from '@jest/globals';

import { authorizationServer } from '../../lib/index.js';
import { openDatabase } from '../support/database.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, obtainCode, obtainTokens, redeem, tokenRequest } from '../support/tokens.js';

const database = fixture(() => openDatabase());
const red = siteFor(() => ({ database, security: { rateLimits: false } }));

const serve = (issuer: string, connection = database.connection) =>
  authorizationServer({ issuer, connection, scopes: {}, login: '/login' });

test('a second issuer on one connection is refused at its start', () => {
  expect(() => serve('https://blue.example')).toThrow(
    new TypeError(
      `authorizationServer: the option connection: ${red.url} is on this connection already, and two issuers there would take each other's tokens and consents; give each a database of its own: connection.useDb('another_name')`,
    ),
  );
});

test('a connection is free for another issuer once all servers of the first are closed', async () => {
  const connection = database.connection.useDb(`${database.connection.name}_shared`);
  const servers = [serve('https://one.example', connection), serve('https://one.example', connection)];
  await servers[0]!.close();
  await servers[0]!.close();
  expect(() => serve('https://two.example', connection)).toThrow(
    /one\.example is on this connection already/,
  );
  await servers[1]!.close();
  await serve('https://two.example', connection).close();
  await connection.dropDatabase();
});

test("two issuers share a connection by connection.useDb without access to each other's data", async () => {
  const connection = database.connection.useDb(`${database.connection.name}_blue`);
  const blue = await openSite({ database: { ...database, connection }, security: { rateLimits: false } });
  const client = await red.client({ clientId: 'shop', type: 'public' });
  await blue.client({ clientId: 'shop', type: 'public' });
  const code = await obtainCode(red, client, {
    query: { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  });
  const verifier = { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' };
  expect((await redeem(blue, client, code, verifier)).body.error).toBe('invalid_grant');
  expect((await redeem(red, client, code, verifier)).status).toBe(200);

  const tokens = await obtainTokens(red, await red.client());
  expect((await callApi(blue, tokens.access_token)).status).toBe(401);
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
  expect((await tokenRequest(blue, client, refresh)).body.error).toBe('invalid_grant');
  await blue.close();
  await connection.dropDatabase();
});
