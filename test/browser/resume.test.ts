import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import type { PassportStatic } from 'passport';
import type { Page } from 'playwright-core';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { requestOf } from '../support/pages-site.js';
import {} from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

/** A login that ignores the return parameter, and one at another site. */
function mountSiteLogin(app: Express, passport: PassportStatic): void {
  app.get('/login', (req, res) => {
    if (req.user) return res.redirect('/');
    res.send(
      '<!doctype html><title>Login</title><form method="post" action="/session"><input name="username"><input name="password" type="password"><button id="in">Log in</button></form><a id="social" href="/auth">By another site</a>',
    );
  });
  app.post(
    '/session',
    express.urlencoded({ extended: false }),
    passport.authenticate('local', { successRedirect: '/', failureRedirect: '/login' }),
  );
  app.get('/auth', (req, res) =>
    res.redirect(`${elsewhere}/provider?back=http://${req.headers.host}/auth/back`),
  );
  app.get('/auth/back', (req, res, next) =>
    req.logIn({ id: 'ada' }, (error) => (error ? next(error) : res.redirect('/'))),
  );
}

/** The origin of a client and of a login site: for a browser another site than 127.0.0.1. */
let elsewhere: string;

describeInChromium('the resumption of a request in Chromium', () => {
  const site = siteFor({ mountLogin: mountSiteLogin });
  const browser = fixture(launchChromium);
  let page: Page;
  let request: string;

  const other = fixture(() => {
    const app = express();
    app.get('/', (_req, res) =>
      res.send(`<!doctype html><title>Client</title><a id="go" href="${request}">Connect</a>`),
    );
    app.get('/callback', (_req, res) =>
      res.send('<!doctype html><title>Client</title><p id="back">back</p>'),
    );
    app.get('/provider', (req, res) =>
      res.send(
        `<!doctype html><title>Other</title><a id="yes" href="${req.query.back as string}">Yes, it is me</a>`,
      ),
    );
    return openServer(app);
  });
  beforeAll(() => {
    elsewhere = other.localhost;
    site.app.get('/', (_req, res) => res.send('<!doctype html><title>Home</title><p id="home">at home</p>'));
  });
  beforeEach(async () => {
    const { clientId } = await site.client({
      type: 'public',
      redirectUris: [`${elsewhere}/callback`],
    });
    request = requestOf(site, clientId, { state: 'of the client', ...createPkce().challenge });
    page = await (await browser.newContext({ locale: 'en' })).newPage();
    await page.goto(elsewhere);
    await page.click('#go');
  });

  async function logIn(password: string): Promise<void> {
    await page.fill('[name=username]', 'ada');
    await page.fill('[name=password]', password);
    await page.click('#in');
  }

  async function allow(): Promise<void> {
    await page.click('#consent-allow');
    await page.locator('#back').waitFor();
    const back = new URL(page.url());
    expect([back.origin, back.searchParams.get('state')]).toEqual([elsewhere, 'of the client']);
    expect(back.searchParams.get('code')).toMatch(/^eas_ac_/);
    await page.goto(site.url);
    await page.locator('#home').waitFor();
  }

  test('a request resumes after a mistyped password in a form that loses the return parameter', async () => {
    await logIn('wrong');
    await page.waitForURL(`${site.url}/login`);
    expect(await page.evaluate('document.cookie')).toBe('');
    await logIn('password of ada');
    await allow();
  });

  test('a request resumes after a login at another site', async () => {
    await page.click('#social');
    await page.click('#yes');
    await allow();
  });

  test('a denied request does not resume', async () => {
    await logIn('password of ada');
    await page.click('#consent-deny');
    await page.locator('#back').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(site.url);
    await page.locator('#home').waitFor();
  });
});
