import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import cors from 'cors';
import express, { type Express } from 'express';
import type { BrowserContext, Page } from 'playwright-core';
import swaggerUi from 'swagger-ui-express';

import { blocks, root, shellBlock } from '../docs/blocks.js';
import { runPiece } from '../docs/pieces.js';
import { exampleInChromium } from '../interop/support/example-in-chromium.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { runCli } from '../support/cli.js';
import { openPagesSite, type PagesSite, PERSON, submitLogin } from '../support/pages-site.js';

/** As the page of Swagger UI's distribution starts it. */
const START = `window.onload = () => {
  const ui = SwaggerUIBundle({ url: DOCUMENT, dom_id: '#swagger-ui', oauth2RedirectUrl: location.origin + '/docs/oauth2-redirect.html' });
  ui.initOAuth({ clientId: 'api-docs', scopes: ['photos:read'], usePkceWithAuthorizationCodeGrant: true });
};`;
const PATH = '/docs/oauth2-redirect.html';

/** Presses "Authorize", logs in and allows in the new window, and comes back. */
async function authorize(
  { context, page }: { readonly context: BrowserContext; readonly page: Page },
  { username, password }: { readonly username: string; readonly password: string },
  scopes: readonly string[] = [],
): Promise<void> {
  await page.click('.auth-wrapper .authorize');
  const dialog = '.auth-container:has(input[data-name="clientId"])';
  // the descriptions of the scopes are the site's
  expect(await page.textContent(`${dialog} .scopes`)).toContain('See your photos');
  expect(await page.inputValue(`${dialog} input[data-name="clientId"]`)).toBe('api-docs');
  for (const scope of scopes) await page.locator(`${dialog} label[for*="${scope}"]`).first().click();
  const opened = context.waitForEvent('page');
  await page.click(`${dialog} .modal-btn.authorize`);
  const popup = await opened;
  await submitLogin(popup, { username, password });
  await popup.click('#consent-allow');
  await page.waitForSelector('.auth-container .modal-btn:has-text("Logout")');
  await page.click('.auth-container .btn-done');
}

async function execute(page: Page, operation: string): Promise<string> {
  await page.click(`${operation} button.opblock-summary-control`);
  await page.click(`${operation} .try-out__btn`);
  await page.click(`${operation} .execute`);
  await page.waitForSelector(`${operation} .live-responses-table .response`);
  return (await page.textContent(`${operation} .live-responses-table .response`)) ?? '';
}

describeInChromium('Swagger UI as in docs/openapi.md at a site for agents', () => {
  let site: PagesSite;
  let browser: TestBrowser;
  let folder: string;
  /** Another origin with only Swagger UI. */
  const other = createServer();

  beforeAll(async () => {
    let app: Express | undefined;
    const before = (given: Express) => {
      app = given;
      given.use(['/openapi.json', '/api/photos'], cors());
    };
    const resources = { 'https://photos.example/mcp': {} };
    await mkdir(join(root, 'test-artifacts'), { recursive: true });
    [site, browser, folder] = await Promise.all([
      openPagesSite({ before, agents: true, resources }),
      launchChromium(),
      mkdtemp(join(root, 'test-artifacts', 'openapi-')),
    ]);
    const options = { issuer: site.url };
    let known: Record<string, unknown> = { app, oauth: site.oauth, options, swaggerUi };
    const pieces = blocks.filter(
      ({ document, language }) => document === 'docs/openapi.md' && language === 'js',
    );
    for (const [index, { text }] of pieces.entries())
      known = await runPiece(join(folder, `${index}.mjs`), text, known);

    const elsewhere = express();
    elsewhere.get('/docs/swagger-initializer.js', (_req, res) => {
      res.type('js').send(`const DOCUMENT = ${JSON.stringify(`${site.url}/openapi.json`)};\n${START}`);
    });
    elsewhere.use('/docs', express.static(join(root, 'node_modules/swagger-ui-dist')));
    other.on('request', elsewhere);
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const [, command = ''] = /express-authorization-server (clients create --id api-docs.*)/.exec(
      shellBlock('--id api-docs'),
    )!;
    const { code, stderr } = await runCli(command.replaceAll('https://photos.example', site.url), {
      uri: site.database.uri,
      env: { ISSUER: site.url },
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    await site.oauth.clients.update('api-docs', {
      redirectUris: [`${site.url}${PATH}`, `${originOf()}${PATH}`],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    other.close();
    await rm(folder, { recursive: true });
  });

  const originOf = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

  it.each([
    // without a scope, so for all scopes of the client
    ['the site itself', () => site.url],
    // the initializer selects a scope
    ['another origin', originOf],
  ])('Swagger UI at %s authorizes and calls the API', async (_place, origin) => {
    await using context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    await page.goto(`${origin()}/docs/`);
    await authorize({ context, page }, PERSON);
    const answer = await execute(page, '.opblock-get');
    expect(answer).toContain('200');
    expect(answer).toContain('sunset.jpg');
  });
});

describeInChromium('Swagger UI of the example', () => {
  const { example, browser } = exampleInChromium();

  it('Swagger UI of the example authorizes, lists and adds photos under a policy', async () => {
    const document = (await (await fetch(`${example.issuer}/openapi.json`)).json()) as Record<
      string,
      unknown
    >;
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    const blocked: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) blocked.push(message.text());
    });
    await page.goto(`${example.issuer}/docs`);
    const person = { username: 'ada', password: 'correct-horse-battery' };
    await authorize({ context, page }, person, ['photos:write']);
    expect(await execute(page, '#operations-default-listPhotos')).toContain('The valley at noon');
    const added = await execute(page, '#operations-default-addPhoto');
    expect(added).toContain('201');
    expect(added).toContain('Mist over the lake');
    expect(blocked).toEqual([]);
  });
});
