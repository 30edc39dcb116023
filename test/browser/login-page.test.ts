import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import helmet from 'helmet';
import type { Page } from 'playwright-core';

import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { openSite, type Site } from '../support/site.js';

const LOGIN =
  '<!doctype html><title>Login</title><form method="post" action="/session"><input name="username"><input name="password" type="password"><button id="in">Log in</button></form>';

describeInChromium('a login page of a site with helmet, whose forms may lead to itself alone', () => {
  let site: Site;
  let client: Server;
  let browser: TestBrowser;
  let callback: string;

  beforeAll(async () => {
    const app = express().get('/callback', (_req, res) => void res.send('<p id="back">at the client</p>'));
    client = createServer(app);
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
    // to a browser another site than 127.0.0.1
    callback = `http://localhost:${(client.address() as AddressInfo).port}/callback`;
    [site, browser] = await Promise.all([
      openSite({
        mountLogin(host, passport) {
          host.use(helmet({ strictTransportSecurity: false }));
          host.get('/login', (req, res, next) =>
            req.query.plain === undefined ? site.oauth.loginPage(req, res, next) : next(),
          );
          host.get('/login', (_req, res) => void res.send(LOGIN));
          host.post(
            '/session',
            express.urlencoded({ extended: false }),
            passport.authenticate('local', { successRedirect: '/home', failureRedirect: '/login' }),
          );
        },
      }),
      launchChromium(),
    ]);
    site.app.get('/home', (_req, res) => void res.send('<p id="home">at home</p>'));
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    client?.close();
  });

  async function logIn(page: Page): Promise<void> {
    await page.fill('[name=username]', 'ada');
    await page.fill('[name=password]', 'password of ada');
    await page.click('#in', { noWaitAfter: true });
  }

  test('a returning person logs in by the site’s own form and is at the client; without the middleware it seems to do nothing', async () => {
    const { clientId } = await site.client({ redirectUris: [callback] });
    const query = {
      response_type: 'code',
      client_id: clientId,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    };
    const request = `${site.url}/oauth/authorize?${new URLSearchParams(query).toString()}`;
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    await page.goto(request);
    await logIn(page);
    await page.click('#consent-allow');
    await page.locator('#back').waitFor();

    await context.clearCookies({ name: 'site.sid' });
    await page.goto(request);
    await page.goto(`${page.url()}&plain`);
    const [refused] = await Promise.all([
      page.waitForEvent('console', (message) => message.text().includes('form-action')),
      logIn(page),
    ]);
    expect(refused.text()).toContain("form-action 'self'");
    expect(await page.locator('#back').count()).toBe(0);

    await context.clearCookies({ name: 'site.sid' });
    await page.goto(request);
    await logIn(page);
    await page.locator('#back').waitFor();
    expect(page.url().startsWith(`${callback}?`)).toBe(true);
    await context.close();
  });
});
