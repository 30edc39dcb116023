import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import type { ClientWithSecret } from '../../lib/core/clients/registry/client-registry.js';
import { expectGoodPage, findViolations } from '../support/axe.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { closePagesApps, isGrace, type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { submitLogin } from '../support/pages-site.js';
import { closeWatched, openWatched, tabTo } from '../support/watched-page.js';

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

/** Developers can register every kind of application with these grant types. */
const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const;

let app: PagesApp;
let browser: TestBrowser;
let context: BrowserContext;

afterAll(async () => {
  await browser?.close();
  await closePagesApps();
});
afterEach(() => closeWatched(context));

async function start(): Promise<void> {
  browser ??= await launchChromium();
  app = await startPagesApp({
    security: { rateLimits: false },
    grantTypes: GRANT_TYPES,
    applications: { grantTypes: GRANT_TYPES, isAdministrator: isGrace },
  });
}

/** A page with a logged-in person; a violation of its content policy fails the test. */
async function open(name: string, options: Parameters<TestBrowser['newContext']>[0] = {}): Promise<Page> {
  const { page, ...opened } = await openWatched(browser, { baseURL: app.url, ...options });
  ({ context } = opened);
  await page.goto('/login');
  await submitLogin(page, { username: name, password: passwordOf(name) });
  return page;
}

const register = async (page: Page, name: string, redirectUris = 'https://print.example/callback') => {
  await page.goto('/oauth/applications/new');
  await page.fill('#application-name', name);
  await page.fill('#application-redirect-uris', redirectUris);
  await page.click('#application-submit');
};
const textOf = (page: Page, selector: string) => page.locator(selector).innerText();

