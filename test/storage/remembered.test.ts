import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { createTestKey, postAssertion, signAssertion, type TestKey } from '../support/assertions.js';
import { letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { testFailing, whileFailing } from '../support/fail-point.js';
import type { Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi, createPkce, obtainCode, obtainTokens, redeem, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

/** Seconds for which a client is cached. */
const LIFE = 60;

let client: ClientWithSecret;

/**
 * Two processes of one site: separate servers with separate caches, on one database. A change by one must hold at
 * the other. The cache lasts a minute, so expiry explains nothing here.
 */
const options = { advanced: { clientCacheTtl: LIFE }, security: { rateLimits: false } };
const here = siteFor(options);
const another = () => ({ ...options, database: here.database, issuer: here.url });
const there = siteFor(another);
/** Without change streams. */
const deaf = siteFor(another);
/** The same. */
const forgetful = siteFor(another);
beforeAll(async () => {
  // it never listens again
  await Promise.all([deaf.oauth.close(), forgetful.oauth.close()]);
});
afterAll(async () => {
  await Promise.all([here, there].map((site) => site.oauth.close()));
});
beforeEach(async () => {
  client = await here.client({ introspection: true });
});

const during = (work: () => PromiseLike<unknown>) => commandsDuring(here.database, work);
const post = (endpoint: string, token: string) =>
  request(here.server)
    .post(`/oauth/${endpoint}`)
    .auth(client.clientId, client.clientSecret!)
    .type('form')
    .send({ token })
    .expect(200);
const refresh = (site: Site, refreshToken: string, by = client) =>
  tokenRequest(site, by, { grant_type: 'refresh_token', refresh_token: refreshToken });
const credentials = (site: Site, by = client) => tokenRequest(site, by, { grant_type: 'client_credentials' });

describe('a cached client', () => {
  test('a cached client is not read again for a refresh token, introspection or revocation', async () => {
    let tokens = await obtainTokens(here, client);
    expect(
      await during(async () => (tokens = (await refresh(here, tokens.refresh_token).expect(200)).body)),
    ).toEqual(['find oauth_grants', 'update oauth_grants']);
    expect(await during(() => post('introspect', tokens.access_token))).toEqual(['find oauth_grants']);
    expect(await during(() => post('revoke', tokens.access_token))).toEqual(['update oauth_grants']);
  });

  test('a cached client is read again for a code: its grant may be newer than the deletion', async () => {
    const code = await obtainCode(here, client);
    expect(await during(() => redeem(here, client, code).expect(200))).toEqual([
      'find oauth_clients',
      'update oauth_grants',
    ]);
  });

  test('a cached client is read again for a new grant', async () => {
    await obtainTokens(here, client);
    expect(await during(() => credentials(here).expect(200))).toEqual([
      'find oauth_clients',
      'insert oauth_grants',
    ]);
  });

  test('a cached client deleted by another process gets no new grant, and its grants end', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await obtainTokens(here, client);
    const code = await obtainCode(here, client);
    await there.oauth.clients.delete(client.clientId);
    expect((await credentials(here)).status).toBe(401);
    expect([400, 401]).toContain((await refresh(here, refreshToken)).status);
    expect([400, 401]).toContain((await redeem(here, client, code)).status);
    expect((await callApi(here, accessToken)).status).toBe(401);
  });

  test('a cached client is let in at once by a secret that another process has made', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(deaf, client);
    const rotated = await there.oauth.clients.rotateSecret(client.clientId);
    expect(
      (await refresh(deaf, refreshToken, { ...client, clientSecret: rotated!.clientSecret })).status,
    ).toBe(200);
  });

  test('a cached client is let in at once by keys that another process has registered', async () => {
    // of the same name, so that the old key is tried
    const [old, replacement] = [await createTestKey('ES256', 'key'), await createTestKey('ES256', 'key')];
    const { clientId } = await deaf.client({ jwks: { keys: [old.publicJwk] } });
    const refreshBy = async (key: TestKey) =>
      (
        await postAssertion(deaf, await signAssertion(here, clientId, key), {
          grant_type: 'refresh_token',
          refresh_token: 'x',
        })
      ).body.error;
    expect(await refreshBy(old)).toBe('invalid_grant');
    expect(await refreshBy(replacement)).toBe('invalid_client');
    await there.oauth.clients.update(clientId, { jwks: { keys: [replacement.publicJwk] } });
    expect(await refreshBy(replacement)).toBe('invalid_grant');
  });

  test('a change of a cached client by this process counts at once', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(here, client);
    await here.oauth.clients.update(client.clientId, { grantTypes: ['authorization_code'] });
    expect((await refresh(here, refreshToken)).body.error).toBe('unauthorized_client');
  });

  test('a cached client is read once more for a wrong secret, and then refused', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(here, client);
    expect(
      await during(() => refresh(here, refreshToken, { ...client, clientSecret: 'wrong' }).expect(401)),
    ).toEqual(['find oauth_clients']);
    await refresh(here, refreshToken).expect(200);
  });

  test('a cached client is dropped when a change stream reports its change', async () => {
    if (!(await hasChangeStreams(here))) return;
    const { refresh_token: refreshToken } = await obtainTokens(here, client);
    await there.oauth.clients.update(client.clientId, { grantTypes: ['authorization_code'] });
    // always with an invalid refresh token, so that nothing is used up
    await until(async () => (await refresh(here, 'x')).body.error === 'unauthorized_client');
    expect((await refresh(here, refreshToken)).body.error).toBe('unauthorized_client');
  });

  test('a cached client is dropped by its age without a change stream', async () => {
    await obtainTokens(forgetful, client);
    await there.oauth.clients.update(client.clientId, { grantTypes: ['authorization_code'] });
    expect((await refresh(forgetful, 'x')).body.error).toBe('invalid_grant');
    letPass(LIFE);
    expect((await refresh(forgetful, 'x')).body.error).toBe('unauthorized_client');
  });

  testFailing('a client that changes while it is read is not cached', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(here, client);
    // the delayed read comes before the change, and its answer after it
    await whileFailing(
      here.database,
      { command: 'find', only: here.database, failure: { blockConnection: true, blockTimeMS: 300 } },
      async () => {
        const reading = credentials(here).then();
        await here.oauth.clients.update(client.clientId, {
          grantTypes: ['authorization_code', 'client_credentials'],
        });
        await reading;
      },
    );
    expect((await refresh(here, refreshToken)).body.error).toBe('unauthorized_client');
  });
});

