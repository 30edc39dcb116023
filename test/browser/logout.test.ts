import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openPagesSite, PERSON, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

const { code_verifier, challenge } = createPkce();

describeInChromium('pages of logout in Chromium', () => {
  const site = fixture(() =>
    openPagesSite({
      openid: { claims: () => ({ name: PERSON.name }) },
      signingKeys: { encryptionSecret: 'a secret of the test site, 32 characters at least' },
    }),
  );
  const browser = fixture(launchChromium);
  let clientId: string;

  beforeAll(async () => {
    ({ clientId } = await site.client({
      type: 'public',
      postLogoutRedirectUris: [site.callback],
      backchannelLogoutUri: `${site.url}/told`,
      frontchannelLogoutUri: site.callback,
      initiateLoginUri: 'https://inkwell.example/login',
      verified: true,
    }));
  });

  async function signIn(locale: string): Promise<Page> {
    const context = await browser.newContext({ baseURL: site.url, locale });
    const page = await context.newPage();
    await page.goto('/login');
    await submitLogin(page);
    await page.goto(requestOf(site, clientId, { scope: 'openid photos:read', ...challenge }));
    await page.click('button[value=allow]');
    await page.waitForURL(`${site.callback}?**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier };
    expect((await context.request.post('/oauth/token', { form })).status()).toBe(200);
    return page;
  }

  const logout = (more: Record<string, string> = {}) =>
    `/oauth/end_session?${new URLSearchParams({ client_id: clientId, ...more }).toString()}`;

  test.each(['en', 'ar'])('the page of an app lists sign-ins and ends them (%s)', async (locale) => {
    const page = await signIn(locale);
    await page.goto(`/oauth/authorizations/${clientId}`);
    expect(await page.locator('#signed-in time').count()).toBeGreaterThan(0);
    await expectGoodPage(page, `signed-in-app-${locale}`);
    await page.click('#sign-out-button');
    await page.waitForURL('**/oauth/authorizations');
    await page.goto(`/oauth/authorizations/${clientId}`);
    expect(await page.locator('#signed-in').count()).toBe(0);
  });

  test('the logout of a client without frames redirects by a GET of this site', async () => {
    const { clientId: plain } = await site.client({
      type: 'public',
      postLogoutRedirectUris: [site.callback],
    });
    await using context = await browser.newContext({ baseURL: site.url });
    const page = await context.newPage();
    await page.goto('/login');
    await submitLogin(page);
    const query = { client_id: plain, post_logout_redirect_uri: site.callback, state: 'back' };
    await page.goto(logout(query));
    const hops: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.request().isNavigationRequest())
        hops.push(`${response.request().method()} ${pathname} ${response.status()}`);
    });
    await page.click('button[value=yes]');
    await page.waitForURL(`${site.callback}?state=back`);
    expect(hops).toEqual([
      'POST /oauth/end_session 303',
      'GET /oauth/end_session 302',
      `GET ${new URL(site.callback).pathname} 200`,
    ]);
    await page.goBack();
    await page.waitForSelector('#end-session-done');
  });

  test.each(['en', 'ar'])('the logout page of a client says where it leads (%s)', async (locale) => {
    const page = await signIn(locale);
    await page.goto(logout({ post_logout_redirect_uri: site.callback, state: 's' }));
    await expectGoodPage(page, `end-session-${locale}`);
    // the client's page is loaded in a frame, and then the page redirects by itself
    await page.click('button[value=yes]');
    await page.waitForSelector('#end-session-back');
    expect(await page.locator('iframe').count()).toBe(1);
    await page.waitForURL(`${site.callback}?state=s`);
    // Back and reload send no form twice, without a question of the browser
    await page.goBack();
    await page.waitForSelector('#end-session-done');
    await page.reload();
    expect(await page.locator('#end-session-done iframe').count()).toBe(0);
    await page.goto(logout());
    await expectGoodPage(page, `end-session-done-${locale}`);
    await page.goto(logout({ post_logout_redirect_uri: 'https://evil.example/' }));
    expect(await page.locator('a[href*="evil.example"]').count()).toBe(0);
    await expectGoodPage(page, `end-session-refused-${locale}`);
  });
});
