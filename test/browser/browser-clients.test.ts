import { beforeAll, expect, it } from '@jest/globals';
import cors from 'cors';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { openPagesSite, type PagesSite, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

/**
 * The flow of Swagger UI: it opens the authorization endpoint in a window, the page at the redirect URI passes the code
 * to the window that opened it, and that window redeems the code with PKCE and `X-Requested-With`.
 */
const CLIENT_PAGE = `<!doctype html><title>client</title><script>
const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=+$/, '');
window.logIn = async ({ issuer, clientId, headers }) => {
  const metadata = await (await fetch(issuer + '/.well-known/oauth-authorization-server', { headers: { 'MCP-Protocol-Version': '2026-07-28' } })).json();
  const verifier = encode(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = encode(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
  const redirectUri = location.origin + '/oauth2-redirect.html';
  const query = new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'photos:read', state: 'xyz', code_challenge: challenge, code_challenge_method: 'S256' });
  const answered = new Promise((resolve) => (window.swaggerUIRedirectOauth2 = resolve));
  window.open(metadata.authorization_endpoint + '?' + query);
  const answer = new URLSearchParams(await answered);
  const form = new URLSearchParams({ grant_type: 'authorization_code', code: answer.get('code'), client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier });
  const token = await (await fetch(metadata.token_endpoint, { method: 'POST', body: form, headers })).json();
  const photos = await fetch(issuer + '/api/photos', { headers: { ...headers, Authorization: 'Bearer ' + token.access_token } });
  return { state: answer.get('state'), type: token.token_type, scope: token.scope, status: photos.status };
};
</script>`;
const REDIRECT_PAGE = `<!doctype html><title>back</title><script>
window.opener.swaggerUIRedirectOauth2(location.search);
window.close();
</script>`;

describeInChromium('clients in Chromium, on another origin', () => {
  const browser = fixture(launchChromium);
  let clientId: string;

  const server = fixture(() =>
    openServer((req, res) => {
      res.setHeader('Content-Type', 'text/html');
      res.end(req.url?.startsWith('/oauth2-redirect.html') === true ? REDIRECT_PAGE : CLIENT_PAGE);
    }),
  );
  const site: PagesSite = fixture(() =>
    openPagesSite({
      before(app) {
        app.options('/api/photos', cors());
        app.get('/api/photos', cors(), (req, res, next) =>
          site.oauth.guard('photos:read')(req, res, (error?: unknown) =>
            error === undefined ? res.json([]) : next(error),
          ),
        );
      },
    }),
  );
  beforeAll(async () => {
    const redirectUris = [`${server.url}/oauth2-redirect.html`];
    ({ clientId } = await site.oauth.clients.create({ name: 'API explorer', type: 'public', redirectUris }));
  });
  it.each([
    ['Swagger UI', { 'X-Requested-With': 'XMLHttpRequest' }],
    [
      'a page with tracing',
      { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', baggage: 'a=b' },
    ],
    ['axios without a cache', { 'Cache-Control': 'no-cache', Pragma: 'no-cache' }],
  ])('%s logs a person in by a window with PKCE, and calls the API', async (_client, headers) => {
    await using context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    await page.goto(server.url);
    const opened = context.waitForEvent('page');
    const done = page.evaluate(
      (given) => (globalThis as never as { logIn: (given: object) => object }).logIn(given),
      {
        issuer: site.url,
        clientId,
        headers,
      },
    );
    const popup = await opened;
    await submitLogin(popup);
    await popup.click('#consent-allow');
    expect(await done).toEqual({ state: 'xyz', type: 'Bearer', scope: 'photos:read', status: 200 });
  });
});
