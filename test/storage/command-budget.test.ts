import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import { commandsDuring } from '../support/commands.js';
import { codeQuery, createPerson, formatQuery, logInPerson, type Query } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import {
  callApi,
  createPkce,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';

/**
 * What a request may cost, by design: each command is a round trip, and the database is the first bottleneck. Here no
 * client is remembered; what that saves is in test/storage/remembered.test.ts.
 */
const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'],
  security: { rateLimits: false },
  advanced: { clientCacheTtl: 0 },
});
const client = fixture(() => site.client());
const ada = fixture(() => logInPerson(site));

const during = (work: () => PromiseLike<unknown>) => commandsDuring(site.database, work);

const FIND_CLIENT = 'find oauth_clients';
const FIND_GRANT = 'find oauth_grants';
const FIND_CONSENT = 'find oauth_consents';
const INSERT_GRANT = 'insert oauth_grants';
const UPDATE_GRANT = 'update oauth_grants';

describe('the guard', () => {
  test('1 for a token', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    expect(await during(() => callApi(site, token, '/api/photos'))).toEqual([FIND_GRANT]);
  });

  test('1 for a token of a grant that is gone', async () => {
    expect(await during(() => callApi(site, `eas_at_${'x'.repeat(65)}`))).toEqual([FIND_GRANT]);
  });

  test.each(['abc', 'eas_at_short', `eas_rt_${'x'.repeat(65)}`, `eas_at_${'x'.repeat(66)}`, 'one two'])(
    '0 for %s, which cannot be one',
    async (token) => {
      expect(await during(() => callApi(site, token))).toEqual([]);
    },
  );

  test('0 without a token', async () => {
    expect(await during(() => request(site.server).get('/api/me'))).toEqual([]);
  });
});

describe('the token endpoint', () => {
  test('2 for client_credentials', async () => {
    expect(
      await during(() => tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200)),
    ).toEqual([FIND_CLIENT, INSERT_GRANT]);
  });

  test('2 for password', async () => {
    const fields = { grant_type: 'password', username: 'ada', password: 'password of ada' };
    expect(await during(() => tokenRequest(site, client, fields).expect(200))).toEqual([
      FIND_CLIENT,
      INSERT_GRANT,
    ]);
  });

  test('2 for a code that this process has given', async () => {
    const code = await obtainCode(site, client);
    expect(await during(() => redeem(site, client, code).expect(200))).toEqual([FIND_CLIENT, UPDATE_GRANT]);
  });

  test('3 for a code that is replayed', async () => {
    const code = await obtainCode(site, client);
    await redeem(site, client, code).expect(200);
    expect(await during(() => redeem(site, client, code).expect(400))).toEqual([
      FIND_CLIENT,
      FIND_GRANT,
      UPDATE_GRANT,
    ]);
  });

  test('3 for a refresh token', async () => {
    const { refresh_token: token } = await obtainTokens(site, client);
    const commands = await during(() => refreshTokens(site, client, token).expect(200));
    expect(commands).toEqual([FIND_CLIENT, FIND_GRANT, UPDATE_GRANT]);
  });

  test('3 for a refresh token that is used again', async () => {
    const { refresh_token: token } = await obtainTokens(site, client);
    await refreshTokens(site, client, token).expect(200);
    const commands = await during(() => refreshTokens(site, client, token).expect(400));
    expect(commands).toEqual([FIND_CLIENT, FIND_GRANT, UPDATE_GRANT]);
  });

  test('2 at most, and no write, for a verifier that is wrong', async () => {
    const code = await obtainCode(site, client, { query: createPkce().challenge });
    const guess = () => redeem(site, client, code, { code_verifier: createPkce().code_verifier }).expect(400);
    expect(await during(guess)).toEqual([FIND_CLIENT]);
    expect(await during(guess)).toEqual([FIND_CLIENT, FIND_GRANT]);
  });

  test('1, and no write, for a secret that is wrong', async () => {
    const wrong = { ...client, clientSecret: 'wrong' };
    const guess = () => tokenRequest(site, wrong, { grant_type: 'client_credentials' }).expect(401);
    expect(await during(guess)).toEqual([FIND_CLIENT]);
  });

  test('1 for a code that cannot be one', async () => {
    expect(await during(() => redeem(site, client, 'abc').expect(400))).toEqual([FIND_CLIENT]);
  });

  test('0 for a request without a client', async () => {
    const ask = () => postToken(site, { grant_type: 'client_credentials' }).expect(401);
    expect(await during(ask)).toEqual([]);
  });
});

