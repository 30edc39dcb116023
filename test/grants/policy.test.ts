import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { authorizationServer, OAuthError, type PolicyOptions, type PolicyRequest } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { DEVICE_CODE, DEVICE_GRANT_TYPES, deviceClient, PAGE, poll, startDevice } from '../support/device.js';
import {
  codeQuery,
  createPerson,
  fragmentOf,
  hiddenFields,
  logInPerson,
  tickedScopes,
} from '../support/person.js';
import { KEY_SECRET, openSite, REDIRECT_URI, SCOPES } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, obtainCode, obtainTokens, redeem, refreshTokens, tokenRequest } from '../support/tokens.js';

type Rules = { -readonly [Name in keyof PolicyOptions]: PolicyOptions[Name] };
/** The hooks of the host; each test sets its own. */
let rules: Rules = {};

const site = siteFor({
  grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials', 'implicit'],
  scopes: { ...SCOPES, 'photos:write': { description: 'Add and delete photos', implies: ['photos:read'] } },
  policy: {
    onAuthorize: (requested, req) => rules.onAuthorize?.(requested, req),
    onToken: (requested) => rules.onToken?.(requested),
    onRefresh: (requested) => rules.onRefresh?.(requested),
  },
});
const ada = fixture(() => logInPerson(site));
afterEach(() => {
  rules = {};
});

const requestOf = (clientId: string, more = {}) =>
  codeQuery(clientId, { state: 'xyz', scope: 'photos:read profile', ...more });
const refresh = (client: Parameters<typeof tokenRequest>[1], token: string, more = {}) =>
  refreshTokens(site, client, token, { ...more });

/** The page on which Ada decides about a device. */
async function openDevice(device: { readonly user_code: string }) {
  const form = await ada.agent.get(PAGE);
  const typed = { ...hiddenFields(form), user_code: device.user_code };
  const sent = await ada.agent.post(PAGE).type('form').send(typed);
  return ada.agent.get(String(sent.headers.location));
}

describe('onAuthorize', () => {
  test('onAuthorize hears the user, the client and the scopes before the consent page', async () => {
    const heard: PolicyRequest[] = [];
    rules.onAuthorize = (requested, req) => {
      expect(req.user).toMatchObject({ id: 'ada' });
      heard.push(requested);
    };
    const client = await site.client({ name: 'Ink', verified: true });
    await ada.openAuthorize(requestOf(client.clientId));
    expect(heard).toEqual([
      {
        client: {
          clientId: client.clientId,
          name: 'Ink',
          type: 'confidential',
          trusted: false,
          verified: true,
          selfRegistered: false,
        },
        userId: 'ada',
        scopes: ['photos:read', 'profile'],
        resources: [],
        authorizationDetails: [],
        grantType: 'authorization_code',
        now: expect.any(Date),
      },
    ]);
  });

  test('onAuthorize is not called while nobody is logged in', async () => {
    rules.onAuthorize = () => ({ refuse: 'nobody' });
    const { clientId } = await site.client();
    const { status, headers } = await createPerson(site).openAuthorize(requestOf(clientId));
    expect([status, String(headers.location).split('?')[0]]).toEqual([302, '/login']);
  });

  test('a scope that onAuthorize leaves out is neither on the page nor granted [RFC 6749 §3.3]', async () => {
    rules.onAuthorize = ({ scopes }) => ({ scopes: scopes.filter((scope) => scope !== 'profile') });
    const client = await site.client();
    const page = await ada.openAuthorize(requestOf(client.clientId));
    expect(tickedScopes(page)).toEqual(['photos:read']);
    const back = await ada.choose(page, { scopes: ['photos:read', 'profile'] });
    const code = new URL(String(back.headers.location)).searchParams.get('code');
    const { body } = await redeem(site, client, String(code));
    expect(body.scope).toBe('photos:read');
  });

  test('onAuthorize may replace a scope by a part of it', async () => {
    rules.onAuthorize = () => ({ scopes: ['photos:read'] });
    const { clientId } = await site.client();
    const page = await ada.openAuthorize(requestOf(clientId, { scope: 'photos:write' }));
    expect(tickedScopes(page)).toEqual(['photos:read']);
  });

  test('a refusal by onAuthorize goes to the client without a consent page [RFC 6749 §4.1.2.1]', async () => {
    rules.onAuthorize = () => ({ refuse: 'not from outside' });
    const { clientId } = await site.client();
    const { status, headers } = await ada.openAuthorize(requestOf(clientId));
    const { searchParams } = new URL(String(headers.location));
    expect([status, Object.fromEntries(searchParams)]).toEqual([
      302,
      {
        error: 'access_denied',
        error_description: 'not from outside',
        state: 'xyz',
        iss: site.url,
      },
    ]);
  });

  test('onAuthorize refuses requests with a stored consent and requests with prompt=none', async () => {
    const { clientId } = await site.client();
    await ada.authorize(requestOf(clientId));
    rules.onAuthorize = () => ({ refuse: 'not today' });
    for (const more of [{}, { prompt: 'none' }]) {
      const answer = await ada.authorize(requestOf(clientId, more));
      expect(answer.searchParams.get('error')).toBe('access_denied');
    }
  });

  test('onAuthorize is called again for the form, so an open page cannot get around it', async () => {
    const { clientId } = await site.client();
    const page = await ada.openAuthorize(requestOf(clientId));
    rules.onAuthorize = () => ({ refuse: 'meanwhile' });
    const back = await ada.choose(page);
    const { searchParams } = new URL(String(back.headers.location));
    expect([searchParams.get('error_description'), searchParams.get('code')]).toEqual(['meanwhile', null]);
  });

  test('a consent page with scopes that onAuthorize no longer allows is shown once more', async () => {
    const { clientId } = await site.client();
    const page = await ada.openAuthorize(requestOf(clientId));
    rules.onAuthorize = () => ({ scopes: ['profile'] });
    const again = await ada.choose(page);
    expect([again.status, tickedScopes(again)]).toEqual([403, ['profile']]);
  });

  test('onAuthorize narrows the scopes of devices as well [RFC 8628 §3.3]', async () => {
    const client = await deviceClient(site);
    const device = await startDevice(site, client, { scope: 'photos:read profile' });
    rules.onAuthorize = ({ grantType }) => {
      expect(grantType).toBe(DEVICE_CODE);
      return { scopes: ['profile'] };
    };
    const page = await openDevice(device);
    expect(tickedScopes(page)).toEqual(['profile']);
    const decided = { ...hiddenFields(page), granted_scope: ['photos:read', 'profile'], decision: 'allow' };
    await ada.agent.post(PAGE).type('form').send(decided);
    expect((await poll(site, client, device)).body.scope).toBe('profile');
  });
});