describeInChromium('the applications pages in Chromium', () => {
  let keyed: ClientWithSecret;
  let hostile: ClientWithSecret;
  beforeAll(async () => {
    await start();
    const ownerId = await app.idOf('ada');
    const redirectUris = ['https://print.example/callback', 'com.example.print:/callback'];
    const shop = await app.clients.create({
      name: 'Inkwell Printing Shop',
      ownerId,
      redirectUris,
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    });
    await app.clients.rotateSecret(shop.clientId);
    keyed = await app.clients.create({
      name: 'Archive',
      ownerId,
      redirectUris: ['https://archive.example/callback'],
      verified: true,
      jwksUri: 'https://archive.example/jwks.json',
    });
    hostile = await app.clients.create({
      name: HOSTILE,
      ownerId,
      type: 'public',
      redirectUris: [
        `https://evil.example/?'onload='alert(3)'&a=</script>`.replaceAll('<', '%3C').replaceAll('>', '%3E'),
        `https://evil.example/${'very-long-'.repeat(30)}`,
      ],
    });
    await app.database.collection('oauth_consents').insertMany(
      Array.from({ length: 1001 }, (_, index) => ({
        userId: `u${index}`,
        clientId: shop.clientId,
        scopes: [],
        createdAt: new Date(),
        updatedAt: new Date(),
      })),
    );
    await app.database.collection('oauth_grants').insertOne({
      _id: 'g1',
      clientId: shop.clientId,
      userId: 'u1',
      scopes: [],
      grantType: 'authorization_code',
      accessTokens: [],
      createdAt: new Date('2026-11-01T10:00:00Z'),
      renewedAt: new Date('2026-11-20T10:00:00Z'),
      expiresAt: new Date(Date.now() + 86_400_000),
    } as never);
    for (let index = 0; index < 26; index += 1)
      await app.clients.create({ name: `Application ${index}`, redirectUris: ['https://a.example/'] });
    const clients = app.database.collection('oauth_clients');
    await clients.updateOne(
      { name: 'Application 25' },
      {
        $set: {
          name: 'Model Context Client',
          registration: { accessTokenHash: 'x', details: {} },
          'listed.lists': ['unverified', 'self-registered'],
          'listed.keys': ['model context client'],
        },
      },
    );
  });

  test('every page for developers is good, in both widths and colour schemes', async () => {
    const page = await open('ada');
    const look = (name: string) => expectGoodPage(page, `applications-${name}`);
    await page.goto('/oauth/applications');
    await look('list');
    await page.goto('/oauth/applications/new');
    await look('register');
    await page.click('#application-technical > summary');
    await page.check('[value="jwks"]');
    await page.fill(
      '#application-redirect-uris',
      'https://print.example/callback\n\nhttp://print.example/callback\nhttps://*.print.example/callback',
    );
    await page.fill('#application-jwks', '{"keys": [{"kty": "EC", "d": "secret"}]}');
    await page.click('#application-about summary');
    await page.fill('#application-description', 'Prints your photos on postcards.');
    await page.fill('#application-policy-uri', 'http://print.example/privacy');
    await page.click('#application-submit');
    await look('refused');
    await register(page, 'Postcards');
    await look('registered');
    await page.click('#application-rotate');
    await look('rotated');
    await page.click('#application-disconnect');
    await look('disconnect');
    await page.click('#application-disconnect-confirm');
    expect(await textOf(page, 'p.eas-notice')).toContain('Everyone is disconnected');
    await page.goto(`/oauth/applications/${keyed.clientId}`);
    await look('keys');
    await page.goto(`/oauth/applications/${hostile.clientId}`);
    await look('hostile');
    await page.goto(`/oauth/applications/${keyed.clientId}/delete`);
    await page.fill('#application-delete-confirmation', 'Archiv');
    await page.click('#application-delete-confirm');
    await look('delete');
  });

  test('every page for administrators is good', async () => {
    const page = await open('grace');
    await page.goto('/oauth/applications?list=all');
    await expectGoodPage(page, 'applications-all');
    await page.goto('/oauth/applications?list=self-registered');
    await page.click('.eas-applications a');
    await expectGoodPage(page, 'applications-self-registered');
  });

  test('pages in Arabic read from right to left, and code in them from left to right', async () => {
    const page = await open('ada', { locale: 'ar' });
    await page.goto('/oauth/applications');
    await expectGoodPage(page, 'ar-applications-list');
    await page.click('.eas-applications a >> nth=-1');
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await page.evaluate("getComputedStyle(document.querySelector('pre')).direction")).toBe('ltr');
    await expectGoodPage(page, 'ar-applications-details');
    await page.click('#application-delete');
    await expectGoodPage(page, 'ar-applications-delete');
    await register(page, '');
    await expectGoodPage(page, 'ar-applications-refused');
    await register(page, 'Postcards');
    await expectGoodPage(page, 'ar-applications-registered');
  });

  test('the checks of these tests see the violations of a bad page', async () => {
    const page = await open('ada');
    await page.setContent('<img src="/x.png"><input>');
    expect((await findViolations(page)).length).toBeGreaterThan(1);
  });

  test('a refused form says so in its title, and its summary has the focus', async () => {
    const page = await open('ada', { javaScriptEnabled: false });
    await page.goto('/oauth/applications/new');
    await page.click('#application-submit');
    expect(await page.title()).toMatch(/^Error: Register an application/);
    expect(await page.locator('#problem-summary:focus').count()).toBe(1);
    await page.reload();
    expect(await page.title()).not.toContain('Error');
  });

  test('a button copies a value, or selects it if the clipboard is unavailable', async () => {
    const page = await open('ada', { permissions: ['clipboard-read', 'clipboard-write'] });
    await register(page, 'To copy');
    const secret = await textOf(page, '#client-secret');
    await page.click('[data-copy="client-secret"]');
    await page.locator('#copy-status', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    // WCAG 2.2 §2.5.3: the accessible name begins with the visible text
    expect(await page.getAttribute('[data-copy="client-secret"]', 'aria-label')).toBe(
      'Copied: Client secret',
    );
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.click('[data-copy="client-id"]');
    await page.locator('#copy-status', { hasText: 'Selected' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('String(getSelection())')).toBe(await textOf(page, '#client-id'));
    expect(page.url()).not.toContain(secret);
  });

  test('without JavaScript a developer uses keys, ends a secret and deletes an application', async () => {
    const page = await open('ada', { javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    await page.goto('/oauth/applications/new');
    expect(await page.locator('#application-jwks').isVisible()).toBe(false);
    await page.click('#application-technical > summary');
    await page.check('[value="jwks_uri"]');
    expect(await page.locator('#application-jwks-uri').isVisible()).toBe(true);
    await page.check('[name="type"][value="public"]');
    expect(await page.locator('#application-jwks-uri').isVisible()).toBe(false);
    await register(page, 'Without a script');
    expect(await page.locator('.eas-copy:visible').count()).toBe(0);
    await page.click('#application-rotate');
    await page.click('#application-end-old');
    expect(await textOf(page, 'p.eas-notice')).toContain('The old secret has ended');
    await page.click('#application-delete');
    await page.fill('#application-delete-confirmation', 'without a script');
    await page.click('#application-delete-confirm');
    expect(await textOf(page, '#application-delete-problem')).toContain('not its name');
    await page.fill('#application-delete-confirmation', 'Without a script');
    await page.click('#application-delete-confirm');
    expect(await textOf(page, 'main')).not.toContain('Without a script');
  });

  test('a developer registers an application by keyboard, with a visible focus at each step', async () => {
    const page = await open('ada');
    await page.goto('/oauth/applications');
    const press = async (key: string, times = 1) => {
      for (let time = 0; time < times; time += 1) await page.keyboard.press(key);
    };
    const reach = (selector: string) => tabTo(page, page.locator(selector));
    await reach('#application-new');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await press('Enter');
    await page.waitForURL('**/new');
    await reach('#application-name');
    await page.keyboard.type('By keyboard');
    await reach('#application-redirect-uris');
    await page.keyboard.type('https://app.example/callback');
    await reach('#application-technical > summary');
    await press('Enter');
    await reach('[name="authentication"][value="secret"]');
    await press('ArrowDown', 2);
    await reach('#application-jwks-uri');
    await page.keyboard.type('https://app.example/jwks.json');
    await reach('#application-submit');
    await press('Enter');
    await page.locator('#application-keys').waitFor();
    expect(await textOf(page, '#application-keys')).toContain('https://app.example/jwks.json');
  });

  describe.each([true, false])('a new application, JavaScript on: %s', (javaScriptEnabled) => {
    const TYPED = {
      '#application-name': 'Lamp Pictures',
      '#application-redirect-uris': 'https://lamp.example/callback\nnot yet a URI',
      '#application-description': 'Shows your photos on a lamp.',
      '#application-policy-uri': 'https://lamp.example/privacy',
    };
    const scope = (page: Page) => page.locator('[name="scope"]').first();

    async function openForm(): Promise<Page> {
      const page = await open('ada', { javaScriptEnabled });
      await page.goto('/oauth/applications/new');
      await page.click('#application-about > summary');
      for (const [field, text] of Object.entries(TYPED)) await page.fill(field, text);
      await scope(page).check();
      return page;
    }

    /** Devices and services have no redirect URIs. */
    async function expectTyped(page: Page, kind: string): Promise<void> {
      const { '#application-redirect-uris': redirectUris, ...typed } = TYPED;
      const hasRedirectUris = !['device', 'service'].includes(kind);
      const expected = hasRedirectUris ? TYPED : typed;
      await page.locator(`#kind-${kind}[aria-current]`).waitFor();
      const found = Object.keys(expected).map(async (field) => [field, await page.inputValue(field)]);
      expect([kind, Object.fromEntries(await Promise.all(found))]).toEqual([kind, expected]);
      expect(await scope(page).isChecked()).toBe(true);
    }

    test('each kind of application retains the typed values, chosen by mouse or keyboard', async () => {
      const page = await openForm();
      const ways = { native: 'a click', service: 'Enter', browser: 'Space', device: 'a click', web: 'Enter' };
      for (const [kind, way] of Object.entries(ways)) {
        if (way === 'a click') await page.click(`#kind-${kind}`);
        else await page.press(`#kind-${kind}`, way);
        await expectTyped(page, kind);
        expect(await page.locator(':focus').getAttribute('id')).toBe(`kind-${kind}`);
      }
      if (javaScriptEnabled) expect(await findViolations(page)).toEqual([]);
    });

    test('the chosen kind of application has a different border in forced colours', async () => {
      const page = await openForm();
      await page.emulateMedia({ forcedColors: 'active' });
      for (const kind of ['browser', 'web']) {
        await page.click(`#kind-${kind}`);
        await expectTyped(page, kind);
        const borders = await page.evaluate<[id: string, border: string][]>(
          "[...document.querySelectorAll('.eas-kind')].map((kind) => [kind.id, getComputedStyle(kind).border])",
        );
        const { [`kind-${kind}`]: chosen, ...others } = Object.fromEntries(borders);
        expect(chosen).toMatch(/^3px /);
        for (const border of Object.values(others)) expect(border).toMatch(/^1px /);
      }
    });

    test('typed values survive Back, Forward and reload', async () => {
      const page = await openForm();
      for (const kind of ['native', 'service']) {
        await page.click(`#kind-${kind}`);
        await expectTyped(page, kind);
      }
      await page.reload();
      await expectTyped(page, 'service');
      await page.goBack();
      await expectTyped(page, 'native');
      await page.reload();
      await expectTyped(page, 'native');
      await page.goBack();
      await expectTyped(page, 'web');
      await page.goForward();
      await page.goForward();
      await expectTyped(page, 'service');
      await page.goto('/oauth/applications');
      await page.goBack();
      await expectTyped(page, 'service');
    });

    test('Enter in a field registers the application and chooses no kind', async () => {
      const page = await open('ada', { javaScriptEnabled });
      for (const kind of ['web', 'service']) {
        await page.goto('/oauth/applications/new');
        await page.click(`#kind-${kind}`);
        await page.fill('#application-name', `Lamp ${kind}`);
        if (kind !== 'service')
          await page.fill('#application-redirect-uris', 'https://lamp.example/callback');
        // Tab leads to the rest of the form, not to the hidden button for Enter
        await page.focus(`#kind-${kind}`);
        while ((await page.locator(':focus').getAttribute('name')) === 'kind')
          await page.keyboard.press('Tab');
        expect(await page.locator(':focus').getAttribute('id')).toBe('application-name');
        await page.keyboard.press('Enter');
        await page.locator('#client-id').waitFor();
        expect(await textOf(page, 'h1')).toBe(`Lamp ${kind}`);
      }
    });
  });
});
