import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request, { type Test } from 'supertest';

import type { OAuthEvent } from '../../lib/index.js';
import { toRegisteredId } from '../../lib/shared/crypto/secrets.js';
import { letPass } from '../support/clock.js';
import { codeQuery, formatQuery, logInPerson, type Query } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import {
  basic,
  createPkce,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  tokenRequest,
} from '../support/tokens.js';

let seen: OAuthEvent[] = [];

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
  tokens: { reuseGrace: 0 },
  security: { rateLimits: false },
});
const client = fixture(() =>
  site.client({ grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] }),
);
const other = fixture(() => site.client({ scopes: ['profile'] }));

beforeAll(() => {
  site.oauth.events.on('*', (event) => seen.push(event));
});
beforeEach(() => void (seen = []));

const refusals = () =>
  seen.filter(({ type }) => type === 'token.refused' || type === 'authorization.refused');

/** The reason of the one refusal, which must stay on the server. */
async function reasonOf(sent: Test): Promise<unknown> {
  const response = await sent;
  const [refusal, ...more] = refusals();
  expect(more).toEqual([]);
  const { reason = 'none', clientId } = refusal ?? {};
  expect(JSON.stringify([response.body, response.headers])).not.toContain(reason);
  return [reason, clientId];
}

describe('the reasons of refusals at the token endpoint, for the site alone', () => {
  const because = (reason: string) => [reason, client.clientId];

  test('a code has a reason if unknown, of another client, redirect URI or verifier', async () => {
    expect(await reasonOf(redeem(site, client, 'eas_ac_nonsense'))).toEqual(because('code_unknown'));
    for (const [reason, fields] of [
      ['code_redirect_uri_mismatch', { redirect_uri: 'https://print.example/elsewhere' }],
      ['code_redirect_uri_mismatch', { redirect_uri: undefined }],
      ['pkce_mismatch', { code_verifier: createPkce().code_verifier }],
      ['parameter_missing', { code: undefined }],
    ] as const) {
      const code = await obtainCode(site, client);
      seen = [];
      expect(await reasonOf(redeem(site, client, code, fields))).toEqual(because(reason));
    }
    const code = await obtainCode(site, client);
    seen = [];
    expect(await reasonOf(redeem(site, other, code))).toEqual(['code_of_other_client', other.clientId]);
  });

  test('a code has a reason if used, expired or of an ended grant', async () => {
    const used = await obtainCode(site, client);
    await redeem(site, client, used);
    seen = [];
    expect(await reasonOf(redeem(site, client, used))).toEqual(because('code_used'));
    seen = [];
    expect(await reasonOf(redeem(site, client, used))).toEqual(because('code_used'));
    const late = await obtainCode(site, client);
    letPass(700);
    seen = [];
    expect(await reasonOf(redeem(site, client, late))).toEqual(because('code_expired'));
    const revoked = await obtainCode(site, client, { as: 'grace' });
    await site.oauth.grants.revoke({ userId: 'grace' });
    seen = [];
    expect(await reasonOf(redeem(site, client, revoked))).toEqual(because('code_revoked'));
  });

  test('a refresh token has a reason if unknown, of another client, used, revoked or expired', async () => {
    const refresh = (token: string, by = client, fields = {}) => {
      seen = [];
      return reasonOf(
        tokenRequest(site, by, { grant_type: 'refresh_token', refresh_token: token, ...fields }),
      );
    };
    const { refresh_token: first } = await obtainTokens(site, client, { query: { scope: 'profile' } });
    expect(await refresh('nonsense')).toEqual(because('refresh_token_unknown'));
    expect(await refresh(first, other)).toEqual(['token_of_other_client', other.clientId]);
    expect(await refresh(first, client, { scope: 'photos:read' })).toEqual(because('scope_not_granted'));
    await tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: first });
    expect(await refresh(first)).toEqual(because('refresh_token_reused'));
    expect(await refresh(first)).toEqual(because('refresh_token_revoked'));
    const { refresh_token: old } = await obtainTokens(site, client);
    letPass(400 * 86_400);
    expect(await refresh(old)).toEqual(because('refresh_token_expired'));
  });

  test('a client has a reason for a failed authentication or an unregistered request', async () => {
    const send = (fields: Record<string, string>, authorization?: string) =>
      reasonOf(
        authorization ? postToken(site, fields).set('Authorization', authorization) : postToken(site, fields),
      );
    const grant = { grant_type: 'client_credentials' };
    for (const [reason, fields, header] of [
      ['wrong_client_secret', grant, basic(client.clientId, 'wrong')],
      ['client_secret_missing', { ...grant, client_id: client.clientId }, undefined],
      ['scope_unknown', { ...grant, scope: 'photo:reed' }, basic(client.clientId, client.clientSecret ?? '')],
      ['grant_type_unsupported', { grant_type: 'x' }, basic(client.clientId, client.clientSecret ?? '')],
      [
        'grant_type_not_registered',
        { grant_type: 'password', username: 'a', password: 'b' },
        basic(client.clientId, client.clientSecret ?? ''),
      ],
    ] as const) {
      seen = [];
      expect(await send(fields, header)).toEqual(because(reason));
    }
    seen = [];
    const narrow = tokenRequest(site, other, { ...grant, scope: 'photos:read' });
    expect(await reasonOf(narrow)).toEqual(['scope_not_registered', other.clientId]);
    seen = [];
    expect(await send(grant, basic('nobody', 'x'))).toEqual(['client_unknown', undefined]);
    seen = [];
    expect(await send(grant)).toEqual(['credentials_missing', undefined]);
  });

  test('a code has the reason client_blocked once its client is blocked', async () => {
    const blocked = await site.client();
    const code = await obtainCode(site, blocked);
    await site.oauth.clients.block(blocked.clientId, { reason: 'spam' });
    seen = [];
    expect(await reasonOf(redeem(site, blocked, code))).toEqual(['client_blocked', blocked.clientId]);
  });
});