describe('a cached code', () => {
  test('a cached code is redeemed by another process for one more command', async () => {
    const code = await obtainCode(here, client);
    await refresh(there, 'x').expect(400);
    expect(await during(() => redeem(there, client, code).expect(200))).toEqual([
      'find oauth_clients',
      'find oauth_grants',
      'update oauth_grants',
    ]);
  });

  test('a cached code that another process has redeemed is refused, and its tokens end', async () => {
    const code = await obtainCode(here, client);
    const { body } = await redeem(there, client, code).expect(200);
    expect((await redeem(here, client, code)).body.error).toBe('invalid_grant');
    expect((await callApi(there, body.access_token)).status).toBe(401);
  });

  test('a cached code that another process has revoked is refused', async () => {
    const code = await obtainCode(here, client);
    await there.oauth.grants.revoke({ clientId: client.clientId });
    expect((await redeem(here, client, code)).body.error).toBe('invalid_grant');
  });

  test('a cached code accepts the right verifier only, the first time and later', async () => {
    const { code_verifier: verifier, challenge } = createPkce();
    const code = await obtainCode(here, client, { query: challenge });
    for (let time = 0; time < 2; time += 1)
      expect(
        (await redeem(here, client, code, { code_verifier: createPkce().code_verifier })).body.error,
      ).toBe('invalid_grant');
    await redeem(here, client, code, { code_verifier: verifier }).expect(200);
  });

  test('a cached code gives tokens to one of many requests at once at both processes', async () => {
    const code = await obtainCode(here, client);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        redeem(index % 2 === 0 ? here : there, client, code).then(({ status }) => status),
      ),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
  });
});

async function hasChangeStreams({ database }: Site): Promise<boolean> {
  const { setName, msg } = await database.connection.db!.admin().command({ hello: 1 });
  return setName !== undefined || msg === 'isdbgrid';
}
