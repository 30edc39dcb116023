import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { expect, test } from '@jest/globals';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { openPagesSite, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

const entry = createRequire(join(process.cwd(), 'package.json')).resolve('oidc-client-ts');
const LIBRARY = readFileSync(join(dirname(entry), '../browser/oidc-client-ts.min.js'));

/** An application without a server, at another origin: a page and the library. */
const openApplication = () =>
  openServer((req, res) => {
    const isLibrary = req.url === '/oidc-client-ts.js';
    res.setHeader('Content-Type', isLibrary ? 'text/javascript' : 'text/html');
    res.end(isLibrary ? LIBRARY : '<title>app</title><script src="/oidc-client-ts.js"></script>');
  });

describeInChromium('oidc-client-ts in Chromium', () => {
  const site = fixture(() =>
    openPagesSite({
      openid: { claims: (id) => ({ name: `Person ${id}`, preferred_username: 'ada' }) },
      signingKeys: { encryptionSecret: 'of this test, with its 32 characters' },
    }),
  );
  const browser = fixture(launchChromium);
  const application = fixture(openApplication);

  test('oidc-client-ts signs a person in by discovery, reads userinfo, refreshes and logs out', async () => {
    const { clientId } = await site.oauth.clients.create({
      name: 'Single page',
      type: 'public',
      redirectUris: [`${application.url}/callback`],
      postLogoutRedirectUris: [`${application.url}/after`],
      scopes: ['openid', 'profile', 'photos:read'],
    });
    const manager = `new oidc.UserManager(${JSON.stringify({
      authority: site.url,
      client_id: clientId,
      redirect_uri: `${application.url}/callback`,
      post_logout_redirect_uri: `${application.url}/after`,
      scope: 'openid profile',
      loadUserInfo: true,
      automaticSilentRenew: false,
    })})`;
    const page = await (await browser.newContext()).newPage();
    await page.goto(application.url);
    await page.evaluate(`void ${manager}.signinRedirect()`);
    await page.locator('#login-submit').waitFor();
    await submitLogin(page);
    await page.click('#consent-allow');
    await page.waitForURL(`${application.url}/callback**`);
    await page.waitForLoadState();

    const user = await page.evaluate(`${manager}.signinCallback().then(
      ({ profile: { sub, name }, access_token, refresh_token, scope }) =>
        ({ sub, name, access_token, hasRefresh: Boolean(refresh_token), scope }))`);
    expect(user).toMatchObject({
      name: expect.stringMatching(/^Person /),
      hasRefresh: true,
      scope: 'openid profile',
    });
    const { sub, access_token: first } = user as { sub: string; access_token: string };
    const renewed = await page.evaluate(
      `${manager}.signinSilent().then(({ profile, access_token }) => ({ sub: profile.sub, access_token }))`,
    );
    expect(renewed).toMatchObject({ sub });
    expect((renewed as { access_token: string }).access_token).not.toBe(first);
    // the same response again: the state is gone, and nobody is signed in by it
    await expect(page.evaluate(`${manager}.signinCallback()`)).rejects.toThrow('No matching state');

    await page.evaluate(`void ${manager}.signoutRedirect({ state: 'bye' })`);
    await page.click('button[value=yes]');
    await page.waitForURL(`${application.url}/after**`);
    await page.waitForLoadState();
    expect(await page.evaluate(`${manager}.signoutCallback().then(({ userState }) => userState)`)).toBe(
      'bye',
    );
    await page.goto(`${site.url}/oauth/authorizations`);
    await page.locator('#login-submit').waitFor();
  });
});
