import { describe, expect, test } from '@jest/globals';

import { demoDeveloper } from '../../example-app/demo.js';
import { fixture } from '../support/site-for.js';
import { startExample } from './support/example.js';
import { logIn } from './support/flows.js';
import { type BrowserPage, createHttpBrowser, type HttpBrowser } from './support/http-browser.js';

const example = fixture(() => startExample());

// these tests are one story, in order, because a consent is stored
describe('the printing shop, a client by openid-client in a process of its own', () => {
  test('a user who denies gets a kind page of the printing shop, and can start again', async () => {
    const { browser, page: consent } = await pressAndLogIn();

    const denied = await browser.submit(consent, 'consent-form', { button: 'consent-deny' });
    expect(denied.url.searchParams.get('error')).toBe('access_denied');
    expect(denied.status).toBe(200);
    expect(denied.text).toContain('No photos, no hard feelings');

    const again = await browser.submit(denied, 'print-form', { button: 'print-submit' });
    expect(again.text).toContain('consent-form');
  });

  test('a user orders prints of the printing shop by a button, a login and a consent', async () => {
    const { browser, page: consent } = await pressAndLogIn();
    expect(consent.url.pathname).toBe('/oauth/authorize');
    expect(consent.text).toContain('Inkwell Printing Shop');
    expect(consent.text).toContain('See your photos');

    const prints = await browser.submit(consent, 'consent-form', { button: 'consent-allow' });

    expect(prints.url.href).toBe(`${example.shopUrl}/prints`);
    expect(prints.status).toBe(200);
    expect(prints.text).toContain('Prints for Ada Lovelace');
    expect(titlesOf(prints)).toEqual([
      'Fog, then more fog',
      'October',
      'Waiting for the comet',
      'Last light over the ridge',
      'The valley at noon',
      'Before breakfast',
    ]);
    expect(prints.text.match(/src="data:image\/svg\+xml;base64,/g)).toHaveLength(6);
  });

  test('a second order of prints needs no consent, and its tokens never reach the browser', async () => {
    const { page: prints } = await pressAndLogIn();
    expect(prints.text).toContain('Prints for Ada Lovelace');

    const callback = prints.visited.find(({ pathname }) => pathname === '/callback');
    expect([...callback!.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(callback!.searchParams.get('iss')).toBe(example.issuer);
    expect(`${prints.text} ${prints.visited.join(' ')}`).not.toContain('eas_at_');
  });

  test('the printing shop and the photo site keep their sessions on one host', async () => {
    const { browser } = await pressAndLogIn();
    expect(browser.cookie('photos.sid')).toBeDefined();
    expect(browser.cookie('shop.sid')).toBeDefined();
    expect((await browser.open(`${example.issuer}/photos`)).text).toContain('Ada Lovelace');
    expect((await browser.open(`${example.shopUrl}/prints`)).text).toContain('Prints for Ada Lovelace');
  });

  test('Back after "Allow" leads to the prints, and a wrong state is refused', async () => {
    const { browser, page: prints } = await pressAndLogIn();
    const requested = prints.visited.find(({ pathname }) => pathname === '/oauth/authorize')!;
    const again = await browser.open(requested);
    // the photo site has answered again, but nothing was redeemed a second time
    expect(again.visited.map(({ pathname }) => pathname)).toContain('/callback');
    expect([again.url.href, again.status]).toEqual([`${example.shopUrl}/prints`, 200]);
    expect(again.text).toContain('Prints for Ada Lovelace');
    for (const query of ['code=x&state=not-mine', 'code=x'])
      expect((await browser.open(`${example.shopUrl}/callback?${query}&iss=${example.issuer}`)).status).toBe(
        400,
      );
  });

  test('a visitor can be forgotten at the shop and the photo site together [RFC 7009]', async () => {
    // a user without other orders, so that the photo site's page about the shop concerns this one
    const browser = createHttpBrowser();
    const login = await browser.submit(await browser.open(example.shopUrl), 'print-form');
    const consent = await browser.submit(login, 'login-form', {
      fields: { username: demoDeveloper.username, password: demoDeveloper.password },
      button: 'login-submit',
    });
    const prints = await browser.submit(consent, 'consent-form', { button: 'consent-allow' });
    const connected = async () => (await browser.open(`${example.issuer}/oauth/authorizations`)).text;
    expect(await connected()).toContain('Last active');

    const forgotten = await browser.submit(prints, 'forget-form', { button: 'forget-submit' });
    expect([forgotten.url.pathname, forgotten.status]).toEqual(['/forgotten', 200]);
    expect(forgotten.text).toContain('we have given our key back');
    expect(forgotten.text).toContain(`${example.issuer}/oauth/authorizations`);
    expect((await browser.open(`${example.shopUrl}/prints`)).url.pathname).toBe('/');
    expect(await connected()).toContain('It has no access at the moment');

    // a reload shows it again, and the next order needs a consent again
    const again = await browser.submit(await browser.open(`${example.shopUrl}/forgotten`), 'print-form');
    expect(again.text).toContain('consent-form');
    const back = await browser.submit(again, 'consent-form', { button: 'consent-allow' });
    expect(back.text).toContain('Prints for Grace Hopper');
    expect((await browser.open(`${example.shopUrl}/forgotten`)).url.pathname).toBe('/');
  });

  test('the printing shop refuses an answer to no order of its visitor', async () => {
    const stranger = createHttpBrowser();
    expect(
      (await stranger.open(`${example.shopUrl}/callback?code=x&state=y&iss=${example.issuer}`)).status,
    ).toBe(400);

    const browser = createHttpBrowser();
    await browser.submit(await browser.open(example.shopUrl), 'print-form');
    const forged = await browser.open(
      `${example.shopUrl}/callback?code=x&state=not-mine&iss=${example.issuer}`,
    );
    expect(forged.status).toBe(400);
    expect(forged.text).toContain('does not belong to your order');
  });

  test('the printing shop refuses an answer in the name of another issuer (RFC 9207 §2.4)', async () => {
    const browser = createHttpBrowser();
    const login = await browser.submit(await browser.open(example.shopUrl), 'print-form');
    const state = new URL(login.url.searchParams.get('return_to')!, example.issuer).searchParams.get(
      'state',
    )!;

    const mixedUp = await browser.open(
      `${example.shopUrl}/callback?code=x&state=${state}&iss=https://evil.example`,
    );
    expect(mixedUp.status).toBe(400);
    expect(mixedUp.text).toContain('does not belong to your order');
  });
});

describe('short-lived tokens', () => {
  test('the printing shop refreshes tokens once for all tabs of a visitor, as often as needed', async () => {
    // shorter than the ten seconds before the end at which the shop refreshes: every page needs new tokens
    await using shortLived = await startExample({ environment: { ACCESS_TOKEN_TTL: '9' } });
    const { browser, page } = await pressAndLogIn(shortLived.shopUrl);
    await browser.submit(page, 'consent-form', { button: 'consent-allow' });
    for (let round = 0; round < 3; round++) {
      const tabs = await Promise.all([1, 2, 3].map(() => browser.open(`${shortLived.shopUrl}/prints`)));
      for (const tab of tabs) expect(tab.text).toContain('Prints for Ada Lovelace');
    }
  });
});

async function pressAndLogIn(
  shopUrl = example.shopUrl,
): Promise<{ browser: HttpBrowser; page: BrowserPage }> {
  const browser = createHttpBrowser();
  const login = await browser.submit(await browser.open(shopUrl), 'print-form', { button: 'print-submit' });
  expect(login.url.pathname).toBe('/login');
  return { browser, page: await logIn(browser, login) };
}

function titlesOf({ text }: BrowserPage): (string | undefined)[] {
  return [...text.matchAll(/<span>([^<]*)<\/span><\/li>/g)].map(([, title]) => title);
}
