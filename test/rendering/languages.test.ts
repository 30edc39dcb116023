import { describe, expect, it } from '@jest/globals';

import type { PagesOptions } from '../../lib/index.js';
import { en, type MessageKey } from '../../lib/messages/en.js';
import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { placeholdersIn } from '../../lib/pages/rendering/counted-text.js';
import { createLanguages } from '../../lib/pages/rendering/languages.js';
import { createTranslator } from '../../lib/pages/rendering/translator.js';
import { readSourceDigests, staleKeys } from '../messages/source-digests.js';
import {
  decideOn,
  deviceClient,
  openDeviceSite,
  personOf,
  poll,
  startDevice,
  typeCode,
} from '../support/device.js';
import { closePagesApps, startPagesApp } from '../support/pages-app.js';
import {
  codeQuery,
  createPerson,
  formatQuery,
  hiddenFields,
  logInPerson,
  postForm,
  type Query,
} from '../support/person.js';
import { siteFor } from '../support/site-for.js';

const KEYS = Object.keys(en) as MessageKey[];

describe('the texts of the package', () => {
  it.each(Object.entries(SHIPPED_MESSAGES))(
    'the texts of %s are complete, and have the same placeholders',
    (_locale, messages) => {
      expect(Object.keys(messages).sort()).toEqual([...KEYS].sort());
      for (const key of KEYS) {
        expect([key, placeholdersIn(messages[key]).sort()]).toEqual([key, placeholdersIn(en[key]).sort()]);
        // the note is empty, for a sentence of the host
        if (key !== 'consent.cannotNote')
          expect([key, messages[key].trim()]).toEqual([key, expect.stringMatching(/./)]);
        expect([key, messages[key]]).toEqual([key, expect.not.stringMatching(/[<>&]|^\s|\s$/)]);
      }
    },
  );

  it.each(Object.entries(SHIPPED_MESSAGES).filter(([locale]) => locale !== 'en'))(
    'the texts of %s are not the English ones',
    (_locale, messages) => {
      const same = KEYS.filter((key) => messages[key] === en[key] && en[key] !== '');
      // a name may be the same in several languages, but a sentence may not
      expect(same.filter((key) => en[key].split(' ').length > 2)).toEqual([]);
      expect(same.length).toBeLessThan(15);
    },
  );

  it.each([
    ['en', /\bapplications?\b/i],
    ['de', /Anwendung/],
    ['ja', /アプリケーション/],
  ])('the texts of %s use one word for an app that a user allows', (locale, other) => {
    const isOfUsers = (key: string) => /^(consent|device|authorizations?|endSession)\./.test(key);
    const odd = KEYS.filter((key) => isOfUsers(key) && other.test(SHIPPED_MESSAGES[locale]?.[key] ?? ''));
    expect(odd).toEqual([]);
  });

  // usted and tú: one page must not address somebody in two ways
  it('the Spanish texts address the user as tú', () => {
    const formal = /\b(usted|Cree|Elija|Marque|Escriba|su cuenta)\b/;
    const odd = KEYS.filter((key) => formal.test(SHIPPED_MESSAGES.es?.[key] ?? ''));
    expect(odd).toEqual(['applications.noneMessage']);
  });

  it.each(Object.keys(SHIPPED_MESSAGES).filter((locale) => locale !== 'en'))(
    'the texts of %s were compared with the present English (`npm run texts` lists others)',
    (locale) => expect(staleKeys(locale)).toEqual([]),
  );

  it('a translation is stale once its English has changed', () => {
    const digests = readSourceDigests();
    const [digest = '', ...locales] = digests['login.title']?.split(' ') ?? [];
    const ofOldEnglish = { ...digests, 'login.title': ['00000000', ...locales].join(' ') };
    expect(staleKeys('de', ofOldEnglish)).toEqual(['login.title']);
    expect(staleKeys('de', { ...digests, 'login.title': `${digest} fr` })).toEqual(['login.title']);
  });

  it('a text escapes inserted values, each in its element', () => {
    const { markup, text } = createTranslator('en', en);
    expect(markup('consent.heading', { client: '<b>$&{client}"' })).toBe(
      '<bdi>&lt;b&gt;$&amp;{client}&#34;</bdi> wants to access your account',
    );
    expect(text('consent.heading', { client: '$& {user}' })).toBe('$& {user} wants to access your account');
    expect(text('consent.heading')).toBe('{client} wants to access your account');
  });

  it.each([
    ['en', 86_400, '24 hours'],
    ['en', 60, '60 seconds'],
    ['en', 61 * 60, '61 minutes'],
    ['de', 3 * 86_400, '3 Tage'],
    ['ja', 600, '10 分'],
    ['en', 1, '1 second'],
  ])('a duration in %s: %d is %s', (locale, seconds, said) => {
    expect(createTranslator(locale, en).span(seconds)).toBe(said);
  });
});

