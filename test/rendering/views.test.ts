import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { OAuthError } from '../../lib/index.js';
import { openFolder } from '../support/folder.js';
import { closePagesApps, type PagesApp, startPagesApp } from '../support/pages-app.js';
import { codeQuery, hiddenFields, pendingRequestOf, tickedScopes } from '../support/person.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

let ada: Agent;
/** The error of the next applications page. */
let fault: OAuthError | undefined;
const app = fixture(() =>
  startPagesApp({
    applications: {
      isDeveloper() {
        if (fault !== undefined) throw fault;
        return true;
      },
    },
  }),
);

beforeAll(async () => {
  ada = await app.personOf('ada');
});
afterAll(closePagesApps);

async function openConsent({ clients }: PagesApp, agent: Agent, client = {}, query = {}) {
  const redirectUris = ['https://print.example/callback'];
  const { clientId } = await clients.create({ name: 'Printing shop', redirectUris, ...client });
  return agent.get('/oauth/authorize').query(codeQuery(clientId, query)).set('If-None-Match', '*');
}

it.each(['the login page', 'the consent page'])(
  '%s is sent whole, without an ETag, because no page may be stored',
  async (name) => {
    const page =
      name === 'the login page'
        ? await app.agent().get('/login').set('If-None-Match', '*')
        : await openConsent(app, ada);
    expect(page.status).toBe(200);
    expect(page.headers).not.toHaveProperty('etag');
    expect(page.headers['content-length']).toBe(String(Buffer.byteLength(page.text)));
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.text.trimEnd().endsWith('</html>')).toBe(true);
  },
);