describe('the authorization endpoint', () => {
  const codeRequest = (of: ClientWithSecret, more: Query = {}): Query => codeQuery(of, more);
  const freshClient = (options?: Partial<NewClient>) => site.client(options);

  test('1, and no write, for somebody who is not logged in', async () => {
    expect(await during(() => createPerson(site).openAuthorize(codeRequest(client)))).toEqual([FIND_CLIENT]);
  });

  test('a flood of them leaves nothing behind', async () => {
    const commands = await during(() =>
      Promise.all(
        Array.from({ length: 100 }, () =>
          request(site.server)
            .get(`/oauth/authorize?${formatQuery(codeRequest(client))}`)
            .expect(302),
        ),
      ),
    );
    // on a slow machine the pause may be so long that the driver sends a ping
    const stored = commands.filter((command) => command !== 'ping 1');
    expect(stored).toEqual(Array.from({ length: 100 }, () => FIND_CLIENT));
  });

  test('1 for an error', async () => {
    expect(await during(() => ada.openAuthorize(codeRequest(client, { scope: 'everything' })))).toEqual([
      FIND_CLIENT,
    ]);
    expect(
      await during(() => ada.openAuthorize(codeRequest(client, { redirect_uri: 'https://evil.example/' }))),
    ).toEqual([FIND_CLIENT]);
    expect(await during(() => ada.openAuthorize({}))).toEqual([]);
  });

  test('2, and no write, for the consent page of a client that is verified', async () => {
    const fresh = await freshClient();
    await site.oauth.clients.update(fresh.clientId, { verified: true });
    expect(await during(() => ada.openAuthorize(codeRequest(fresh)))).toEqual([FIND_CLIENT, FIND_CONSENT]);
  });

  // for an unverified client people are told whether few use it, which reads at most ten entries of an index
  test('1 more of one that is not', async () => {
    const fresh = await freshClient();
    expect(await during(() => ada.openAuthorize(codeRequest(fresh)))).toEqual([
      FIND_CLIENT,
      FIND_CONSENT,
      'aggregate oauth_consents',
    ]);
  });

  test('1 for the decision, and 3 for the answer that follows it', async () => {
    const page = await ada.openAuthorize(codeRequest(await freshClient()));
    expect(await during(() => ada.choose(page))).toEqual([
      FIND_CLIENT,
      FIND_CLIENT,
      'update oauth_consents',
      INSERT_GRANT,
    ]);
  });

  test('1 each where it is deny, and 1 that takes out of a consent what was denied', async () => {
    const page = await ada.openAuthorize(codeRequest(await freshClient()));
    expect(await during(() => ada.choose(page, { decision: 'deny' }))).toEqual([
      FIND_CLIENT,
      FIND_CLIENT,
      'findAndModify oauth_consents',
    ]);
  });

  test('3 for a remembered consent', async () => {
    const fresh = await freshClient();
    await ada.authorize(codeRequest(fresh));
    for (const responseType of ['code', 'token']) {
      expect(
        await during(() => ada.openAuthorize(codeRequest(fresh, { response_type: responseType }))),
      ).toEqual([FIND_CLIENT, FIND_CONSENT, INSERT_GRANT]);
    }
  });

  test('2 for a client that the host vouches for', async () => {
    const trusted = await freshClient({ trusted: true });
    expect(await during(() => ada.openAuthorize(codeRequest(trusted)))).toEqual([FIND_CLIENT, INSERT_GRANT]);
  });
});

describe('what only shows something', () => {
  test.each(['/.well-known/oauth-authorization-server', '/login'])('0 for %s', async (path) => {
    expect(await during(() => request(site.server).get(path).expect(200))).toEqual([]);
  });
});
