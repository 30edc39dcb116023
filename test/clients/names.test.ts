import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { findBadgeWord, looksLike } from '../../lib/core/clients/validation/confusable-names.js';
import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { findNameTrick } from '../../lib/shared/protocol/display-name.js';
import { editApplication, registerApplication } from '../support/applications.js';
import { logInPerson, pageAfter } from '../support/person.js';
import { holds } from '../support/properties.js';
import { METADATA, register } from '../support/registration.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

describe('a name that looks like another one', () => {
  it.each([
    ['the same', 'Lantern Photos'],
    ['in another case', 'LANTERN photos'],
    ['with Cyrillic letters', 'L\u0430ntern \u0420hot\u043es'],
    ['with Greek letters', 'L\u03b1ntern Ph\u03bftos'],
    ['in full width', '\uff2c\uff41\uff4e\uff54\uff45\uff52\uff4e Photos'],
    ['in bold of mathematics', '\u{1d40b}\u{1d41a}\u{1d427}\u{1d42d}\u{1d41e}\u{1d42b}\u{1d427} Photos'],
    ['with a digit', 'Lantern Ph0tos'],
    ['with marks', 'Lántèrn Phötos'],
    ['without the space', 'LanternPhotos'],
    ['with signs between', 'Lantern-Photos_'],
    ['spread out', 'L a n t e r n P h o t o s'],
    ['with r and n for m, the other way round', 'Lantem Photos'],
    ['with more words', 'Lantern Photos Support'],
    ['within more words', 'The Real Lantern Photos App'],
    ['within a word', 'MyLanternPhotosLogin'],
    ['with an exclamation mark', 'Lantern Photos!'],
    ['with signs of trade', 'Lantern™ Photos℠'],
  ])("a lookalike of the site's name is noticed: %s", (_how, name) => {
    expect(looksLike(name, 'Lantern Photos')).toBe(true);
  });

  it.each(['Lantern', 'Photo Lantern', 'Inkwell Printing Shop', 'Lamp Photos', '写真アプリ'])(
    "%s does not look like the site's name",
    (name) => {
      expect(looksLike(name, 'Lantern Photos')).toBe(false);
    },
  );

  it('a short name is noticed as a word, not within a word', () => {
    expect(looksLike('Ink', 'Ink')).toBe(true);
    expect(looksLike('1nk Login', 'Ink')).toBe(true);
    expect(looksLike('Ink!', 'Ink')).toBe(true);
    expect(looksLike('Ink™', 'Ink')).toBe(true);
    expect(looksLike('Drinks and more', 'Ink')).toBe(false);
  });

  it('a name without letters has no lookalikes', () => {
    expect(looksLike('Photos', '***')).toBe(false);
  });

  it('a host name is noticed as a name', () => {
    expect(looksLike('photos.example', 'photos.example')).toBe(true);
    expect(looksLike('accounts.photos.example', 'photos.example')).toBe(true);
  });
});

/** A text in the spelling of somebody who wants it to be read as another one. */
function disguised(text: string): fc.Arbitrary<string> {
  const letters: Readonly<Record<string, readonly string[]>> = {
    a: ['@', '4', '\u0430', 'á'],
    b: ['8'],
    e: ['3', '€', '\u0435', 'é'],
    i: ['1', '!', '|', 'l', '\u0456'],
    l: ['1', '|', 'I'],
    o: ['0', '\u043e', 'ö'],
    s: ['5', '$', '\u0455'],
    t: ['7'],
  };
  const signs = ['', '', '', '', ' ', '-', '_', '.', '\u00b7'];
  return fc
    .tuple(
      ...[...text].map((letter) =>
        fc.tuple(
          fc.constantFrom(letter, letter.toUpperCase(), ...(letters[letter.toLowerCase()] ?? [])),
          fc.constantFrom(...signs),
        ),
      ),
    )
    .map((written) => written.map((pair) => pair.join('')).join(''));
}

