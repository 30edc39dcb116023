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
 * The cost of a request, by design: each command is a round trip, and the database is the first bottleneck. This
 * site caches no clients; test/storage/remembered.test.ts has what that saves.
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
  test('the guard costs 1 command for a token', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    expect(await during(() => callApi(site, token, '/api/photos'))).toEqual([FIND_GRANT]);
  });

  test('the guard costs 1 command for a token of a deleted grant', async () => {
    expect(await during(() => callApi(site, `eas_at_${'x'.repeat(65)}`))).toEqual([FIND_GRANT]);
  });

  test.each(['abc', 'eas_at_short', `eas_rt_${'x'.repeat(65)}`, `eas_at_${'x'.repeat(66)}`, 'one two'])(
    'the guard costs 0 commands for the malformed token %s',
    async (token) => {
      expect(await during(() => callApi(site, token))).toEqual([]);
    },
  );

  test('the guard costs 0 commands without a token', async () => {
    expect(await during(() => request(site.server).get('/api/me'))).toEqual([]);
  });
});

describe('the token endpoint', () => {
  test('client_credentials costs 2 commands', async () => {
    expect(
      await during(() => tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200)),
    ).toEqual([FIND_CLIENT, INSERT_GRANT]);
  });

  test('password costs 2 commands', async () => {
    const fields = { grant_type: 'password', username: 'ada', password: 'password of ada' };
    expect(await during(() => tokenRequest(site, client, fields).expect(200))).toEqual([
      FIND_CLIENT,
      INSERT_GRANT,
    ]);
  });

  test('a code of this process costs 2 commands', async () => {
    const code = await obtainCode(site, client);
    expect(await during(() => redeem(site, client, code).expect(200))).toEqual([FIND_CLIENT, UPDATE_GRANT]);
  });

  test('a replayed code costs 3 commands', async () => {
    const code = await obtainCode(site, client);
    await redeem(site, client, code).expect(200);
    expect(await during(() => redeem(site, client, code).expect(400))).toEqual([
      FIND_CLIENT,
      FIND_GRANT,
      UPDATE_GRANT,
    ]);
  });

  test('a refresh token costs 3 commands', async () => {
    const { refresh_token: token } = await obtainTokens(site, client);
    const commands = await during(() => refreshTokens(site, client, token).expect(200));
    expect(commands).toEqual([FIND_CLIENT, FIND_GRANT, UPDATE_GRANT]);
  });

  test('a reused refresh token costs 3 commands', async () => {
    const { refresh_token: token } = await obtainTokens(site, client);
    await refreshTokens(site, client, token).expect(200);
    const commands = await during(() => refreshTokens(site, client, token).expect(400));
    expect(commands).toEqual([FIND_CLIENT, FIND_GRANT, UPDATE_GRANT]);
  });

  test('a wrong verifier costs at most 2 commands, and no write', async () => {
    const code = await obtainCode(site, client, { query: createPkce().challenge });
    const guess = () => redeem(site, client, code, { code_verifier: createPkce().code_verifier }).expect(400);
    expect(await during(guess)).toEqual([FIND_CLIENT]);
    expect(await during(guess)).toEqual([FIND_CLIENT, FIND_GRANT]);
  });

  test('a wrong client secret costs 1 command, and no write', async () => {
    const wrong = { ...client, clientSecret: 'wrong' };
    const guess = () => tokenRequest(site, wrong, { grant_type: 'client_credentials' }).expect(401);
    expect(await during(guess)).toEqual([FIND_CLIENT]);
  });

  test('a malformed code costs 1 command', async () => {
    expect(await during(() => redeem(site, client, 'abc').expect(400))).toEqual([FIND_CLIENT]);
  });

  test('a token request without a client costs 0 commands', async () => {
    const ask = () => postToken(site, { grant_type: 'client_credentials' }).expect(401);
    expect(await during(ask)).toEqual([]);
  });
});

describe('the authorization endpoint', () => {
  const codeRequest = (of: ClientWithSecret, more: Query = {}): Query => codeQuery(of, more);
  const freshClient = (options?: Partial<NewClient>) => site.client(options);

  test('an authorization request without a login costs 1 command, and no write', async () => {
    expect(await during(() => createPerson(site).openAuthorize(codeRequest(client)))).toEqual([FIND_CLIENT]);
  });

  test('a flood of authorization requests without a login stores nothing', async () => {
    const commands = await during(() =>
      Promise.all(
        Array.from({ length: 100 }, () =>
          request(site.server)
            .get(`/oauth/authorize?${formatQuery(codeRequest(client))}`)
            .expect(302),
        ),
      ),
    );
    // on a slow machine the driver may send a ping during the pause
    const stored = commands.filter((command) => command !== 'ping 1');
    expect(stored).toEqual(Array.from({ length: 100 }, () => FIND_CLIENT));
  });

  test('an authorization error costs 1 command', async () => {
    expect(await during(() => ada.openAuthorize(codeRequest(client, { scope: 'everything' })))).toEqual([
      FIND_CLIENT,
    ]);
    expect(
      await during(() => ada.openAuthorize(codeRequest(client, { redirect_uri: 'https://evil.example/' }))),
    ).toEqual([FIND_CLIENT]);
    expect(await during(() => ada.openAuthorize({}))).toEqual([]);
  });

  test('the consent page of a verified client costs 2 commands, and no write', async () => {
    const fresh = await freshClient();
    await site.oauth.clients.update(fresh.clientId, { verified: true });
    expect(await during(() => ada.openAuthorize(codeRequest(fresh)))).toEqual([FIND_CLIENT, FIND_CONSENT]);
  });

  // the page of an unverified client says whether few use it, from at most ten entries of an index
  test('the consent page of an unverified client costs 3 commands', async () => {
    const fresh = await freshClient();
    expect(await during(() => ada.openAuthorize(codeRequest(fresh)))).toEqual([
      FIND_CLIENT,
      FIND_CONSENT,
      'aggregate oauth_consents',
    ]);
  });

  test('the form of a consent costs 1 command, and the redirect after it 3', async () => {
    const page = await ada.openAuthorize(codeRequest(await freshClient()));
    expect(await during(() => ada.choose(page))).toEqual([
      FIND_CLIENT,
      FIND_CLIENT,
      'update oauth_consents',
      INSERT_GRANT,
    ]);
  });

  test('the form of a denial costs 1 command, and the redirect after it 2', async () => {
    const page = await ada.openAuthorize(codeRequest(await freshClient()));
    expect(await during(() => ada.choose(page, { decision: 'deny' }))).toEqual([
      FIND_CLIENT,
      FIND_CLIENT,
      'findAndModify oauth_consents',
    ]);
  });

  test('a stored consent costs 3 commands', async () => {
    const fresh = await freshClient();
    await ada.authorize(codeRequest(fresh));
    for (const responseType of ['code', 'token']) {
      expect(
        await during(() => ada.openAuthorize(codeRequest(fresh, { response_type: responseType }))),
      ).toEqual([FIND_CLIENT, FIND_CONSENT, INSERT_GRANT]);
    }
  });

  test('the authorization of a trusted client costs 2 commands', async () => {
    const trusted = await freshClient({ trusted: true });
    expect(await during(() => ada.openAuthorize(codeRequest(trusted)))).toEqual([FIND_CLIENT, INSERT_GRANT]);
  });
});

describe('pages and metadata', () => {
  test.each(['/.well-known/oauth-authorization-server', '/login'])(
    'GET %s costs 0 commands',
    async (path) => {
      expect(await during(() => request(site.server).get(path).expect(200))).toEqual([]);
    },
  );
});
