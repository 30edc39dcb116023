import { request as httpsRequest } from 'node:https';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openidClient from 'openid-client';
import { z } from 'zod';

import { CERTIFICATES } from '../support/certificates.js';
import { createPerson, type Person } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { TEST_CERTIFICATE } from '../support/tls.js';
import { openTlsSite, type TlsSite } from '../support/tls-site.js';

/*
 * Two libraries, by nothing but the issuer's URL: a pushed request for a payment (RFC 9126, RFC 9396), its answer signed
 * (JARM), tokens bound to a key (RFC 9449) with nonces, or to the certificate by which the client is known (RFC 8705).
 */

const PAYMENT = { type: 'payment', amount: '20.00', to: 'Inkwell' };

let site: TlsSite;
let issuer: URL;
let ada: Person;

beforeAll(async () => {
  site = await openTlsSite({
    pushedRequests: { required: true },
    signedResponses: true,
    dpop: { nonces: true },
    mutualTls: true,
    authorizationDetails: {
      payment: {
        schema: z.strictObject({ amount: z.string(), to: z.string() }),
        describe: ({ amount, to }) => `Pay ${amount} to ${to}`,
      },
    },
  });
  issuer = new URL(site.secureUrl);
  ada = createPerson(site);
  await ada.logIn();
});
afterAll(() => site.close());

/** As `fetch`, by a connection with the certificate of the client: what a runtime's own `fetch` has no option for. */
const fetchWithCertificate = (address: string | URL, init: object): Promise<Response> => {
  const { method = 'GET', headers, body } = init as RequestInit;
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      new URL(address),
      {
        method,
        headers: Object.fromEntries(new Headers(headers as Record<string, string>)),
        ca: TEST_CERTIFICATE,
        ...CERTIFICATES.shop,
        agent: false,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const { statusCode: status = 0, headers: received } = answer;
          const text = status === 204 ? null : Buffer.concat(chunks).toString();
          resolve(new Response(text, { status, headers: received as Record<string, string> }));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined || body === null ? undefined : String(body as URLSearchParams));
  });
};

const clientOf = (how: 'dpop' | 'certificate') =>
  site.client({
    name: 'Printing shop',
    ...(how === 'dpop'
      ? { dpopBoundAccessTokens: true }
      : {
          tokenEndpointAuthMethod: 'tls_client_auth',
          tlsClientAuthSanDns: 'shop.example',
          tlsClientCertificateBoundAccessTokens: true,
        }),
  });

/** What ada allows, and where her browser is sent with the answer. */
async function allow(url: URL): Promise<URL> {
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
  const back = await ada.authorize(Object.fromEntries(url.searchParams));
  expect([...back.searchParams.keys()]).toEqual(['response']);
  return back;
}