describe('the language of a page', () => {
  const site = siteFor({
    applications: { grantTypes: ['authorization_code', 'client_credentials'] },
    scopes: {
      'photos:read': { description: { en: 'See your photos', de: 'Ihre Fotos sehen' } },
      'photos:write': 'Add and delete photos',
      profile: 'See your name',
    },
  });

  /** The text of the consent page for a person, with the declared language. */
  async function consentIn(query: Query, acceptLanguage?: string): Promise<string> {
    const person = await logInPerson(site);
    const { clientId } = await site.client();
    const path = `/oauth/authorize?${formatQuery(codeQuery(clientId, query))}`;
    return (
      await person.agent
        .get(path)
        .set('Accept-Language', acceptLanguage ?? '')
        .expect(200)
    ).text;
  }
  const languageOf = (text: string) => /<html lang="([^"]+)"/.exec(text)?.[1];

  it.each<[string, string, string | undefined]>([
    ['de', 'de', undefined],
    ['fr-CA en', 'fr', undefined],
    ['zh-Hans ja', 'ja', undefined],
    ['AR', 'ar', undefined],
    ['es', 'es', 'de'],
    ['zh', 'de', 'de;q=0.9, en;q=0.3'],
    ['', 'fr', 'nl, fr-BE;q=0.8'],
    ['', 'en', 'zh, *;q=0.5'],
    ['', 'en', 'zh'],
    ['', 'en', undefined],
    ['../../etc/passwd', 'en', undefined],
    ['__proto__ constructor', 'en', undefined],
    ['-'.repeat(3000), 'en', undefined],
  ])('a page with ui_locales %j is in %s (Accept-Language %s)', async (uiLocales, locale, acceptLanguage) => {
    expect(languageOf(await consentIn({ ui_locales: uiLocales }, acceptLanguage))).toBe(locale);
  });

  it('a page declares its language, and Arabic is right to left', async () => {
    expect(await consentIn({ ui_locales: 'ar' })).toContain('<html lang="ar" dir="rtl">');
    const { headers, text } = await createPerson(site)
      .agent.get('/oauth/authorize?client_id=nobody')
      .set('Accept-Language', 'de')
      .expect(400);
    expect(text).toContain('<html lang="de" dir="ltr">');
    expect(text).toContain('Wir kennen diese App nicht');
    expect(headers['content-language']).toBe('de');
  });

  it('scopes are in the host’s words for the language, or else in its default ones', async () => {
    const german = await consentIn({ ui_locales: 'de' });
    expect(german).toContain('Ihre Fotos sehen');
    expect(german).toContain('Add and delete photos');
    expect(await consentIn({ ui_locales: 'fr' })).toContain('See your photos');
  });

  it('the language of the request remains on a repeated page and on a login before it', async () => {
    const person = await logInPerson(site);
    const { clientId } = await site.client();
    const page = await person.openAuthorize(codeQuery(clientId, { ui_locales: 'ja' }));
    const again = await postForm(person.agent, '/oauth/authorize', {
      ...hiddenFields(page),
      csrf_token: 'x',
      decision: 'allow',
    });
    expect(languageOf(again.text)).toBe('ja');
    const app = await startPagesApp();
    const agent = app.agent();
    const login = await agent
      .get('/login?ui_locales=fr&return_to=%2Foauth%2Fauthorize%3Fclient_id%3Da%26ui_locales%3Dfr')
      .expect(200);
    expect(login.text).toContain('<html lang="fr" dir="ltr">');
    const wrong = await postForm(agent, '/login', {
      ...hiddenFields(login),
      username: 'ada',
      password: 'wrong',
    })
      .redirects(1)
      .expect(422);
    expect(wrong.text).toContain('Le nom d’utilisateur ou le mot de passe est incorrect.');
    await closePagesApps();
  });

  it('the applications pages are in the language of the browser', async () => {
    const person = await logInPerson(site);
    const { text } = await person.agent
      .get('/oauth/applications/new')
      .set('Accept-Language', 'de')
      .expect(200);
    expect(text).toContain('Wohin Nutzer auf Ihrem Server zurückkehren');
    expect(text).toContain('Für sich selbst handeln');
  });

  it('the pages of devices and of connected apps are in the language of the browser', async () => {
    await using devices = await openDeviceSite();
    const ada = await personOf(devices);
    const arabic = async (path: string) =>
      (await ada.agent.get(path).set('Accept-Language', 'ar').expect(200)).text;
    const client = await deviceClient(devices, { name: '<i>Frame</i>' });
    const device = await startDevice(devices, client);
    expect(await arabic('/oauth/device')).toContain(SHIPPED_MESSAGES.ar?.['device.lead']);
    await typeCode(ada, device.user_code);
    const consent = await arabic(`/oauth/device/request?user_code=${device.user_code}`);
    for (const key of ['consent.deviceHeading', 'consent.deviceCheck', 'consent.deviceAfter'] as const)
      expect(consent).toContain(SHIPPED_MESSAGES.ar?.[key]);
    expect(consent).toContain('<bdi>&lt;i&gt;Frame&lt;/i&gt;</bdi>');
    await decideOn(ada, device);
    expect(await arabic(`/oauth/device/request?user_code=${device.user_code}`)).toContain(
      SHIPPED_MESSAGES.ar?.['device.allowedMessage'],
    );
    await poll(devices, client, device).expect(200);
    const apps = await arabic('/oauth/authorizations');
    expect(apps).toContain(SHIPPED_MESSAGES.ar?.['authorizations.lead']);
    expect(apps).toContain('<bdi>&lt;i&gt;Frame&lt;/i&gt;</bdi>');
    expect(apps).toMatch(/مرتبط منذ <time datetime="20[^"]+">/);
    expect(await arabic('/oauth/applications/new')).toContain(
      SHIPPED_MESSAGES.ar?.['grantType.urn:ietf:params:oauth:grant-type:device_code.meaning'],
    );
  });
});

