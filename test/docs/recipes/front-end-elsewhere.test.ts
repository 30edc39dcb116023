import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';

import { describeInChromium, launchChromium, type TestBrowser } from '../../support/chromium.js';
import { fileText, root } from '../blocks.js';
import { PERSON, registerClient } from './actions.js';
import { openRecipe, type RunningRecipe } from './recipe.js';

/** The bundled app, with a page that uses it. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: fileText('front-end.js'), resolveDir: root, sourcefile: join(root, 'front-end.js') },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'app',
    platform: 'browser',
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}

describeInChromium('docs/recipes: front-end-elsewhere', () => {
  let recipe: RunningRecipe;
  let browser: TestBrowser;
  let server: Server;
  let origin: string;
  let clientId: string;

  beforeAll(async () => {
    const script = await bundle();
    server = createServer((req, res) => {
      res.setHeader('Content-Type', req.url === '/app.js' ? 'text/javascript' : 'text/html');
      res.end(
        req.url === '/app.js' ? script : '<!doctype html><title>app</title><script src="/app.js"></script>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    [recipe, browser] = await Promise.all([
      openRecipe('front-end-elsewhere', { environment: () => ({ FRONT_END: origin }) }),
      launchChromium(),
    ]);
    const flags = ['--type', 'public', '--redirect-uri', `${origin}/`];
    ({ clientId } = await registerClient(recipe.database, flags));
  });
  afterAll(async () => {
    await browser?.close();
    await recipe?.close();
    server?.close();
  });

  test('front-end-elsewhere: the app signs a person in, calls the API, refreshes and signs out', async () => {
    const page = await (await browser.newContext({ locale: 'en' })).newPage();
    const given = JSON.stringify([recipe.issuer, clientId, 'photos:read']).slice(1, -1);
    const photos = `app.call(${JSON.stringify(`${recipe.issuer}/api/photos`)})`;
    const isBack = (url: URL) => url.origin === origin && url.searchParams.has('code');
    await page.goto(origin);
    await page.evaluate(`app.signIn(${given})`).catch(() => undefined); // the window navigates away
    await page.fill('#username', PERSON.username);
    await page.fill('#password', PERSON.password);
    await page.click('#login-submit');
    await page.click('#consent-allow');
    await page.waitForURL(isBack);
    expect(await page.evaluate(`app.signIn(${given})`)).toBe(true);
    expect(page.url()).toBe(`${origin}/`);
    expect(await page.evaluate(`${photos}.then((answer) => answer.json())`)).toEqual({
      photosOf: expect.any(String),
    });

    // after a reload nobody logs in again; on loopback the consent page appears each time
    await page.reload();
    await page.evaluate(`app.signIn(${given})`).catch(() => undefined);
    await page.click('#consent-allow');
    await page.waitForURL(isBack);
    expect(await page.evaluate(`app.signIn(${given})`)).toBe(true);

    const refuse = { status: 401, headers: { 'Access-Control-Allow-Origin': origin } };
    await page.route('**/api/photos', (route) => route.fulfill(refuse), { times: 2 });
    const renewed = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/oauth/token'),
    );
    // a second use of the refresh token would end the grant
    expect(
      await page.evaluate(
        `Promise.all([${photos}, ${photos}]).then((all) => all.map(({ status }) => status))`,
      ),
    ).toEqual([200, 200]);
    const { access_token: token } = (await (await renewed).json()) as { access_token: string };
    expect(await recipe.get('/api/photos', token)).toMatchObject({ status: 200 });

    await page.evaluate('app.signOut()');
    expect(await recipe.get('/api/photos', token)).toMatchObject({ status: 401 });
  });

  test('front-end-elsewhere: only the app’s origin reads the API’s challenge', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    const ask = `fetch(${JSON.stringify(`${recipe.issuer}/api/photos`)}, { headers: { Authorization: 'Bearer x' } })
      .then((answer) => [answer.status, answer.headers.get('WWW-Authenticate')], () => 'blocked')`;
    expect(await page.evaluate(ask)).toEqual([401, expect.stringMatching(/^Bearer /)]);
    await page.goto(origin.replace('127.0.0.1', 'localhost'));
    expect(await page.evaluate(ask)).toBe('blocked');
  });
});
