import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openPagesSite, OTHER_PERSON, PERSON, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { whoseGrantIs } from '../support/tokens.js';
import { closeWatched, openWatched } from '../support/watched-page.js';

describeInChromium('login and consent in Chromium', () => {
  const site = fixture(() => openPagesSite());
  const browser = fixture(launchChromium);

  describe.each([true, false])('JavaScript on: %s', (javaScriptEnabled) => {
    let context: BrowserContext;
    let page: Page;

    beforeEach(async () => {
      const viewport = { width: 360, height: 740 };
      ({ context, page } = await openWatched(browser, { javaScriptEnabled, locale: 'en', viewport }));
    });
    afterEach(() => closeWatched(context));

    async function newRequest(name = 'Inkwell', query: Readonly<Record<string, string>> = {}) {
      const { clientId } = await site.client({ name });
      return requestOf(site, clientId, { state: name, ...query });
    }
    async function landed(at = page): Promise<URLSearchParams> {
      await at.locator('#back').waitFor();
      return new URL(at.url()).searchParams;
    }

    test('a complete authorization works by keyboard', async () => {
      await page.goto(await newRequest());
      // the browser focuses the first field a moment after the page is loaded: earlier input is lost
      await page.locator('#username:focus').waitFor();
      await page.keyboard.type(PERSON.username);
      await page.keyboard.press('Tab');
      await page.keyboard.type(PERSON.password);
      await page.keyboard.press('Enter');
      await page.locator('#consent-form').waitFor();
      const focused = () =>
        page.locator(':focus').evaluate((element) => {
          const { id, value } = element as unknown as { id: string; value: string };
          return id || value;
        });
      const order: string[] = [];
      do {
        await page.keyboard.press('Tab');
        order.push(await focused());
        if (order.at(-1) === 'friends:read') await page.keyboard.press('Space');
      } while (order.at(-1) !== 'consent-allow' && order.length < 20);
      expect(order).toEqual([
        'site-home',
        'account-switch',
        'photos:read',
        'photos:write',
        'friends:read',
        'consent-each-time',
        'consent-deny',
        'consent-allow',
      ]);
      await page.keyboard.press('Enter');
      const code = (await landed()).get('code') ?? '';
      const grant = await site.database.collection('oauth_grants').findOne(whoseGrantIs(code));
      expect(grant?.authorization.scopes).toEqual(['profile', 'photos:read', 'photos:write']);
    });

    test('Enter in the form of the consent page does not allow', async () => {
      await page.goto(await newRequest());
      await submitLogin(page);
      await page.locator('input[value="photos:read"]').focus();
      await page.keyboard.press('Enter');
      expect((await landed()).get('error')).toBe('access_denied');
    });

    test('Back leads to the consent page, not to a used login or an error', async () => {
      await page.goto(await newRequest());
      await submitLogin(page);
      await page.locator('#consent-form').waitFor();
      await page.goBack();
      expect(await page.locator('#consent-form').isVisible()).toBe(true);
      await page.click('#consent-deny');
      await landed();
      await page.goBack();
      await page.click('#consent-allow');
      expect((await landed()).get('code')).toMatch(/./);
    });

    test('reload, Back and a double click after the decision send no form twice', async () => {
      await page.goto(await newRequest('Twice', { prompt: 'consent' }));
      await submitLogin(page);
      const forms: string[] = [];
      page.on('request', (request) => void (request.method() === 'POST' && forms.push(request.url())));
      await page.locator('#consent-allow').waitFor();
      await page.click('#consent-allow', { clickCount: 2 });
      const first = (await landed()).get('code');
      expect(first).toMatch(/./);
      const sent = forms.length;
      await page.reload();
      expect((await landed()).get('code')).toBe(first);
      await page.goBack();
      await page.locator('#consent-form').waitFor();
      await page.reload();
      await page.locator('#consent-form').waitFor();
      expect(forms).toHaveLength(sent);
      await page.click('#consent-deny');
      expect((await landed()).get('error')).toBe('access_denied');
    });

    // behaviour without our scripts
    if (!javaScriptEnabled) {
      test('two tabs with two requests end at their clients', async () => {
        const other = await context.newPage();
        await page.goto(await newRequest('First'));
        await other.goto(await newRequest('Second'));
        await submitLogin(other);
        await other.click('#consent-allow');
        expect((await landed(other)).get('state')).toBe('Second');
        await submitLogin(page);
        expect(await page.getByRole('alert').innerText()).toContain('already logged in as Ada Lovelace');
        await page.click('#login-continue');
        expect(await page.locator('h1').innerText()).toContain('First');
        await page.click('#consent-allow');
        expect((await landed()).get('state')).toBe('First');
      });

      test('a session that ends on the consent page leads through the login back to that page', async () => {
        await page.goto(await newRequest('Patient'));
        await submitLogin(page);
        await page.locator('#consent-form').waitFor();
        await context.clearCookies();
        await page.click('#consent-allow');
        await submitLogin(page);
        expect(await page.locator('h1').innerText()).toContain('Patient');
        await page.click('#consent-allow');
        expect((await landed()).get('state')).toBe('Patient');
      });

      test('a login whose session has ended says so, and the second try leads to the client', async () => {
        await page.goto(await newRequest('Patient'));
        await context.clearCookies();
        await submitLogin(page);
        expect(await page.getByRole('alert').innerText()).toContain('open for too long');
        await submitLogin(page);
        await page.click('#consent-allow');
        expect((await landed()).get('state')).toBe('Patient');
      });

      test('"not you?" leads to the login and back to the same request as another user', async () => {
        await page.goto(await newRequest('Switch'));
        await submitLogin(page);
        await page.click('#account-switch');
        await submitLogin(page, OTHER_PERSON);
        expect(await page.locator('main').innerText()).toContain('Grace Hopper');
        await page.click('#consent-allow');
        expect((await landed()).get('state')).toBe('Switch');
      });

      test('prompt=select_account and prompt=login show their pages and then continue', async () => {
        await page.goto(await newRequest());
        await submitLogin(page);
        await page.goto(await newRequest('Choose', { prompt: 'select_account' }));
        await page.click('#account-continue');
        await page.click('#consent-allow');
        expect((await landed()).get('state')).toBe('Choose');
        await page.goto(await newRequest('Again', { prompt: 'login', login_hint: 'grace' }));
        await page.click('#account-switch');
        expect(await page.inputValue('#username')).toBe('grace');
        await submitLogin(page, OTHER_PERSON);
        await page.click('#consent-allow');
        expect((await landed()).get('state')).toBe('Again');
      });
    }

    test(`the password ${javaScriptEnabled ? 'can be shown, and is hidden again when it is sent' : 'has no button to show it'}`, async () => {
      await page.goto(`${site.url}/login`);
      const [field, toggle] = [page.locator('#password'), page.locator('#password-toggle')];
      expect(await toggle.isVisible()).toBe(javaScriptEnabled);
      if (!javaScriptEnabled) return;
      await field.fill('my password');
      await toggle.click();
      expect([await field.getAttribute('type'), await toggle.innerText()]).toEqual(['text', 'Hide password']);
      expect(await field.inputValue()).toBe('my password');
      await toggle.click();
      expect([await field.getAttribute('type'), await toggle.innerText()]).toEqual([
        'password',
        'Show password',
      ]);
      await toggle.click();
      await page.fill('#username', 'ada');
      let sentAs = '';
      await page.exposeFunction('notify', (type: string) => void (sentAs = type));
      await field.evaluate((element) => {
        const { form } = element as unknown as {
          form: { addEventListener: (name: string, listener: () => void) => void };
        };
        form.addEventListener(
          'submit',
          () =>
            void (globalThis as unknown as { notify: (type: unknown) => void }).notify(
              (element as unknown as { type: string }).type,
            ),
        );
      });
      await page.click('#login-submit');
      await page.getByRole('alert').waitFor();
      expect(sentAs).toBe('password');
    });

    if (javaScriptEnabled) {
      test('a host’s script on the login page can use a passkey', async () => {
        const debuggerOf = await context.newCDPSession(page);
        await debuggerOf.send('WebAuthn.enable');
        await debuggerOf.send('WebAuthn.addVirtualAuthenticator', {
          options: {
            protocol: 'ctap2',
            transport: 'internal',
            hasResidentKey: true,
            hasUserVerification: true,
            isUserVerified: true,
          },
        });
        await page.goto(`${site.url}/login`);
        const { result } = await debuggerOf.send('Runtime.evaluate', {
          awaitPromise: true,
          returnByValue: true,
          expression: `(async () => {
            const challenge = new Uint8Array(32);
            const made = await navigator.credentials.create({ publicKey: { challenge, rp: { name: 'x' }, user: { id: new Uint8Array(8), name: 'ada', displayName: 'Ada' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } });
            const used = await navigator.credentials.get({ publicKey: { challenge, allowCredentials: [{ type: 'public-key', id: made.rawId }] } });
            const asked = await fetch('/');
            return [used.type, asked.status];
          })()`,
        });
        expect(result.value).toEqual(['public-key', 200]);
      });
    }
  });
});
