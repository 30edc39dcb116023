import { afterAll, describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { createLanguageSwitch } from '../../lib/pages/rendering/language-switch.js';
import { createLanguages } from '../../lib/pages/rendering/languages.js';
import { closePagesApps, startPagesApp } from '../support/pages-app.js';
import {
  codeQuery,
  createPerson,
  formatQuery,
  hiddenFields,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
} from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

const site = siteFor({ security: { rateLimits: false } });
const client = fixture(() => site.client());
afterAll(() => closePagesApps());

const languageOf = (text: string) => /<html lang="([^"]+)"/.exec(text)?.[1];
const actionOf = (text: string) =>
  /<form method="post" action="([^"]+\/language[^"]*)"/
    .exec(text)?.[1]
    ?.replaceAll('&amp;', '&')
    .replaceAll('&#34;', '"');
const request = (more: Readonly<Record<string, string>> = {}) => formatQuery(codeQuery(client, more));
const pick = (
  { agent }: Person,
  text: string,
  language: string,
  headers: Readonly<Record<string, string>> = {},
) => postForm(agent, actionOf(text) ?? '', { language }).set(headers);

const loggedIn = (name = 'ada'): Promise<Person> => logInPerson(site, name);

describe('the language that a person picks on a page', () => {
  it('a page offers languages by their names without a script and leads back to its request', async () => {
    const person = await loggedIn();
    const requested = request({ ui_locales: 'fr', state: 'a&b "c" %2F' });
    const page = await person.openAuthorize(requested);
    expect(languageOf(page.text)).toBe('fr');
    for (const name of ['English', 'Deutsch', 'Español', 'Français', '日本語', 'العربية'])
      expect(page.text).toContain(`<bdi>${name}</bdi></button>`);
    expect(page.text.match(/<button[^>]*aria-current="true"/g)).toEqual([
      expect.stringContaining('value="fr"'),
    ]);

    const answer = await pick(person, page.text, 'de');
    expect([answer.status, answer.headers.location]).toEqual([303, `/oauth/authorize?${requested}`]);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^oauth_language=de; Max-Age=34560000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const again = await person.agent.get(String(answer.headers.location)).expect(200);
    expect(languageOf(again.text)).toBe('de');
    // the request is unchanged, so that allowing it works
    const location = await person.choose(again);
    expect(new URL(String(location.headers.location)).searchParams.get('state')).toBe('a&b "c" %2F');
  });

  it('the chosen language precedes ui_locales and the browser’s, and survives a login', async () => {
    const bob = await loggedIn('bob');
    const displayed = await bob.agent.get('/oauth/authorizations').set('Accept-Language', 'es').expect(200);
    expect(languageOf(displayed.text)).toBe('es');
    await pick(bob, displayed.text, 'ar').expect(303);
    // the login renews the session
    await bob.logIn('bob');
    const list = await bob.agent
      .get('/oauth/authorizations?ui_locales=en')
      .set('Accept-Language', 'es')
      .expect(200);
    expect(list.text).toContain('<html lang="ar" dir="rtl">');
    expect(languageOf((await bob.openAuthorize(request({ ui_locales: 'ja' }))).text)).toBe('ar');
    const { text: error } = await bob.openAuthorize('client_id=nobody&ui_locales=ja');
    expect(error).toContain('<html lang="ar" dir="rtl">');
  });

  it('the error page of a refused request has no form for languages', async () => {
    const { status, text } = await (
      await loggedIn()
    ).openAuthorize(request({ redirect_uri: 'https://evil.example/' }));
    expect(status).toBe(400);
    expect(text).not.toContain('/oauth/language');
    expect(text).not.toContain('<form');
  });

  it.each([
    ['an unavailable language', { language: 'tlh' }, {}],
    ['an invalid language', { language: 'de; Path=/evil' }, {}],
    ['no language', {}, {}],
    ['a form of another site', { language: 'de' }, { 'sec-fetch-site': 'cross-site' }],
    ['a form of another subdomain', { language: 'de' }, { 'sec-fetch-site': 'same-site' }],
  ])('the language is not changed by %s', async (_what, form, headers) => {
    const person = await loggedIn();
    const { headers: answer } = await postForm(
      person.agent,
      '/oauth/language?return_to=%2Foauth%2Fauthorizations',
      form,
    )
      .set(headers)
      .expect(303);
    expect([answer.location, answer['set-cookie']]).toEqual(['/oauth/authorizations', undefined]);
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/..//evil.example', 'x', ''])(
    'the form for languages leads to no other site: %j',
    async (to) => {
      const { agent } = createPerson(site);
      const { headers } = await postForm(agent, `/oauth/language?return_to=${encodeURIComponent(to)}`, {
        language: 'de',
      })
        .set('sec-fetch-site', 'same-origin')
        .expect(303);
      expect([headers.location, headers['set-cookie']]).toEqual([
        '/',
        [expect.stringContaining('language=de')],
      ]);
    },
  );

  it.each([
    ['repeated', 'language=de&language=fr', 'application/x-www-form-urlencoded'],
    ['not a form', '{"language":"de"}', 'application/json'],
    ['too long', `language=${'x'.repeat(200_000)}`, 'application/x-www-form-urlencoded'],
  ])('a form that is %s changes no language and reports no error', async (_what, body, type) => {
    const { agent } = createPerson(site);
    const reported = site.errors.length;
    const { headers } = await agent.post('/oauth/language').set('Content-Type', type).send(body).expect(303);
    expect([headers.location, headers['set-cookie'], site.errors.length]).toEqual(['/', undefined, reported]);
  });

  it('the language is read from a cookie among others, and a wrong cookie is ignored', async () => {
    const open = async (cookie: string) =>
      languageOf(
        (await createPerson(site).agent.get('/oauth/authorize?client_id=nobody').set('Cookie', cookie)).text,
      );
    expect(await open('a=b; oauth_language=fr; c=d')).toBe('fr');
    for (const cookie of [
      'oauth_language=',
      'oauth_language=tlh',
      'oauth_language=fr"><script>',
      'not_oauth_language=fr',
      'oauth_language=__proto__',
      `oauth_language=${'f'.repeat(9000)}`,
    ])
      expect([cookie.slice(0, 40), await open(cookie)]).toEqual([cookie.slice(0, 40), 'en']);
  });

  it.each([
    ['is out of date', 403, { csrf_token: 'x', decision: 'allow' }],
    ['was sent without a decision', 403, { decision: undefined }],
  ])('a consent form that %s offers languages and leads back to its page', async (_why, status, fields) => {
    const person = await loggedIn();
    const requested = request({ state: 'a&b', prompt: 'consent' });
    const page = await person.openAuthorize(requested);
    const sent = JSON.parse(JSON.stringify({ ...hiddenFields(page), ...fields })) as Record<string, string>;
    const refused = await pageAfter(person.agent, await postForm(person.agent, '/oauth/authorize', sent));
    expect([refused.status, languageOf(refused.text)]).toEqual([status, 'en']);
    const { headers } = await pick(person, refused.text, 'de').expect(303);
    const again = await person.agent.get(String(headers.location)).expect(200);
    expect([
      languageOf(again.text),
      new URL(String(headers.location), 'https://x').searchParams.get('state'),
    ]).toEqual(['de', 'a&b']);
    expect(again.text).toContain('name="decision"');
  });
});

describe('the language switch', () => {
  it('the login page of the package offers languages and leads back to its address', async () => {
    const app = await startPagesApp();
    const agent = app.agent();
    const login = await agent.get('/login?ui_locales=fr&return_to=%2Fx%3Fa%3Db%26c%3Dd').expect(200);
    const { headers } = await postForm(agent, actionOf(login.text) ?? '', { language: 'ja' });
    expect(headers.location).toBe('/login?ui_locales=fr&return_to=%2Fx%3Fa%3Db%26c%3Dd');
    expect(languageOf((await agent.get(String(headers.location)).expect(200)).text)).toBe('ja');
  });

  it.each([
    ['the host decides the language', { locale: () => 'es' }, 'es'],
    ['there is one language', { locales: ['en'] }, 'en'],
  ])('the switch is missing if %s, and an old cookie is ignored', async (_why, pages, language) => {
    const app = await startPagesApp({ pages });
    const agent = app.agent();
    const { text } = await agent.get('/login').set('Cookie', 'oauth_language=de').expect(200);
    expect([languageOf(text), text.includes('id="languages"')]).toEqual([language, false]);
    await postForm(agent, '/login/language', { language: 'de' }).expect(404);
  });

  it('the switch leads to the browser’s address behind a proxy that removes a path', () => {
    const setup = { publicPath: '/blue/oauth', hiddenPath: '/blue', siteName: '', pages: {} };
    const languageSwitch = createLanguageSwitch(
      { ...setup, functionName: 'authorizationServer', languages: SHIPPED_MESSAGES },
      createLanguages({}, SHIPPED_MESSAGES),
    );
    const actionAt = (originalUrl: string) =>
      languageSwitch.show({ method: 'GET', originalUrl } as Request, 'en')?.action;
    for (const seen of ['/oauth/authorize?a=b', '/blue/oauth/authorize?a=b'])
      expect(actionAt(seen)).toBe('/blue/oauth/language?return_to=%2Fblue%2Foauth%2Fauthorize%3Fa%3Db');
  });
});