describe('texts and languages of the host', () => {
  const pageIn = async (pages: PagesOptions, acceptLanguage: string) => {
    const app = await startPagesApp({ pages });
    const { text } = await app.agent().get('/login').set('Accept-Language', acceptLanguage);
    await closePagesApps();
    return text;
  };

  it('a host can replace a text by its key', async () => {
    const text = await pageIn({ messages: { en: { 'login.submit': 'Sign in & go' } } }, 'en');
    expect(text).toContain('Sign in &amp; go</button>');
    expect(text).toContain('User name');
  });

  it('a host can add a language, whose missing texts are in English', async () => {
    const text = await pageIn({ messages: { he: { 'login.title': 'כניסה' } } }, 'he');
    expect(text).toContain('<html lang="he" dir="rtl">');
    expect(text).toContain('<h1>כניסה</h1>');
    expect(text).toContain('User name');
  });

  it('a host can list the languages, the first for visitors of another one', async () => {
    expect(await pageIn({ locales: ['de', 'en'] }, 'fr')).toContain('<html lang="de"');
    expect(await pageIn({ locales: ['de', 'en'] }, 'en')).toContain('<html lang="en"');
  });

  it('a host can choose the language for a user', async () => {
    expect(await pageIn({ locale: () => 'es-MX' }, 'en')).toContain('<html lang="es"');
    expect(await pageIn({ locale: () => undefined }, 'fr')).toContain('<html lang="fr"');
  });

  it.each<[PagesOptions, string]>([
    [{ locales: ['tlh'] }, "there are no texts in 'tlh'"],
    [{ messages: { 'not a language': {} } }, "'not a language' is no language"],
    [{ messages: { en: { 'login.titel': 'x' } as never } }, "there is no text 'login.titel'"],
    [{ messages: { de: { 'login.title': 'Hallo {user}' } } }, "'login.title' has {user}; it may have none"],
    [{ messages: { de: { 'login.continueAs': 'Hallo {name}' } } }, 'it may have {user}'],
    [
      { messages: { de: { 'login.continueAs': '{user, plural, other {x}}' } } },
      "'login.continueAs' counts nothing; write it without plural",
    ],
    [
      { messages: { de: { 'applications.tooMany': '{count, plural, one {x}}' } } },
      "'applications.tooMany' has a mistake in its plural",
    ],
    [
      { messages: { de: { 'applications.tooMany': '{count, plural, one {{user}} other {x}}' } } },
      "'applications.tooMany' has {user}; it may have {count}",
    ],
  ])('the texts %j are refused when the server starts', (pages, problem) => {
    expect(() => createLanguages(pages, SHIPPED_MESSAGES)).toThrow(problem);
  });
});
