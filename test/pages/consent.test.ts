import { describe, expect, it } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  postForm,
  type Query,
  tickedScopes,
} from '../support/person.js';
import { REDIRECT_URI, type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, redeem, refreshTokens } from '../support/tokens.js';

const site = siteFor({
  siteName: 'Lantern',
  scopes: {
    'photos:read': 'See your photos',
    'photos:write': 'Add and delete photos',
    profile: { description: 'See your name', optional: false },
  },
});
const ada = fixture(() => logInPerson(site));

const requestOf = ({ clientId }: ClientWithSecret, more: Query = {}): Query =>
  codeQuery(clientId, { state: 'xyz', ...more });
const scopeOf = async (client: ClientWithSecret, location: URL) =>
  ((await redeem(site, client, location.searchParams.get('code') ?? '')).body.scope as string)
    .split(' ')
    .sort();
/** The text of a page without its markup. */
const translatorOf = (text: string) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

describe('earlier and new scopes on the consent page', () => {
  it('the first consent page of a client has one list of scopes', async () => {
    const terms = translatorOf((await ada.openAuthorize(requestOf(await site.client()))).text);
    expect(terms).toMatch(/If you allow this, it can: .*See your photos/);
    expect(terms).not.toContain('New this time');
    expect(terms).not.toContain('allowed it before');
  });

  it('the consent page separates new scopes from those that are already allowed', async () => {
    const client = await site.client();
    await ada.authorize(requestOf(client, { scope: 'photos:read profile' }));
    const terms = translatorOf(
      (await ada.openAuthorize(requestOf(client, { scope: 'photos:read photos:write' }))).text,
    );
    expect(terms).toMatch(
      /New this time, it wants to: Add and delete photos You already allow it to: See your photos ✓ See your name /,
    );
  });

  it('the consent page lists scopes as already allowed if none is new', async () => {
    const client = await site.client();
    await ada.authorize(requestOf(client, { scope: 'photos:read' }));
    const page = await ada.openAuthorize(requestOf(client, { scope: 'photos:read', prompt: 'consent' }));
    expect(translatorOf(page.text)).toMatch(/You already allow it to: See your photos /);
    expect(translatorOf(page.text)).not.toContain('New this time');
    expect(tickedScopes(page)).toEqual(['photos:read']);
  });

  it('the consent page never says that the client cannot use an allowed scope', async () => {
    const client = await site.client();
    await ada.authorize(requestOf(client, { scope: 'photos:write profile' }));
    const { text } = await ada.openAuthorize(requestOf(client, { scope: 'photos:read' }));
    const [can = '', cannot = ''] = translatorOf(text).split('It will not be able to:');
    expect(can).toContain('Add and delete photos');
    expect(cannot).not.toMatch(/Add and delete photos|See your name/);
    expect(cannot).toContain('See or change your password');
  });
});

describe('a scope that the host requires', () => {
  it('a required scope cannot be unticked and is granted with the ticked ones', async () => {
    const client = await site.client();
    const page = await ada.openAuthorize(requestOf(client));
    expect(tickedScopes(page)).toEqual(['photos:read', 'photos:write']);
    expect(translatorOf(page.text)).toContain('See your name needed');
    expect(await scopeOf(client, locationOf(await ada.choose(page, { scopes: ['photos:read'] })))).toEqual([
      'photos:read',
      'profile',
    ]);
  });

  it('a form without ticked scopes grants only the required one', async () => {
    const client = await site.client();
    expect(await scopeOf(client, await ada.authorize(requestOf(client), { scopes: [] }))).toEqual([
      'profile',
    ]);
  });

  it('a forged form grants no scope outside the request, required or not', async () => {
    const client = await site.client();
    const location = await ada.authorize(requestOf(client, { scope: 'photos:read' }), {
      scopes: ['photos:read', 'photos:write', 'profile', 'everything'],
    });
    expect(await scopeOf(client, location)).toEqual(['photos:read']);
  });

  it('a refresh cannot add a scope that was not granted', async () => {
    const client = await site.client();
    const tokens = await obtainTokens(site, client, { query: { scope: 'profile photos:read' } });
    const { body } = await refreshTokens(site, client, tokens.refresh_token, { scope: 'photos:write' });
    expect(body.error).toBe('invalid_scope');
  });
});

describe('a client without granular consent', () => {
  const open = async (query: Query = {}) => {
    const client = await site.client({ granularConsent: false });
    return { client, page: await ada.openAuthorize(requestOf(client, query)) };
  };
  const ALL_OR_NOTHING = 'This app works only with all of this together. You can allow all of it or nothing.';

  it('the consent page without granular consent has no checkboxes and grants all scopes', async () => {
    const { client, page } = await open();
    expect(page.text).not.toContain('name="granted_scope"');
    expect(translatorOf(page.text)).toContain(ALL_OR_NOTHING);
    expect(translatorOf(page.text)).not.toContain('Untick');
    const location = locationOf(await ada.choose(page, { scopes: [] }));
    expect(await scopeOf(client, location)).toEqual(['photos:read', 'photos:write', 'profile']);
  });

  it('a form for some scopes is out of date without granular consent, and a denial works', async () => {
    const { client, page } = await open();
    const again = await ada.choose(page, { scopes: ['photos:read'] });
    expect(again.status).toBe(403);
    expect(translatorOf(again.text)).toContain('This page was out of date, so nothing was decided.');
    const denied = locationOf(await ada.choose(again, { decision: 'deny' }));
    expect(denied.searchParams.get('error')).toBe('access_denied');
    expect(await scopeOf(client, await ada.authorize(requestOf(client)))).toHaveLength(3);
  });

  it('a single scope needs no notice about the missing choice', async () => {
    expect(translatorOf((await open({ scope: 'photos:read' })).page.text)).not.toContain(ALL_OR_NOTHING);
  });

  it('a form from before the end of granular consent grants nothing', async () => {
    const client = await site.client();
    const page = await ada.openAuthorize(requestOf(client));
    await site.oauth.clients.update(client.clientId, { granularConsent: false });
    const again = await ada.choose(page, { scopes: ['photos:read'] });
    expect(translatorOf(again.text)).toContain(ALL_OR_NOTHING);
  });
});