describe('a disguised name', () => {
  holds('a lookalike is noticed in all letters and signs', [disguised('Lantern Photos')], (name) => {
    expect(looksLike(name, 'Lantern Photos')).toBe(true);
  });

  const terms = [
    ...['Verified', 'Official', 'Geprüft', 'Offiziell'],
    ...['Verificada', 'Oficial', 'Vérifiée', 'Officiel'],
  ];
  holds(
    'a word of the badge is noticed in disguise',
    [fc.constantFrom(...terms).chain((word) => disguised(word))],
    (name) => {
      expect(findBadgeWord(name)).toBeDefined();
    },
  );

  it.each(Object.values(SHIPPED_MESSAGES).map((messages) => [messages['consent.verified']]))(
    'a word of the badge in each language is noticed: %s',
    (word) => {
      expect(findBadgeWord(word)).toBeDefined();
      expect(findBadgeWord(word.toUpperCase())).toBeDefined();
    },
  );

  it.each([
    ...['Official App', 'Verified!', 'Official™', 'Printing (Official)', 'VERIFIED Photos'],
    ...['V e r i f i e d Photos', 'Ver1f1ed by us', '0fficial', 'Photos \u2013 offiziell'],
    ...['Offizielle Drucker', 'Application officielle', 'Aplicación oficial', '公式アプリ'],
    ...['写真アプリ（確認済み）', 'تطبيق رسمي', 'L@ntern official', 'Admin', 'ADM1N', 'System'],
    ...['Security team', 'Admins', 'Administrators', 'The Moderators', 'Admin Team'],
    ...['Support Team', 'Help Desk', 'HELPDESK', 'IT Support', 'Customer Support Team'],
    ...['Account Security', 'Trust & Safety', 'Root', 'Approved by Lantern', 'Site Admin'],
    ...['The Site Administrators', 'System Administrator', 'Sys-Admin', 'System Update'],
    ...['Trusted app', 'Trusted Applications', 'Systemadministrator', 'Administrador del sitio'],
    ...['Application de confiance', 'サイト管理者', 'تطبيق موثوق', 'S e c u r i t y'],
    ...['Certified by Lantern', 'Équipe de sécurité', '管理者', 'فريق الأمان'],
  ])('the name %s claims a verification', (name) => {
    expect(findBadgeWord(name)).toBeDefined();
  });

  const ORDINARY = [
    ...['Inkwell Printing Shop', 'Photos 4 You', '3D Prints', 'Route 66 Tours'],
    ...['7 Minute Workout', 'Box Office', 'Unofficial Lantern Client', 'Office Calendar'],
    ...['Officine Grafiche', 'Officer Training', 'Verify My Prints', 'Very Fine Photos'],
    ...['Versified Poems', 'Ofisnaya', 'Prüfstelle Süd', 'Gepard Fotos', 'Veritas Books'],
    ...['500px', '1Password', 'C@fe Sol', 'A$AP Prints', 'E!', 'Yahoo!', 'AT&T', 'Photos @ Home'],
    ...[
      '非公式クライアント',
      '未確認飛行物体',
      '写真アプリ',
      'フォト４ユー',
      'صور وألبومات',
      'תמונות',
      'Sofficial Minds',
    ],
    ...['Admin Dashboard', 'Home Security System', 'Certified Nurse Exams'],
    ...['Support Groups Near You', 'Team Photos', 'The Owner’s Manual', 'Rootstock'],
    ...['Systems Biology Notes', 'Site Admin Tools', 'System Update Notes'],
    ...['System of a Down Fans', 'Trusted Housesitters', 'Approved Driving Instructors'],
  ];
  it.each(ORDINARY)('the ordinary name %s is accepted', (name) => {
    expect(findBadgeWord(name)).toBeUndefined();
    expect(looksLike(name, 'Lantern Photos')).toBe(false);
  });
});