describe('the view of the consent page', () => {
  it('the consent page shows the client, the scopes, the user and the redirect’s host', async () => {
    const page = await openConsent(app, ada, {}, { state: '"x"' });
    expect(page.text).toContain('<bdi>Printing shop</bdi> wants to access your account');
    expect(page.text).toContain('<strong><bdi>Ada</bdi></strong>');
    expect(page.text).toContain('<strong><bdi>print.example</bdi></strong>');
    expect(page.text).toContain('Add and delete photos');
    expect(tickedScopes(page)).toEqual(['photos:read', 'photos:write']);
    expect(hiddenFields(page)).toEqual({
      csrf_token: expect.any(String),
      shown: expect.any(String),
      authorization_request: expect.stringMatching(/^[\w-]+$/),
    });
    expect(new URLSearchParams(pendingRequestOf(page)).get('state')).toBe('"x"');
    expect(page.text).toContain('action="/oauth/authorize"');
    for (const id of ['consent-form', 'consent-allow', 'consent-deny'])
      expect(page.text).toContain(`id="${id}"`);
  });

  it('the consent page says that an application without scopes learns the identity', async () => {
    const page = await openConsent(app, ada, { scopes: [] });
    expect(page.text).toContain('learns only who you are');
  });

  it('the form of the consent page may lead only to the client', async () => {
    const redirectUri = 'http://127.0.0.1:5000/cb';
    const { headers } = await openConsent(
      app,
      ada,
      { redirectUris: [redirectUri] },
      { redirect_uri: redirectUri },
    );
    expect(headers['content-security-policy']).toContain(
      "form-action 'self' http://localhost:* http://127.0.0.1:* https:",
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('the view of the error page', () => {
  it.each([
    ['invalid_client', 'We do not know this app', 400],
    ['invalid_request', 'This form could not be read', 400],
    ['unauthorized_client', 'The request of this app is invalid', 400],
    ['invalid_scope', 'The request of this app is invalid', 400],
    ['unsupported_response_type', 'The request of this app is invalid', 400],
    ['access_denied', 'That is not possible', 403],
    ['server_error', 'Something went wrong here', 500],
    ['temporarily_unavailable', 'Please try again in a moment', 503],
    ['toString', 'This form could not be read', 400],
    ['<script>', 'This form could not be read', 400],
  ])('the error page explains %s in plain words', async (code, title, status) => {
    const isKnown = /^[a-z_]+$/.test(code);
    fault = new OAuthError(code, '<script>for developers', isKnown ? {} : { status });
    const { text } = await ada.get('/oauth/applications').expect(status);
    fault = undefined;
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toMatch(/Request number: <code>[\w-]{36}<\/code>/);
    expect(text).toMatch(/<details[^>]*>[^]*for developers[^]*<\/details>|access_denied/);
    expect(text).not.toContain('<script>');
  });

  it('the error page says that an invalid authorization request is the app’s fault', async () => {
    const { status, text } = await openConsent(app, ada, {}, { redirect_uri: 'https://evil.example/' });
    expect([status, text.includes('<h1>The request of this app is invalid</h1>')]).toEqual([400, true]);
  });
});

describe('views of a host', () => {
  const folder = fixture(() =>
    openFolder({
      'consent.ejs':
        '<%- include("partials/top", { title, layout: "narrow", nav: "" }) %><p id="own"><%= clientName %> for <%= userName %></p></main>',
      'style.css': 'body { color: rebeccapurple }',
    }),
  );

  it('a host’s view replaces that of the package by name and can include its partials', async () => {
    const own = await startPagesApp({ pages: { views: folder.path } });
    const person = await own.personOf('ada');
    const { text, headers } = await openConsent(own, person, { name: '<b>' });
    expect(text).toContain('<p id="own">&lt;b&gt; for Ada</p>');
    expect(text).toContain('<html lang="en" dir="ltr">');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect((await person.get('/oauth/applications')).text).toContain('No applications yet');
  });

  it('a host’s style.css replaces the stylesheet', async () => {
    const own = await startPagesApp({ pages: { views: folder.path } });
    const person = await own.personOf('ada');
    const [, href = ''] =
      /href="(\/oauth\/style-[0-9a-f]{16}\.css)"/.exec((await person.get('/oauth/applications')).text) ?? [];
    expect((await person.get(href)).text).toBe('body { color: rebeccapurple }');
    expect((await ada.get('/oauth/applications')).text).not.toContain(href);
  });
});

describe('the stylesheet of the pages', () => {
  it('the stylesheet is cached for a year under a name that changes with its content', async () => {
    const [, href = ''] =
      /href="(\/oauth\/style-[0-9a-f]{16}\.css)"/.exec((await ada.get('/oauth/applications')).text) ?? [];
    const { headers } = await app.agent().get(href).expect(200);
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
    await app.agent().get('/oauth/style-0000000000000000.css').expect(404);
  });

  it('the stylesheet is compressed for browsers that accept it, with Vary', async () => {
    const [, href = ''] =
      /href="(\/oauth\/style-\w+\.css)"/.exec((await ada.get('/oauth/applications')).text) ?? [];
    const get = (encodings: string) => app.agent().get(href).set('Accept-Encoding', encodings);
    const plain = await get('identity');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers.vary).toContain('Accept-Encoding');
    for (const encoding of ['gzip', 'br']) {
      const { headers, text } = await get(encoding);
      expect([headers['content-encoding'], headers['content-type']]).toEqual([
        encoding,
        'text/css; charset=utf-8',
      ]);
      expect(Number(headers['content-length'])).toBeLessThan(plain.text.length / 3);
      expect(headers.vary).toContain('Accept-Encoding');
      if (encoding === 'gzip') expect(text).toBe(plain.text);
    }
    expect((await get('br;q=0, gzip;q=0.5')).headers['content-encoding']).toBe('gzip');
  });
});

describe('the icon of the pages', () => {
  it('the icon is the first letter of the site without a logo', async () => {
    const page = await ada.get('/oauth/applications');
    const [, href = ''] = /<link rel="icon" href="(\/oauth\/icon-\w+\.svg)">/.exec(page.text) ?? [];
    const { headers, body } = await app.agent().get(href).expect(200);
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    expect(String(body)).toContain('>P</text>');
  });
});
