import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { certifiedShop } from '../../example-app/demo.js';
import { playgroundClient } from '../../example-app/playground/clients.js';
import { createFetchByTls } from '../support/fetch-by-tls.js';
import { type BoundSite, runOauth4webapi, runOpenidClient } from './support/bound-flows.js';
import { type RunningExample, startExample } from './support/example.js';
import { logIn } from './support/flows.js';
import { createHttpBrowser, type HttpBrowser } from './support/http-browser.js';

/* `npm run example -- --tls`: two libraries do every flow with bound tokens, from its address alone. */

const PAYMENT = { type: 'print_payment', amount: '20.00', currency: 'EUR', to: 'Inkwell' };
const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

(hasOpenssl ? describe : describe.skip)('the example with TLS (skipped where there is no openssl)', () => {
  let example: RunningExample;
  let browser: HttpBrowser;
  let site: BoundSite;
  /** A file in the folder that its output names. */
  const fileOf = (name: string) => {
    const [, folder = ''] = /export CURL_CA_BUNDLE=(.*)\/authority\.pem/.exec(example.output()) ?? [];
    return readFileSync(join(folder, name), 'utf8');
  };

  beforeAll(async () => {
    example = await startExample({ parameters: ['--tls'] });
    const ca = fileOf('authority.pem');
    const redirectUri = `${example.issuer}/playground/callback`;
    browser = createHttpBrowser({ stopAt: redirectUri, fetch: createFetchByTls({ ca }) });
    await logIn(browser, await browser.open(`${example.issuer}/login`));
    site = {
      issuer: new URL(example.issuer),
      redirectUri,
      detail: PAYMENT,
      fetch: createFetchByTls({ ca, cert: fileOf('client.pem'), key: fileOf('client.key') }),
      hasAliases: true,
      clientFor: (how) => Promise.resolve(how === 'dpop' ? playgroundClient : certifiedShop),
      async allow(url) {
        expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
        const consent = await browser.open(url);
        expect(consent.text).toContain('Pay 20.00 EUR to Inkwell');
        const back = await browser.submit(consent, 'consent-form', { button: 'consent-allow' });
        expect([...back.url.searchParams.keys()]).toEqual(['response']);
        return back.url;
      },
    };
  });
  afterAll(() => example.close());

  test.each([
    ['oauth4webapi', 'dpop', runOauth4webapi],
    ['oauth4webapi', 'certificate', runOauth4webapi],
    ['openid-client', 'dpop', runOpenidClient],
    ['openid-client', 'certificate', runOpenidClient],
  ] as const)('%s: PAR, RAR, JARM, bound by %s: code, API, refresh', async (_library, how, run) => {
    const { tokens, call, callAsThief, refresh } = await run(site, how);
    expect(tokens).toMatchObject({
      token_type: how === 'dpop' ? 'dpop' : 'bearer',
      authorization_details: [PAYMENT],
    });
    const { amount, to } = PAYMENT;
    const paid = await call(tokens.access_token, '/api/payments', { amount, to });
    expect([paid.status, await paid.json()]).toMatchObject([201, { paid: amount, to }]);
    const { access_token: next } = await refresh();
    expect((await call(next, '/api/photos')).status).toBe(200);
    // without the key, or without a certificate
    await expect(callAsThief(next, '/api/photos')).rejects.toMatchObject({ status: 401 });
  });

  test('the example with TLS sets no HSTS for this machine, and its shop reaches it', async () => {
    const home = await createFetchByTls({ ca: fileOf('authority.pem') })(example.issuer);
    expect([home.status, home.headers.get('strict-transport-security')]).toEqual([200, null]);
    const visitor = createHttpBrowser({ fetch: createFetchByTls({ ca: fileOf('authority.pem') }) });
    const login = await visitor.submit(await visitor.open(example.shopUrl), 'print-form');
    const consent = await logIn(visitor, login);
    const prints = await visitor.submit(consent, 'consent-form', { button: 'consent-allow' });
    expect(prints.text).toContain('Prints for Ada Lovelace');
  });

  test('the example with TLS prints how curl trusts it, and the address for certificates', () => {
    expect(example.output()).toContain('export CURL_CA_BUNDLE=');
    expect(example.output()).toContain('those of certified-shop) come to https://localhost:');
  });
});