describe('a name that contains more than a name', () => {
  it.each([
    ['namePicture', '✅ Photos'],
    ['namePicture', 'Photos ✓'],
    ['namePicture', 'Photos √'],
    ['namePicture', 'Photos 🔒'],
    ['namePicture', 'Photos ★'],
    ['namePicture', 'Photos 🇩🇪'],
    ['namePicture', 'Photos 1\ufe0f\u20e3'],
    ['nameSentence', 'Your session has expired. Press Allow to stay logged in'],
    ['nameSentence', 'Free! Press Allow'],
    ['nameSentence', 'Lost your photos? Allow it'],
    ['nameSentence', '期限切れです。許可してください'],
    ['nameScripts', 'Ph\u043etos'],
    ['nameScripts', 'Pa\u03bdpal'],
    ['nameScripts', 'Paypalא'],
    ['nameMarks', 'P\u0301\u0302\u0303\u0304hotos'],
  ])('a misleading name has the reason %s: %s', (reason, name) => {
    expect(findNameTrick(name)).toBe(reason);
  });

  it.each([
    ...['Inkwell Printing Shop', 'Yahoo!', 'St. Mary’s Parish', 'Acme Inc. Tools'],
    ...['J. R. Printing', 'Node.js Tools 2.0', 'Acme™ Prints®', 'Ärztehaus Größe'],
    ...['Hồ Chí Minh Ảnh', 'Яндекс Photos', 'Φωτογραφίες', '写真アプリ for iPhone', 'LINEスタンプ'],
    ...['카카오Talk', 'صور وألبومات', 'תמונות', 'फ़ोटो एल्बम', 'รูปภาพของฉัน'],
  ])('the ordinary name %s is accepted', (name) => {
    expect(findNameTrick(name)).toBeUndefined();
  });
});

describe('one rule for names from everywhere', () => {
  const ISSUER = 'https://photos.example';
  const site = siteFor({
    issuer: ISSUER,
    siteName: 'Lantern Photos',
    registration: { open: true },
    security: { rateLimits: false },
  });

  const NAMES = [
    'Lantern Photos Support',
    'L@ntern Photos',
    'photos.example',
    '✅ Printing',
    'Print\u0435r',
    'Verified',
    'Official App',
  ];

  it.each(NAMES)('clients.create and clients.update refuse the name %s', async (name) => {
    await expect(site.client({ name })).rejects.toMatchObject({ error: 'invalid_client_metadata' });
    const { clientId } = await site.client();
    await expect(site.oauth.clients.update(clientId, { name })).rejects.toThrow(
      /The name|A word of the name/,
    );
  });

  // a program loses the picture in its name and keeps the rest (RFC 7591 §3.2.1)
  it.each(NAMES.filter((name) => name !== '✅ Printing'))(
    'a registration with the name %s is refused (RFC 7591 §3.2.2)',
    async (name) => {
      const answer = await register(site, { ...METADATA, client_name: name });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_client_metadata']);
    },
  );

  it('a trusted or verified client may have the name of the site', async () => {
    const name = 'Lantern Photos for Android';
    await expect(site.client({ name, trusted: true })).resolves.toMatchObject({ name });
    await expect(site.client({ name, verified: true })).resolves.toMatchObject({ name });
    await expect(site.client({ name: '✅ Lantern', verified: true })).rejects.toThrow('check mark');
  });

  it('a misleading name that is stored stays, and its client can be changed otherwise', async () => {
    const { clientId } = await site.client();
    await site.database.update('oauth_clients', clientId, { $set: { name: '✅ Lantern Photos' } });
    await expect(
      site.oauth.clients.update(clientId, { redirectUris: ['https://print.example/2'] }),
    ).resolves.toMatchObject({ name: '✅ Lantern Photos' });
    await expect(site.oauth.clients.update(clientId, { name: '✅✅' })).rejects.toThrow('check mark');
  });
});

describe('the form of an application', () => {
  it('the form of an application explains a refused name, and accepts a stored one', async () => {
    await using site = await openSite({
      siteName: 'Lantern Photos',
      applications: { isDeveloper: () => true },
    });
    const { agent } = await logInPerson(site);
    const refused = await pageAfter(
      agent,
      await registerApplication(agent, { name: 'Lantern Photos Support' }),
    );
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Users could take the name for Lantern Photos.');
    const { clientId } = await site.client({ ownerId: 'ada' });
    await site.database.update('oauth_clients', clientId, { $set: { name: '✅ Mine' } });
    const rename = async (name: string) =>
      (await pageAfter(agent, await editApplication(agent, clientId, { name }))).text;
    expect(await rename('✅ Mine')).toContain('Your changes are saved.');
    expect(await rename('✅ Ours')).toContain('The name has an emoji');
  });
});
