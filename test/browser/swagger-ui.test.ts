import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import cors from 'cors';
import express, { type Express } from 'express';

import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { openPagesSite, type PagesSite, PERSON } from '../support/pages-site.js';

jest.setTimeout(120_000);

const DISTRIBUTION = join(process.cwd(), 'node_modules/swagger-ui-dist');

/** As the page of Swagger UI's own distribution starts it. */
const START = `window.onload = () => {
  const ui = SwaggerUIBundle({ url: DOCUMENT, dom_id: '#swagger-ui', oauth2RedirectUrl: location.origin + '/docs/oauth2-redirect.html' });
  ui.initOAuth({ clientId: 'api-docs', scopes: ['photos:read'], usePkceWithAuthorizationCodeGrant: true });
};`;

/** Swagger UI at `/docs`, for the document at an address. */
function mountSwaggerUi(app: Express, documentUrl: () => string): void {
  app.get('/docs/swagger-initializer.js', (_req, res) => {
    res.type('js').send(`const DOCUMENT = ${JSON.stringify(documentUrl())};\n${START}`);
  });
  app.use('/docs', express.static(DISTRIBUTION));
}

describeInChromium('Swagger UI, with the document of a site', () => {
  let site: PagesSite;
  let browser: TestBrowser;
  /** Another origin, with Swagger UI alone. */
  const other = createServer();

  beforeAll(async () => {
    const before = (app: Express) => {
      // the server is made after the app
      const guardOf = () => site.oauth.guard('photos:read');
      mountSwaggerUi(app, () => `${site.url}/openapi.json`);
      app.use(['/openapi.json', '/api/photos'], cors());
      app.get('/openapi.json', (_req, res) => {
        const { security, responses } = guardOf().openapi;
        const photos = {
          operationId: 'photos',
          security,
          responses: { ...responses, 200: { description: 'Your photos' } },
        };
        res.json({
          openapi: '3.1.0',
          info: { title: 'Photos', version: '1' },
          servers: [{ url: site.url }],
          paths: { '/api/photos': { get: photos } },
          components: site.oauth.openapi(),
        });
      });
      app.get(
        '/api/photos',
        (req, res, next) => void guardOf()(req, res, next),
        (_req, res) => void res.json(['sunset.jpg']),
      );
    };
    [site, browser] = await Promise.all([openPagesSite({ before }), launchChromium()]);
    const app = express();
    mountSwaggerUi(app, () => `${site.url}/openapi.json`);
    other.on('request', app);
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    await site.oauth.clients.create({
      clientId: 'api-docs',
      type: 'public',
      name: 'API documentation',
      redirectUris: [site.url, originOf()].map((origin) => `${origin}/docs/oauth2-redirect.html`),
    });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    other.close();
  });

  const originOf = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

  it.each([
    ['the site itself', () => site.url],
    ['another origin', originOf],
  ])('authorizes and calls the API, at %s', async (_place, origin) => {
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    await page.goto(`${origin()}/docs/`);
    await page.click('.auth-wrapper .authorize');
    // the scopes are described in the site's words
    expect(await page.textContent('.auth-container .scopes')).toContain('See your photos');
    expect(await page.inputValue('.auth-container input[data-name="clientId"]')).toBe('api-docs');
    const opened = context.waitForEvent('page');
    await page.click('.auth-container:has(input[data-name="clientId"]) .modal-btn.authorize');
    const popup = await opened;
    await popup.fill('#username', PERSON.username);
    await popup.fill('#password', PERSON.password);
    await popup.click('#login-submit');
    await popup.click('#consent-allow');
    await page.waitForSelector('.auth-container .modal-btn:has-text("Logout")');
    await page.click('.auth-container .btn-done');
    await page.click('#operations-default-photos button.opblock-summary-control');
    await page.click('#operations-default-photos .try-out__btn');
    await page.click('#operations-default-photos .execute');
    await page.waitForSelector('#operations-default-photos .live-responses-table .response');
    const answer = await page.textContent('#operations-default-photos .live-responses-table .response');
    expect(answer).toContain('200');
    expect(answer).toContain('sunset.jpg');
    await context.close();
  });
});
