import { describe, expect, test } from '@jest/globals';

import { demoDeveloper, demoUser } from '../../example-app/demo.js';
import { fixture } from '../support/site-for.js';
import { startExample } from './support/example.js';
import { logIn } from './support/flows.js';
import { type BrowserPage, createHttpBrowser, type HttpBrowser } from './support/http-browser.js';

/* The example's printing shop, under the FAPI 2.0 Security Profile, with tokens that it has to renew each time. */

const example = fixture(() => startExample({ environment: { ACCESS_TOKEN_TTL: '9' } }));

const press = (browser: HttpBrowser, page: BrowserPage, form: string, button: string) =>
  browser.submit(page, form, { button });

async function printByFapi2({ username, password } = demoUser): Promise<{
  browser: HttpBrowser;
  prints: BrowserPage;
}> {
  const browser = createHttpBrowser();
  const home = await press(browser, await browser.open(example.shopUrl), 'way-form', 'way-submit');
  const login = await press(browser, home, 'print-form', 'print-submit');
  const next = await browser.submit(login, 'login-form', {
    fields: { username, password },
    button: 'login-submit',
  });
  const prints = next.text.includes('consent-form')
    ? await press(browser, next, 'consent-form', 'consent-allow')
    : next;
  return { browser, prints };
}

const connected = async (browser: HttpBrowser) =>
  (await browser.open(`${example.issuer}/oauth/authorizations`)).text;

describe('the printing shop by the FAPI 2.0 Security Profile', () => {
  test('the FAPI 2.0 shop pushes its request, binds its tokens, and keeps its refresh token', async () => {
    const { browser, prints } = await printByFapi2();
    expect(prints.url.href).toBe(`${example.shopUrl}/prints`);
    expect(prints.text).toContain('Prints for Ada Lovelace');
    expect(prints.text).toContain('prints-fapi2');
    // §5.3.2.1-9: no rotation, so two tabs need not share a refresh
    for (let round = 0; round < 2; round++) {
      const tabs = await Promise.all([1, 2].map(() => browser.open(`${example.shopUrl}/prints`)));
      for (const tab of tabs) expect(tab.text).toContain('Prints for Ada Lovelace');
    }
    expect(await connected(browser)).toContain('Inkwell Printing Shop (FAPI 2.0)');
  });

  test('the FAPI 2.0 shop gets nothing by a plain request, nor with a secret', async () => {
    const browser = createHttpBrowser();
    const requested = new URL('/oauth/authorize', example.issuer);
    requested.search = new URLSearchParams({
      response_type: 'code',
      client_id: 'printing-shop-fapi2',
      redirect_uri: `${example.shopUrl}/callback`,
    }).toString();
    await logIn(browser, await browser.open(`${example.issuer}/login`));
    expect((await browser.open(requested)).url.searchParams.get('error')).toBe('invalid_request');
    const answer = await fetch(`${example.issuer}/oauth/par`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('printing-shop-fapi2:printing-shop-demo-secret')}` },
      body: requested.searchParams,
    });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  });

  test("a change of the shop's way asks for a new consent, and revokes the earlier tokens", async () => {
    // a user without other orders, so that the photo site's page about the shop concerns this one
    const { browser } = await printByFapi2(demoDeveloper);
    expect(await connected(browser)).toContain('Last active');
    const home = await press(browser, await browser.open(example.shopUrl), 'way-form', 'way-submit');
    const consent = await press(browser, home, 'print-form', 'print-submit');
    expect(consent.text).toContain('consent-form');
    const prints = await press(browser, consent, 'consent-form', 'consent-allow');
    expect(prints.text).toContain('Prints for Grace Hopper');
    expect(prints.text).not.toContain('prints-fapi2');
    expect(await connected(browser)).toContain('It has no access at the moment');
  });

  test('an unknown way changes nothing, and the shop publishes only public keys', async () => {
    const browser = createHttpBrowser();
    const home = await browser.open(example.shopUrl);
    const other = { ...home, text: home.text.replace('value="fapi2"', 'value="__proto__"') };
    const same = await press(browser, other, 'way-form', 'way-submit');
    expect([same.status, same.text.includes('way-fapi2')]).toEqual([200, false]);
    const { keys } = (await (await fetch(`${example.shopUrl}/jwks`)).json()) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
  });
});
