import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { DEVICE_GRANT_TYPES } from '../support/device.js';
import { openServer } from '../support/open-server.js';
import { openPagesSite, PERSON, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

/** Milliseconds between the two presses of a double click; Windows counts up to 500 as one. */
const GAPS = [0, 60, 150, 300, 500, 590];
/** The attacker's page: a small window that opens a page of the site beneath, and closes at the first press. */
const LURE = `<!doctype html><title>Lure</title><button id="start">Start</button><script>
  const target = new URLSearchParams(location.search).get('target');
  if (opener) {
    opener.location = target;
    addEventListener('mousedown', () => close());
  } else document.getElementById('start').onclick = () => open(location.href, 'lure', 'width=400,height=300');
</script>`;
/** The test sets the time: a busy machine may take longer between two steps than a page waits. */
const HOLD_TIME = `document.addEventListener('animationstart', ({ animationName, target }) => {
  if (animationName === 'eas-not-yet')
    for (const animation of target.getAnimations()) if (animation.animationName === animationName) animation.pause();
});`;
/** A host's style sheet that disables all animations. */
const NO_ANIMATIONS = '*, ::before, ::after { animation: none !important; transition: none !important; }';

/** A page with a button that decides at once. */
interface OneClick {
  readonly button: string;
  /** The address of the page, for the logged-in user ada. */
  readonly address: () => string | Promise<string>;
}

describeInChromium('double clicks in Chromium (RFC 6749 §10.13, RFC 9700 §4.16)', () => {
  const site = fixture(() =>
    openPagesSite({
      grantTypes: DEVICE_GRANT_TYPES,
      registration: { open: true },
      pages: { linkToUnverifiedClients: true },
      people: { findByName: () => null },
      personalAccessTokens: { serviceTokens: true },
      openid: { claims: () => ({ name: PERSON.name }) },
      signingKeys: { encryptionSecret: 'a secret of the test site, 32 characters at least' },
      scopes: {
        profile: 'See your name',
        'photos:delete': { description: 'Delete your photos', risk: 'high' },
      },
    }),
  );
  const lures = fixture(() =>
    openServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(LURE)),
  );
  const browser = fixture(() => launchChromium({ realAnimations: true }));
  let state: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;
  let context: BrowserContext;
  let page: Page;
  /** Requests of the browser for the person's pages. */
  let loads: string[] = [];

  beforeEach(async () => {
    if (!(await isLoggedIn())) await logIn();
    await open();
  });
  afterEach(() => context?.close());

  /** False after some tests, which end the login. */
  async function isLoggedIn(): Promise<boolean> {
    const cookie = (state?.cookies ?? []).map(({ name, value }) => `${name}=${value}`).join('; ');
    const page = await fetch(`${site.url}/oauth/applications`, { headers: { cookie }, redirect: 'manual' });
    return page.status === 200;
  }

  async function logIn(): Promise<void> {
    await using first = await browser.newContext();
    const login = await first.newPage();
    await login.goto(`${site.url}/login`);
    await submitLogin(login);
    await login.locator('#who').waitFor();
    state = await first.storageState();
  }

  async function open(options: Parameters<TestBrowser['newContext']>[0] = {}): Promise<void> {
    await context?.close();
    context = await browser.newContext({ storageState: state, locale: 'en', ...options });
    await context.addInitScript({ content: HOLD_TIME });
    page = await context.newPage();
    page.on('request', (request) => void (request.isNavigationRequest() && loads.push(request.url())));
  }

  async function newRequest(query: Readonly<Record<string, string>>, ownerId?: string) {
    const { clientId } = await site.client({ ...(ownerId !== undefined && { ownerId }) });
    return requestOf(site, clientId, query);
  }
  async function endSession(): Promise<string> {
    const { clientId } = await site.client({ postLogoutRedirectUris: [site.callback] });
    const query = new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: site.callback });
    return `${site.url}/oauth/end_session?${query.toString()}`;
  }

  async function startDevice(): Promise<string> {
    const { clientId } = await site.client({
      type: 'public',
      redirectUris: [],
      grantTypes: [DEVICE_GRANT_TYPES[2]],
    });
    const response = await fetch(`${site.url}/oauth/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, scope: 'profile' }),
    });
    return ((await response.json()) as { verification_uri_complete: string }).verification_uri_complete;
  }

  /** An invitation by somebody else for ada. */
  async function invitationOfEve() {
    const ada = await site.database.collection('oauth_users').findOne({ username: 'ada' });
    const invitation = {
      id: 'invitation',
      userId: String(ada?._id),
      typed: 'ada',
      as: 'owner',
      invitedBy: 'eve',
    };
    return { ...invitation, createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) };
  }

  async function invite(): Promise<string> {
    const { clientId } = await site.client({ ownerId: 'eve' });
    await site.oauth.models.Client.updateOne(
      { _id: clientId },
      { $set: { invitations: [await invitationOfEve()] } },
    );
    return `${site.url}/oauth/applications/${clientId}/invitation`;
  }

  async function inviteToToken(): Promise<string> {
    const { id } = await site.oauth.personalAccessTokens.create({
      owners: ['eve'],
      name: 'Deployment',
      scopes: ['profile'],
    });
    await site.oauth.models.Grant.updateOne(
      { _id: id },
      { $set: { 'namedToken.invitations': [await invitationOfEve()] } },
    );
    return `${site.url}/oauth/access-tokens/${id}/invitation`;
  }

  /** Opens a page by a first click on another one. */
  async function after(address: string, button: string): Promise<string> {
    await page.goto(address);
    await Promise.all([page.waitForEvent('load'), page.press(button, 'Enter')]);
    return page.url();
  }

  const PAGES: Readonly<Record<string, OneClick>> = {
    'the consent page': { button: '#consent-allow', address: () => newRequest({ scope: 'profile' }) },
    'the refusal of consent': { button: '#consent-deny', address: () => newRequest({ scope: 'profile' }) },
    '"not you?" on the consent page': {
      button: '#account-switch',
      address: () => newRequest({ scope: 'profile' }),
    },
    'the page that asks for the account': {
      button: '#account-continue',
      address: () => newRequest({ prompt: 'select_account' }),
    },
    'the page that asks to log in again': {
      button: '#account-switch',
      address: () => newRequest({ prompt: 'login' }),
    },
    'the page for the code of a device': { button: '#device-submit', address: startDevice },
    'the consent page of a device': {
      button: '#consent-allow',
      address: async () => after(await startDevice(), '#device-submit'),
    },
    'the invitation to own an application': { button: '#invitation-accept', address: invite },
    'the invitation to own a service token': { button: '#invitation-accept', address: inviteToToken },
    'the logout page of the site': { button: '#logout-submit', address: () => `${site.url}/logout` },
    'the logout page of clients': { button: '#end-session-yes', address: () => endSession() },
    'a link to a client that nobody has looked at': {
      button: '#error-client',
      address: () => newRequest({ scope: 'everything' }, 'eve'),
    },
  };

  async function middleOf(button: string): Promise<{ x: number; y: number }> {
    const locator = page.locator(button);
    await locator.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await locator.boundingBox())!;
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** Sets the time since the mouse entered, in milliseconds: otherwise it stands still (`HOLD_TIME`). */
  const letPass = (milliseconds: number) =>
    page.evaluate((time) => {
      const { document } = globalThis as unknown as {
        document: {
          getAnimations(): { animationName?: string; pause(): void; finish(): void; currentTime: number }[];
        };
      };
      const waiting = document.getAnimations().filter(({ animationName }) => animationName === 'eas-not-yet');
      for (const animation of waiting) {
        animation.pause();
        animation.currentTime = time;
        if (time >= 600) animation.finish();
      }
      return waiting.length;
    }, milliseconds);

  /** A press and a release at once, of a mouse that does not move. */
  async function press({ x, y }: { x: number; y: number }): Promise<void> {
    const cdp = await context.newCDPSession(page);
    const at = { x, y, button: 'left', clickCount: 1 } as const;
    await cdp.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at, buttons: 1 });
    await cdp.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
    await cdp.detach();
  }

  /** The first press: the attacker's window is under the mouse, and closes. */
  async function lure(address: string): Promise<void> {
    await page.goto(`${lures.url}/?target=${encodeURIComponent(address)}`);
    const [small] = await Promise.all([page.waitForEvent('popup'), page.press('#start', 'Enter')]);
    await page.waitForURL(address);
    await page.waitForLoadState();
    await small.mouse.move(100, 100);
    await Promise.all([small.waitForEvent('close'), small.mouse.down().catch(() => undefined)]);
  }

  describe.each(Object.entries(PAGES))('%s', (_name, { button, address }) => {
    test('the button ignores the second press of a double click and accepts a deliberate one', async () => {
      await lure(await address());
      const at = await middleOf(button);
      loads = [];
      // the press may be the first event of the mouse on the page
      await press(at);
      // most systems first tell the page that the mouse is over it
      await page.mouse.move(at.x, at.y);
      for (const gap of GAPS) {
        await letPass(gap);
        await press(at);
      }
      expect(loads).toEqual([]);
      expect(await letPass(600)).toBeGreaterThan(0);
      await Promise.all([page.waitForEvent('request'), press(at)]);
      expect(loads).not.toEqual([]);
    });
  });

  test('a second click on Allow does not confirm a high-risk scope', async () => {
    await page.goto(await newRequest({ scope: 'photos:delete' }));
    await page.check('[name="granted_scope"]');
    await page.press('#consent-allow', 'Enter');
    await page.locator('#consent-confirm').waitFor();
    const at = await middleOf('#consent-confirm');
    loads = [];
    for (const gap of GAPS) {
      await letPass(gap);
      await press(at);
    }
    expect(loads).toEqual([]);
    await letPass(600);
    await Promise.all([page.waitForEvent('request'), press(at)]);
    await page.waitForURL(`${site.callback}?**`);
  });

  test('a key presses the button at once', async () => {
    for (const key of ['Enter', 'Space']) {
      await page.goto(await newRequest({ scope: 'profile' }));
      const { x, y } = await middleOf('#consent-allow');
      await page.mouse.move(x, y);
      await page.press('#consent-allow', key);
      await page.waitForURL(`${site.callback}?**`);
    }
  });

  test('a finger and a screen reader press the button at once', async () => {
    await open({ hasTouch: true, isMobile: true });
    await page.goto(await newRequest({ scope: 'profile' }));
    const { x, y } = await middleOf('#consent-allow');
    await page.touchscreen.tap(x, y);
    await page.waitForURL(`${site.callback}?**`);
    await open();
    await page.goto(await newRequest({ scope: 'profile' }));
    const at = await middleOf('#consent-allow');
    await page.mouse.move(at.x, at.y);
    await page.dispatchEvent('#consent-allow', 'click');
    await page.waitForURL(`${site.callback}?**`);
  });

  test('the delay of the button does not depend on animations or reduced motion', async () => {
    await open({ reducedMotion: 'reduce' });
    await page.goto(await newRequest({ scope: 'profile' }));
    await page.addStyleTag({ content: NO_ANIMATIONS }).catch(() => undefined);
    const at = await middleOf('#consent-allow');
    loads = [];
    await press(at);
    expect(await letPass(590)).toBeGreaterThan(0);
    await press(at);
    expect(loads).toEqual([]);
    await letPass(600);
    await Promise.all([page.waitForEvent('request'), press(at)]);
  });

  test('the delay is on each page with a form or a link to a client', async () => {
    const ada = await site.database.collection('oauth_users').findOne({ username: 'ada' });
    const own = await site.client({ ownerId: String(ada?._id) });
    await page.goto(await newRequest({ scope: 'profile' }));
    await page.press('#consent-allow', 'Enter');
    await page.waitForURL(`${site.callback}?**`);
    const pages = [
      '/oauth/authorizations',
      '/oauth/applications/new',
      ...['', '/edit', '/delete', '/disconnect'].map((path) => `/oauth/applications/${own.clientId}${path}`),
    ];
    for (const path of pages) {
      const answer = await page.goto(`${site.url}${path}`);
      expect([path, answer?.status()]).toEqual([path, 200]);
      await page.mouse.move(5, 5);
      const left = await page.evaluate(() => {
        interface Element {
          readonly id: string;
          matches(selector: string): boolean;
        }
        const { document, getComputedStyle } = globalThis as unknown as {
          document: { querySelectorAll(selector: string): Iterable<Element> };
          getComputedStyle: (element: Element) => { animationName: string };
        };
        return [...document.querySelectorAll('button:not([type="button"])')]
          .filter((element) => !element.matches('.eas-languages *, .eas-search *, .eas-kind'))
          .filter((element) => getComputedStyle(element).animationName !== 'eas-not-yet')
          .map(({ id }) => id);
      });
      expect([path, left]).toEqual([path, []]);
    }
  });
});
