import { beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import helmet from 'helmet';
import type { Page } from 'playwright-core';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { requestOf } from '../support/pages-site.js';
import { openSite } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

const LOGIN =
  '<!doctype html><title>Login</title><form method="post" action="/session"><input name="username"><input name="password" type="password"><button id="in">Log in</button></form>';

describeInChromium("a login page of a site with helmet and form-action 'self'", () => {
  const site = fixture(() =>
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
  );
  const client = fixture(() =>
    openServer(express().get('/callback', (_req, res) => void res.send('<p id="back">at the client</p>'))),
  );
  const browser = fixture(launchChromium);
  let callback: string;

  beforeAll(() => {
    callback = `${client.localhost}/callback`;
    site.app.get('/home', (_req, res) => void res.send('<p id="home">at home</p>'));
  });
  async function logIn(page: Page): Promise<void> {
    await page.fill('[name=username]', 'ada');
    await page.fill('[name=password]', 'password of ada');
    await page.click('#in', { noWaitAfter: true });
  }

  test('the login form leads to the client with oauth.loginPage, and is blocked without it', async () => {
    const { clientId } = await site.client({ redirectUris: [callback] });
    const request = requestOf(site, clientId, createPkce().challenge);
    await using context = await browser.newContext({ locale: 'en' });
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
  });
});