describe('oauth4webapi', () => {
  const options = { [oauth.customFetch]: fetchWithCertificate };

  /** RFC 9449 §8: the first time it hears the nonce, the second time it has it. */
  async function twice<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      if (!oauth.isDPoPNonceError(error)) throw error;
      return ask();
    }
  }

  async function flow(how: 'dpop' | 'certificate') {
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
    );
    const { clientId, clientSecret } = await clientOf(how);
    const client: oauth.Client = { client_id: clientId };
    const authentication =
      how === 'dpop' ? oauth.ClientSecretBasic(String(clientSecret)) : oauth.TlsClientAuth();
    const proving = how === 'dpop' ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')) } : {};
    const by = { ...options, ...proving };
    const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
    const { request_uri: requestUri } = await twice(async () =>
      oauth.processPushedAuthorizationResponse(
        as,
        client,
        await oauth.pushedAuthorizationRequest(
          as,
          client,
          authentication,
          {
            response_type: 'code',
            redirect_uri: REDIRECT_URI,
            scope: 'photos:read',
            authorization_details: JSON.stringify([PAYMENT]),
            response_mode: 'jwt',
            state,
            code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          },
          by,
        ),
      ),
    );
    const url = new URL(String(as.authorization_endpoint));
    url.search = new URLSearchParams({ client_id: clientId, request_uri: requestUri }).toString();
    const answer = await oauth.validateJwtAuthResponse(as, client, await allow(url), state, options);
    const tokens = await twice(async () =>
      oauth.processAuthorizationCodeResponse(
        as,
        client,
        await oauth.authorizationCodeGrantRequest(
          as,
          client,
          authentication,
          answer,
          REDIRECT_URI,
          verifier,
          by,
        ),
      ),
    );
    const me = async (token: string, used: object = by) =>
      oauth.protectedResourceRequest(token, 'GET', new URL('/api/me', issuer), undefined, null, used);
    const refresh = () =>
      twice(async () =>
        oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, authentication, String(tokens.refresh_token), by),
        ),
      );
    return { tokens, me, refresh };
  }

  test('PAR, RAR, JARM, DPoP with nonces: code, API, refresh', async () => {
    const { tokens, me, refresh } = await flow('dpop');
    expect(tokens).toMatchObject({ token_type: 'dpop', authorization_details: [PAYMENT] });
    const auth = (await (await twice(() => me(tokens.access_token))).json()) as object;
    expect(auth).toMatchObject({ userId: 'ada', authorizationDetails: [PAYMENT] });
    expect(auth).toHaveProperty('cnf.jkt');
    const next = await refresh();
    expect(next.token_type).toBe('dpop');
    expect((await twice(() => me(next.access_token))).status).toBe(200);
    // as Bearer, without its key
    await expect(me(next.access_token, options)).rejects.toMatchObject({ status: 401 });
  });

  test('PAR, RAR, JARM, mutual TLS: code, API, refresh', async () => {
    const { tokens, me, refresh } = await flow('certificate');
    expect(tokens).toMatchObject({ token_type: 'bearer', authorization_details: [PAYMENT] });
    const auth = (await (await me(tokens.access_token)).json()) as object;
    expect(auth).toHaveProperty(['cnf', 'x5t#S256']);
    expect((await me((await refresh()).access_token)).status).toBe(200);
  });
});

describe('openid-client', () => {
  async function configure(how: 'dpop' | 'certificate') {
    const { clientId, clientSecret } = await clientOf(how);
    const authentication =
      how === 'dpop' ? openidClient.ClientSecretBasic(String(clientSecret)) : openidClient.TlsClientAuth();
    const configuration = await openidClient.discovery(issuer, clientId, undefined, authentication, {
      algorithm: 'oauth2',
      [openidClient.customFetch]: fetchWithCertificate,
    });
    openidClient.useJwtResponseMode(configuration);
    return configuration;
  }

  test.each(['dpop', 'certificate'] as const)('PAR, RAR, JARM, bound by %s', async (how) => {
    const configuration = await configure(how);
    const DPoP =
      how === 'dpop'
        ? openidClient.getDPoPHandle(configuration, await openidClient.randomDPoPKeyPair())
        : undefined;
    const by = DPoP && { DPoP };
    const [expectedState, pkceCodeVerifier] = [
      openidClient.randomState(),
      openidClient.randomPKCECodeVerifier(),
    ];
    const url = await openidClient.buildAuthorizationUrlWithPAR(
      configuration,
      {
        redirect_uri: REDIRECT_URI,
        scope: 'photos:read',
        authorization_details: JSON.stringify([PAYMENT]),
        state: expectedState,
        code_challenge: await openidClient.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      },
      by,
    );
    const tokens = await openidClient.authorizationCodeGrant(
      configuration,
      await allow(url),
      { expectedState, pkceCodeVerifier },
      undefined,
      by,
    );
    expect(tokens.authorization_details).toEqual([PAYMENT]);
    const next = await openidClient.refreshTokenGrant(
      configuration,
      String(tokens.refresh_token),
      undefined,
      by,
    );
    const api = new URL('/api/me', issuer);
    const called = await openidClient.fetchProtectedResource(
      configuration,
      next.access_token,
      api,
      'GET',
      null,
      undefined,
      by,
    );
    expect(await called.json()).toMatchObject({ userId: 'ada', authorizationDetails: [PAYMENT] });
  });
});
