import { describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import { carryText, peekCarriedText } from '../../lib/core/http/carried-text.js';
import {
  codeQuery,
  createPerson,
  formatQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  postForm,
  type Query,
} from '../support/person.js';
import { storedText } from '../support/right-requests.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const site = siteFor({ security: { rateLimits: false } });
const client = fixture(() => site.client());
const ada = fixture(() => logInPerson(site));
const grace = fixture(() => logInPerson(site, 'grace'));

const codeRequest = (more: Query = {}): Query => codeQuery(client, { state: 'xyz', ...more });

type Fields = Readonly<Record<string, unknown>>;

const decide = (person: Person, fields: Fields) => person.sendForm(fields);

async function consentForm(person: Person, query = codeRequest()): Promise<Record<string, string>> {
  const page = await person.openAuthorize(query);
  expect(page.status).toBe(200);
  return { ...hiddenFields(page), granted_scope: 'photos:read', decision: 'allow' };
}

function expectAnotherPrompt(response: Response): void {
  expect(response.status).toBe(403);
  expect(response.headers.location).toBeUndefined();
  expect(response.text).toContain('id="consent-form"');
  expect(response.text).toContain('nothing was decided');
}

describe('RFC 6749 §10.12 CSRF against the decision of a user', () => {
  test.each<[string, (form: Fields) => Fields]>([
    ['without a token', (form) => ({ ...form, csrf_token: undefined })],
    ['with an empty token', (form) => ({ ...form, csrf_token: '' })],
    ['with a forged token', (form) => ({ ...form, csrf_token: 'x'.repeat(64) })],
    ['with a truncated token', (form) => ({ ...form, csrf_token: String(form.csrf_token).slice(0, -1) })],
    ['with the right token twice', (form) => ({ ...form, csrf_token: [form.csrf_token, form.csrf_token] })],
    ['with the word undefined', (form) => ({ ...form, csrf_token: 'undefined' })],
  ])('%s a consent form decides nothing', async (_how, change) => {
    const form = await consentForm(ada);
    const before = await storedText(site);
    for (const decision of ['allow', 'deny'])
      expectAnotherPrompt(await decide(ada, { ...change(form), decision }));
    expect((await storedText(site)) === before).toBe(true);
  });

  test('each page has a different CSRF token, so its compressed length betrays none (BREACH)', async () => {
    const [first, second] = [await consentForm(ada), await consentForm(ada)];
    expect(first.csrf_token).not.toBe(second.csrf_token);
    const common = [...first.csrf_token!].filter(
      (character, index) => character === second.csrf_token![index],
    );
    // the part for the session is the same
    expect(common.length).toBeLessThan(60);
    expect((await decide(ada, { ...first, decision: 'deny' })).status).toBe(302);
  });

  test('a consent form with the CSRF token of another user decides nothing', async () => {
    const [hers, mine] = [await consentForm(grace), await consentForm(ada)];
    const before = await storedText(site);
    expectAnotherPrompt(await decide(ada, { ...mine, csrf_token: hers.csrf_token }));
    expect((await storedText(site)) === before).toBe(true);
  });

  test('a consent form with a CSRF token from before the last login decides nothing', async () => {
    const person = await logInPerson(site);
    const { csrf_token: old } = await consentForm(person);
    await person.agent.post('/logout');
    await person.logIn();
    expectAnotherPrompt(await decide(person, { ...(await consentForm(person)), csrf_token: old }));
  });

  test('a consent form from another site, without the cookie, leads to the login', async () => {
    const response = await postForm(request(site.server), '/oauth/authorize', await consentForm(ada));
    expect(response.status).toBe(303);
    expect(locationOf(response).pathname).toBe('/login');
  });

  test.each(['', 'yes', 'ALLOW', 'allow deny', ['allow', 'deny']])(
    'a consent form with the decision %j decides nothing',
    async (decision) => {
      const response = await decide(ada, { ...(await consentForm(ada)), decision });
      expect([response.status, response.headers.location]).toEqual([403, undefined]);
    },
  );

  test('a request that was changed in the form is checked as if it were new', async () => {
    const form = await consentForm(ada);
    const name = peekCarriedText(String(form.authorization_request)) ?? '';
    const changed = name.replace(
      encodeURIComponent(REDIRECT_URI),
      encodeURIComponent('https://evil.example/'),
    );
    expect(changed).not.toBe(name);
    const response = await decide(ada, { ...form, authorization_request: carryText(changed) });
    expect([response.status, response.headers.location]).toEqual([400, undefined]);
  });
});

describe('requests without a form', () => {
  test.each(['get', 'head'] as const)('%s with the whole form in the URL gives no code', async (method) => {
    const form = await consentForm(ada);
    const before = await storedText(site);
    for (const query of [{ ...codeRequest(), ...form }, form]) {
      const response = await ada.agent[method](`/oauth/authorize?${formatQuery(query)}`);
      expect(response.headers.location ?? '').not.toContain('code=');
    }
    expect((await storedText(site)) === before).toBe(true);
  });
});

describe('RFC 6749 §10.13 framing, caching and scripts', () => {
  const withoutOurScript = (text: string) =>
    text.replace(/<script src="\/oauth\/script-[0-9a-f]{16}\.js" defer><\/script>/, '');

  function expectClosed({ headers, text }: Response): void {
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).toContain("base-uri 'none'");
    // the only script is of this site, on the pages that need it
    expect(headers['content-security-policy']?.match(/script-src [^;]*/)?.[0] ?? "script-src 'self'").toBe(
      "script-src 'self'",
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(withoutOurScript(text)).not.toMatch(/<script|<[a-z][^>]*\s(on\w+|style)=|="javascript:/i);
  }

  test('the consent page cannot be framed, cached or made to run a script', async () => {
    expectClosed(await ada.openAuthorize(codeRequest({ client_id: (await site.client()).clientId })));
    expectClosed(await decide(ada, { ...(await consentForm(ada)), csrf_token: 'x' }));
  });

  test('an error page cannot be framed, cached or made to run a script', async () => {
    expectClosed(await ada.openAuthorize({ client_id: 'nobody' }));
    expectClosed(await ada.agent.put('/oauth/authorize'));
    expectClosed(await ada.agent.get('/oauth/applications/nothing'));
  });

  test('the pages of applications cannot be framed, cached or made to run a script', async () => {
    const own = await site.client({ ownerId: 'ada' });
    for (const path of ['', '/new', `/${own.clientId}`, `/${own.clientId}/edit`, `/${own.clientId}/delete`]) {
      const response = await ada.agent.get(`/oauth/applications${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expectClosed(response);
    }
  });

  test('markup of a client or an attacker is text on pages', async () => {
    const marked = await site.client({
      name: '<img src=x onerror=alert(1)>"\'`{{7331*71}}<%= 7331*71 %>',
      ownerId: 'ada',
    });
    const pages = [
      await ada.openAuthorize(
        codeRequest({ client_id: marked.clientId, state: '"><script>alert(1)</script>' }),
      ),
      await ada.openAuthorize({ client_id: '"><script>alert(1)</script>' }),
      await ada.openAuthorize(
        codeRequest({ redirect_uri: 'https://evil.example/"><script>alert(1)</script>' }),
      ),
      await ada.agent.get(`/oauth/applications/${marked.clientId}`),
      await ada.agent.get('/oauth/applications'),
      await ada.agent.get(`/oauth/applications/${marked.clientId}?note=<script>alert(1)</script>`),
    ];
    for (const page of pages) {
      expectClosed(page);
      expect(withoutOurScript(page.text)).not.toMatch(/<img|520501|<\/script/);
    }
  });
});

describe('session fixation and redirects', () => {
  test('RFC 9700 §4.12 a redirect is 302 after GET and 303 after POST, never 307', async () => {
    const anonymous = createPerson(site);
    const form = await consentForm(ada);
    const post = (person: Person, fields: Fields, path = '/oauth/authorize') =>
      postForm(person.agent, path, fields);
    const afterPost = [
      await post(ada, { ...form, decision: 'deny' }),
      await post(anonymous, codeRequest()),
      await post(ada, codeRequest({ scope: 'everything' })),
      await post(anonymous, {}, '/oauth/applications'),
      await post(ada, form),
    ];
    const afterGet = [
      await ada.agent.get(String(afterPost[4]?.headers.location)),
      await anonymous.openAuthorize(codeRequest()),
      await ada.openAuthorize(codeRequest({ scope: 'everything' })),
      await ada.openAuthorize(codeRequest({ scope: 'photos:read' })),
    ];
    expect(afterPost.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    // only to pages of this site: users go on to a client only by a GET
    for (const { headers } of afterPost) expect(headers.location).toMatch(/^\/(oauth|login)\b/);
    expect(afterGet.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
  });

  test('RFC 9700 §4.11 the redirect to the login is always a path on this site', async () => {
    const response = await createPerson(site).openAuthorize(
      codeRequest({ return_to: 'https://evil.example', state: '//evil.example' }),
    );
    expect(response.headers.location).toMatch(/^\/login\?return_to=%2Foauth%2Fauthorize%3F/);
    expect(
      new URL(String(response.headers.location), site.url).searchParams.getAll('return_to'),
    ).toHaveLength(1);
  });
});
