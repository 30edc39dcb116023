import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';

import { CERTIFICATES } from '../support/certificates.js';
import { createFetchByTls } from '../support/fetch-by-tls.js';
import { createPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { TEST_CERTIFICATE } from '../support/tls.js';
import { openTlsSite } from '../support/tls-site.js';
import { type BoundSite, runOauth4webapi, runOpenidClient } from './support/bound-flows.js';

/*
 * Two libraries that know only the issuer's URL: a pushed request for a payment (RFC 9126, RFC 9396), a signed answer
 * (JARM), tokens bound to a key (RFC 9449) with nonces, or to the client's certificate (RFC 8705). example-tls.test.ts
 * does the same with the example.
 */

const PAYMENT = { type: 'payment', amount: '20.00', to: 'Inkwell' };

let site: BoundSite;

const tls = fixture(() =>
  openTlsSite({
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
  }),
);
const ada = fixture(() => createPerson(tls));
beforeAll(async () => {
  await ada.logIn();
  site = {
    issuer: new URL(tls.secureUrl),
    redirectUri: REDIRECT_URI,
    detail: PAYMENT,
    fetch: createFetchByTls({ ca: TEST_CERTIFICATE, ...CERTIFICATES.shop }),
    hasAliases: false,
    clientFor: (how) =>
      tls.client({
        name: 'Printing shop',
        ...(how === 'dpop'
          ? { dpopBoundAccessTokens: true }
          : {
              tokenEndpointAuthMethod: 'tls_client_auth',
              tlsClientAuthSanDns: 'shop.example',
              tlsClientCertificateBoundAccessTokens: true,
            }),
      }),
    async allow(url) {
      expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
      const back = await ada.authorize(Object.fromEntries(url.searchParams));
      expect([...back.searchParams.keys()]).toEqual(['response']);
      return back;
    },
  };
});

describe.each([
  ['oauth4webapi', runOauth4webapi],
  ['openid-client', runOpenidClient],
])('%s', (library, run) => {
  test(`${library}: PAR, RAR, JARM, DPoP with nonces: code, API, refresh`, async () => {
    const { tokens, call, callAsThief, refresh } = await run(site, 'dpop');
    expect(tokens).toMatchObject({ token_type: 'dpop', authorization_details: [PAYMENT] });
    const auth = (await (await call(tokens.access_token, '/api/me')).json()) as object;
    expect(auth).toMatchObject({ userId: 'ada', authorizationDetails: [PAYMENT] });
    expect(auth).toHaveProperty('cnf.jkt');
    const next = await refresh();
    expect(next.token_type).toBe('dpop');
    expect((await call(next.access_token, '/api/me')).status).toBe(200);
    // as Bearer, without its key
    await expect(callAsThief(next.access_token, '/api/me')).rejects.toMatchObject({ status: 401 });
  });

  test(`${library}: PAR, RAR, JARM, mutual TLS: code, API, refresh`, async () => {
    const { tokens, call, refresh } = await run(site, 'certificate');
    expect(tokens).toMatchObject({ token_type: 'bearer', authorization_details: [PAYMENT] });
    const auth = (await (await call(tokens.access_token, '/api/me')).json()) as object;
    expect(auth).toHaveProperty(['cnf', 'x5t#S256']);
    expect((await call((await refresh()).access_token, '/api/me')).status).toBe(200);
  });
});