describe('the reasons of refusals at the authorization endpoint', () => {
  const defaultValue = () => codeQuery(client);
  const ask = async (query: Query): Promise<unknown> => {
    const person = await logInPerson(site);
    seen = [];
    return reasonOf(person.agent.get(`/oauth/authorize?${formatQuery(query)}`).redirects(0));
  };

  test('an authorization request has a reason, whether the client or the user sees the error', async () => {
    for (const [reason, query] of [
      ['redirect_uri_mismatch', { redirect_uri: 'https://print.example/other' }],
      ['scope_unknown', { scope: 'photos:reed' }],
      ['response_type_unsupported', { response_type: 'token' }],
      ['parameter_missing', { response_type: undefined }],
      ['pkce_method_unsupported', { code_challenge: 'x', code_challenge_method: 'plain' }],
      ['parameter_unsupported', { max_age: '1' }],
    ] as const)
      expect(await ask({ ...defaultValue(), ...query })).toEqual([reason, client.clientId]);
    const ended = { ...defaultValue(), client_id: toRegisteredId(randomUUID()) };
    expect(await ask(ended)).toEqual(['client_registration_ended', undefined]);
    expect(await ask({ ...defaultValue(), client_id: 'nobody' })).toEqual(['client_unknown', undefined]);
    expect(refusals()[0]).toMatchObject({ endpoint: 'authorize', error: 'invalid_client' });
    const unasked = await site.client();
    seen = [];
    const person = await logInPerson(site);
    await person.agent.get(
      `/oauth/authorize?${formatQuery({ ...defaultValue(), client_id: unasked.clientId, prompt: 'none' })}`,
    );
    expect(refusals()).toMatchObject([{ reason: 'login_required', clientId: unasked.clientId }]);
  });

  test('an authorization request of a blocked client has its reason and its client', async () => {
    const blocked = await site.client();
    await site.oauth.clients.block(blocked.clientId, { reason: 'spam' });
    const reason = await ask({ ...defaultValue(), client_id: blocked.clientId });
    expect(reason).toEqual(['client_blocked', blocked.clientId]);
  });

  test('an authorization request has its reason once, after the login', async () => {
    await request(site.server).get(
      `/oauth/authorize?${formatQuery({ ...defaultValue(), scope: 'photos:reed' })}`,
    );
    expect(refusals()).toEqual([]);
  });
});
