import { describe, expect, test } from '@jest/globals';

import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';
import { startExample } from './support/example.js';
import { logIn } from './support/flows.js';
import { type BrowserPage, createHttpBrowser, type HttpBrowser } from './support/http-browser.js';

/* “Sign in with Lantern Photos” at the printing shop of the example, by openid-client and by passport-openidconnect. */

const example = fixture(() => startExample());

/** Leads to the photo site, and to its consent page unless the user has already consented. */
async function beginSignIn(form: string): Promise<{ browser: HttpBrowser; page: BrowserPage }> {
  const browser = createHttpBrowser();
  const login = await browser.submit(await browser.open(example.shopUrl), form);
  return { browser, page: await logIn(browser, login) };
}

describe.each([
  ['openid-client', 'sign-in-form'],
  ['passport-openidconnect', 'passport-form'],
])('by %s', (library, form) => {
  test(`a user signs in at the shop by ${library}, is called by name, and signs out`, async () => {
    const { browser, page } = await beginSignIn(form);
    const home = page.text.includes('consent-form')
      ? await browser.submit(page, 'consent-form', { button: 'consent-allow' })
      : page;
    expect([home.url.href, home.status]).toEqual([`${example.shopUrl}/`, 200]);
    expect(home.text).toContain('You are signed in as <strong>Ada Lovelace</strong>');
    expect(home.text).toContain(`by ${library}`);
    // it gave no access to the photos
    expect((await browser.open(`${example.shopUrl}/prints`)).url.pathname).toBe('/');
    const signOut = (who: HttpBrowser) =>
      fetch(`${example.shopUrl}/sign-out`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: `shop.sid=${who.cookie('shop.sid')}` },
      });
    // the photo site asks, and redirects back after a yes
    const response = await signOut(browser);
    expect(response.status).toBe(303);
    expect((await browser.open(example.shopUrl)).text).toContain('Sign in with Lantern Photos');
    const requested = await browser.open(String(response.headers.get('location')));
    expect(requested.text).toContain('Inkwell Printing Shop');
    const back = await browser.submit(requested, 'end-session-form', { button: 'end-session-yes' });
    expect([back.url.href, back.status]).toEqual([`${example.shopUrl}/`, 200]);
    expect((await browser.open(`${example.issuer}/oauth/authorizations`)).url.pathname).toBe('/login');
    // nobody is signed in, so there is nothing to ask
    expect((await signOut(browser)).headers.get('location')).toBe('/');
  });

  test(`a logout at the photo site signs out at the shop by ${library}, by the back channel`, async () => {
    const { browser, page } = await beginSignIn(form);
    const home = page.text.includes('consent-form')
      ? await browser.submit(page, 'consent-form', { button: 'consent-allow' })
      : page;
    expect(home.text).toContain('You are signed in as');
    const requested = await browser.open(`${example.issuer}/oauth/end_session`);
    await browser.submit(requested, 'end-session-form', { button: 'end-session-yes' });
    await until(async () => !(await browser.open(example.shopUrl)).text.includes('You are signed in'));
    // a request without a logout token signs nobody out
    const forged = await fetch(`${example.shopUrl}/logged-out`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: 'a.b.c' }),
    });
    expect(forged.status).toBe(400);
  });

  test(`an unsolicited answer signs nobody in by ${library}`, async () => {
    const browser = createHttpBrowser();
    const path = library === 'openid-client' ? library : 'passport';
    const query = `code=x&state=y&iss=${example.issuer}`;
    await browser.open(`${example.shopUrl}/account/${path}?${query}`);
    const begun = createHttpBrowser();
    await begun.submit(await begun.open(example.shopUrl), form);
    const forged = await begun.open(`${example.shopUrl}/account/${path}?${query}`);
    for (const who of [browser, begun])
      expect((await who.open(example.shopUrl)).text).not.toContain('You are signed in');
    expect(forged.status).toBeLessThan(500);
  });
});

test('a user who denies the sign-in can use the shop as before', async () => {
  const browser = createHttpBrowser();
  const login = await browser.submit(await browser.open(example.shopUrl), 'sign-in-form');
  const consent = await browser.submit(login, 'login-form', {
    fields: { username: 'grace', password: 'nanoseconds-of-wire' },
    button: 'login-submit',
  });
  const home = await browser.submit(consent, 'consent-form', { button: 'consent-deny' });
  expect([home.url.pathname, home.status]).toEqual(['/', 200]);
  expect(home.text).not.toContain('You are signed in');
});