describe('the client on the consent page', () => {
  it('the consent page says that a client is not verified until the host verifies it', async () => {
    const client = await site.client();
    expect((await ada.openAuthorize(requestOf(client))).text).toContain(
      'id="client-unverified">Not verified<',
    );
    await site.oauth.clients.update(client.clientId, { verified: true });
    const { text } = await ada.openAuthorize(requestOf(client));
    expect(text).toContain('id="client-verified">Verified<');
    expect(translatorOf(text)).toContain('Lantern has checked who is behind this app.');
  });

  it('a verified client is unverified once its owner changes its name or redirect URI', async () => {
    for (const change of [{ name: 'Your bank' }, { redirect_uris: 'https://evil.example/' }]) {
      const client = await site.client({ name: 'Ada’s shop', ownerId: 'ada', verified: true });
      const edit = `/oauth/applications/${client.clientId}/edit`;
      const send = async (fields: Record<string, unknown>) =>
        postForm(ada.agent, edit, {
          ...hiddenFields(await ada.agent.get(edit)),
          name: 'Ada’s shop',
          redirect_uris: REDIRECT_URI,
          scope: 'profile',
          grant_type: 'authorization_code',
          verified: 'true',
          ...fields,
        }).expect(303);
      await send({});
      expect(await site.oauth.clients.find(client.clientId)).toMatchObject({ verified: true });
      await send(change);
      expect(await site.oauth.clients.find(client.clientId)).toMatchObject({ verified: false });
      await send({});
      expect(await site.oauth.clients.find(client.clientId)).toMatchObject({ verified: false });
    }
  });

  it.each<[string, string, 'confidential' | 'public', string]>([
    ['a web server in development', 'http://localhost:3001/callback', 'confidential', 'localhost:3001'],
    ['an app on loopback', 'http://127.0.0.1:3001/callback', 'public', 'an app on this device'],
    ['an app at its scheme', 'com.example.print:/callback', 'public', 'an app on this device'],
    ['a look-alike host', 'https://ex\u0430mple.example/callback', 'confidential', 'xn--exmple-4nf.example'],
  ])('the consent page for %s at %s (%s) leads to %s', async (_what, uri, type, displayed) => {
    const redirectUri = uri.startsWith('https') ? new URL(uri).href : uri;
    const client = await site.client({ type, redirectUris: [redirectUri] });
    const { text } = await ada.openAuthorize(
      requestOf(client, {
        redirect_uri: redirectUri,
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      }),
    );
    expect(text).toContain(`Either way you go on to <strong><bdi>${displayed}</bdi></strong>.`);
  });
});

describe('a client’s logo on the consent page', () => {
  const logoOf = async (options: Parameters<Site['client']>[0]) => {
    const { headers, text } = await ada.openAuthorize(requestOf(await site.client(options)));
    return {
      image: /<img src="([^"]+)"/.exec(text)?.[1]?.replace(/=[\w-]+/g, '=…'),
      policy: /img-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1],
    };
  };

  it('the consent page shows a logo at the redirect’s host', async () => {
    expect(await logoOf({ logoUri: 'https://print.example/logo.png?size=1' })).toEqual({
      image: '/oauth/client-logo?client_id=…&amp;v=…',
      policy: "'self'",
    });
  });

  it('the consent page shows a verified client’s logo at another host', async () => {
    expect(await logoOf({ logoUri: 'https://cdn.example:8443/logo.svg', verified: true })).toEqual({
      image: '/oauth/client-logo?client_id=…&amp;v=…',
      policy: "'self'",
    });
  });

  it('the consent page does not show an unverified client’s logo at another host', async () => {
    expect(await logoOf({ logoUri: 'https://bank.example/logo.png' })).toEqual({
      image: undefined,
      policy: "'self'",
    });
  });

  it('the consent page does not show an invalid logo that other code has stored', async () => {
    for (const logoUri of [
      'http://print.example/l.png',
      'javascript:alert(1)',
      "https://print.example/x;script-src 'unsafe-inline'",
      'https://print.example"onerror=alert(1)',
      'data:image/png;base64,AA',
      '//print.example/l.png',
      7,
    ]) {
      const client = await site.client({ verified: true });
      await site.database.update('oauth_clients', client.clientId, { $set: { logoUri } });
      const { headers, text } = await ada.openAuthorize(requestOf(client));
      expect(text).not.toContain('<img');
      expect(headers['content-security-policy']).toContain("img-src 'self';");
      expect(headers['content-security-policy']).not.toContain('script-src');
    }
  });

  it.each([
    ['http://print.example/logo.png', 'https:'],
    ['javascript:alert(1)', 'https:'],
    ['https://user:pw@print.example/logo.png', 'user name'],
    ["https://print.example/a;script-src 'unsafe-inline'", 'percent-encoded'],
    ['/logo.png', 'not an absolute URL'],
    [`https://print.example/${'x'.repeat(3000)}`, 'at most'],
  ])('the logo %j cannot be registered', async (logoUri, reason) => {
    await expect(site.client({ logoUri })).rejects.toThrow(reason);
  });
});