describe('onToken', () => {
  test('a code that onToken refuses can be redeemed once the policy allows it', async () => {
    const client = await site.client();
    const code = await obtainCode(site, client);
    rules.onToken = () => ({ refuse: 'suspended' });
    const refused = await redeem(site, client, code);
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: 'invalid_grant', error_description: 'suspended' },
    ]);
    rules = {};
    expect((await redeem(site, client, code)).status).toBe(200);
  });

  test('onToken is not called for an expired code, which does not count towards tokensPerHour', async () => {
    const client = await site.client({ tokensPerHour: 1 });
    const code = await obtainCode(site, client);
    let questions = 0;
    rules.onToken = () => void (questions += 1);
    letPass(61);
    expect((await redeem(site, client, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect(questions).toBe(0);
    expect((await redeem(site, client, await obtainCode(site, client))).status).toBe(200);
  });

  test('onToken narrows the access token, not the scopes that the user allowed', async () => {
    const client = await site.client();
    rules.onToken = () => ({ scopes: ['profile'] });
    const tokens = await obtainTokens(site, client, { query: { scope: 'photos:read profile' } });
    expect(tokens.scope).toBe('profile');
    expect((await callApi(site, tokens.access_token, '/api/photos')).status).toBe(403);
    const { body } = await refresh(client, tokens.refresh_token);
    expect(body.scope).toBe('photos:read profile');
  });

  test('a client_credentials request refused by onToken is unauthorized_client [RFC 6749 §5.2]', async () => {
    const client = await site.client({ grantTypes: ['client_credentials'] });
    rules.onToken = ({ userId, grantType }) => {
      expect([userId, grantType]).toEqual([undefined, 'client_credentials']);
      return { refuse: 'not at night' };
    };
    const { body } = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    expect(body).toEqual({ error: 'unauthorized_client', error_description: 'not at night' });
  });

  test('a refusal of an implicit grant by onToken goes to the redirect URI [RFC 6749 §4.2.2.1]', async () => {
    const { clientId } = await site.client();
    rules.onToken = () => ({ refuse: 'no' });
    const page = await ada.openAuthorize(requestOf(clientId, { response_type: 'token' }));
    const back = await ada.choose(page);
    expect(fragmentOf(new URL(String(back.headers.location))).get('error')).toBe('access_denied');
  });

  test('a device that onToken refuses gets access_denied [RFC 8628 §3.5]', async () => {
    const client = await deviceClient(site);
    const device = await startDevice(site, client);
    const page = await openDevice(device);
    await ada.agent
      .post(PAGE)
      .type('form')
      .send({ ...hiddenFields(page), granted_scope: tickedScopes(page), decision: 'allow' });
    rules.onToken = () => ({ refuse: 'no frames here' });
    const { status, body } = await poll(site, client, device);
    expect([status, body.error]).toEqual([400, 'access_denied']);
  });

  test('a refusal by onToken has the reason refused_by_policy', async () => {
    const client = await site.client();
    const reasons: unknown[] = [];
    site.oauth.events.on('token.refused', ({ reason }) => reasons.push(reason));
    rules.onToken = () => ({ refuse: 'no' });
    await redeem(site, client, await obtainCode(site, client));
    expect(reasons).toEqual(['refused_by_policy']);
  });
});

describe('onRefresh', () => {
  test('a refresh token that onRefresh refuses stays valid', async () => {
    const client = await site.client();
    const { refresh_token: token } = await obtainTokens(site, client);
    rules.onRefresh = async ({ userId }) => {
      await Promise.resolve();
      return userId === 'ada' ? { refuse: 'not a member any more' } : undefined;
    };
    const refused = await refresh(client, token);
    expect(refused.body).toEqual({
      error: 'invalid_grant',
      error_description: 'not a member any more',
    });
    rules = {};
    expect((await refresh(client, token)).status).toBe(200);
  });

  test('onRefresh narrows the new access token', async () => {
    const client = await site.client();
    const { refresh_token: token } = await obtainTokens(site, client, {
      query: { scope: 'photos:read profile' },
    });
    rules.onRefresh = ({ scopes }) => ({ scopes: scopes.slice(1) });
    const { body } = await refresh(client, token);
    expect(body.scope).toBe('profile');
  });

  test('onRefresh is not called for first tokens, nor onToken for refreshes', async () => {
    const requested: string[] = [];
    rules.onToken = ({ grantType }) => void requested.push(`token ${grantType}`);
    rules.onRefresh = ({ grantType }) => void requested.push(`refresh ${grantType}`);
    const client = await site.client();
    const { refresh_token: token } = await obtainTokens(site, client);
    await refresh(client, token);
    expect(requested).toEqual(['token authorization_code', 'refresh refresh_token']);
  });
});

describe('a hook with a wrong result lets nobody in', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('the directory is away'))],
    ['gives false', () => false],
    ['gives null', () => null],
    ['gives a text', () => 'no'],
    ['gives other scopes', () => ({ scopes: ['photos:write'] })],
    ['gives malformed scopes', () => ({ scopes: [{ $ne: 1 }] })],
    ['gives no reason', () => ({ refuse: '' })],
    ['gives scopes and a refusal', () => ({ refuse: 'no', scopes: ['profile'] })],
  ])('a token request is server_error if onToken %s', async (_what, hook) => {
    const client = await site.client();
    const code = await obtainCode(site, client, { query: { scope: 'profile' } });
    rules.onToken = hook as never;
    const { status, body } = await redeem(site, client, code);
    expect([status, body.error]).toEqual([500, 'server_error']);
    expect(site.errors.at(-1)?.detail).toMatch(/^policy\.onToken: it (gave|threw)/);
    rules = { onAuthorize: hook as never };
    const back = await ada.authorize(requestOf(client.clientId, { scope: 'profile' }));
    expect(back.searchParams.get('error')).toBe('server_error');
  });

  test('a token request is invalid_grant if onToken leaves no scope', async () => {
    const client = await site.client();
    const code = await obtainCode(site, client, { query: { scope: 'profile' } });
    rules.onToken = () => ({ scopes: [] });
    expect((await redeem(site, client, code)).body.error).toBe('invalid_grant');
  });

  test('an OAuthError that onToken throws goes to the client', async () => {
    const client = await site.client();
    const code = await obtainCode(site, client);
    rules.onToken = () => {
      throw new OAuthError('temporarily_unavailable', 'the directory is away');
    };
    const { status, body } = await redeem(site, client, code);
    expect([status, body.error_description]).toEqual([503, 'the directory is away']);
  });

  test('a policy hook that is unknown or no function is refused at the start', () => {
    const start = (policy: object) =>
      authorizationServer({
        issuer: site.url,
        connection: site.database.connection,
        scopes: SCOPES,
        login: '/login',
        signingKeys: { encryptionSecret: KEY_SECRET },
        policy,
      });
    expect(() => start({ onTokens: () => undefined })).toThrow("has an unknown member 'onTokens'");
    expect(() => start({ onToken: 'no' })).toThrow('must be a function');
  });
});

describe('the cap of a client', () => {
  test('tokens above tokensPerHour, whatever their grant types, are 429 for an hour', async () => {
    const client = await site.client({ tokensPerHour: 2 });
    const { refresh_token: token } = await obtainTokens(site, client);
    const second = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    expect(second.status).toBe(200);
    const third = await refresh(client, token);
    expect([third.status, third.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(3000);
    await site.oauth.clients.update(client.clientId, { tokensPerHour: 10 });
    expect((await refresh(client, token)).status).toBe(200);
  });

  test.each([0, -1, 1.5, NaN, 'many'])('tokensPerHour refuses %p', async (cap) => {
    await expect(site.client({ tokensPerHour: cap as never })).rejects.toThrow('tokensPerHour');
  });

  test('a client that registers itself cannot set tokensPerHour', async () => {
    await using own = await openSite({ registration: { open: true } });
    const { body } = await request(own.server)
      .post('/oauth/register')
      .send({ redirect_uris: [REDIRECT_URI], tokens_per_hour: 9, tokensPerHour: 9 });
    const client = await own.oauth.clients.find(body.client_id);
    expect(client?.tokensPerHour).toBeUndefined();
  });
});
