import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { commandsDuring } from '../support/commands.js';
import { openDatabase } from '../support/database.js';
import {
  codeQuery,
  createPerson,
  hiddenFields,
  logInPerson,
  pageAfter,
  postForm,
} from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import {
  callApi,
  clientRequest,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
} from '../support/tokens.js';

const LIST = '/oauth/authorizations';
const SCOPES = {
  profile: { description: 'See your name', optional: false },
  'photos:read': 'See your photos',
  'photos:write': { description: 'Add and delete photos', implies: ['photos:read'], details: 'For good.' },
  'friends:read': 'See your friends',
} as const;
const ALL = 'profile photos:read photos:write';
let shop: ClientWithSecret;

const site = siteFor({ scopes: SCOPES, security: { rateLimits: false }, audit: { ttl: 86_400 } });
const ada = fixture(() => logInPerson(site));
const grace = fixture(() => logInPerson(site, 'grace'));
beforeEach(async () => {
  for (const userId of ['ada', 'grace']) await site.oauth.grants.revoke({ userId });
  shop = await site.client({ name: 'Shop & <i>Sons</i>' });
});

const pathOf = ({ clientId }: { readonly clientId: string }) => `${LIST}/${encodeURIComponent(clientId)}`;
const open = (client = shop, { agent } = ada) => agent.get(pathOf(client));
const connect = (scope = ALL, client = shop) => obtainTokens(site, client, { query: { scope } });
const scopesOf = async (token: string) => ((await callApi(site, token)).body as { scopes: string[] }).scopes;
const displayedIn = ({ text }: Response) =>
  [...text.matchAll(/name="shown_scope" value="([^"]+)"/g)].map(([, scope]) => String(scope));

/** Sends the form of the page with only these scopes ticked, and opens the next page. */
async function leave(scope: readonly string[], { client = shop, person = ada } = {}): Promise<Response> {
  const page = await open(client, person);
  const sent = await postForm(person.agent, `${pathOf(client)}/scopes`, {
    ...hiddenFields(page),
    shown_scope: displayedIn(page),
    scope,
  });
  expect([sent.status, sent.headers.location]).toEqual([303, pathOf(client)]);
  return pageAfter(person.agent, sent);
}

describe('the page of a connected app', () => {
  test('the page of a connected app shows its scopes, first consent and last issue of tokens', async () => {
    await connect();
    const { text: list } = await ada.agent.get(LIST);
    expect(list).toContain(`href="${pathOf(shop)}"`);
    const { text } = await open().expect(200);
    expect(text).toContain('<h1 id="app-name"><bdi>Shop &amp; &lt;i&gt;Sons&lt;/i&gt;</bdi></h1>');
    for (const terms of ['See your name', 'See your photos', 'Add and delete photos', 'For good.'])
      expect(text).toContain(terms);
    expect(text).not.toContain('See your friends');
    expect(text).toMatch(/Connected since<\/dt><dd><time datetime="20/);
    expect(text).toContain('That is when it was last given tokens.');
    expect(text).toMatch(
      /id="authorization-renewed"><time [^>]+>[^<]+<\/time> from <code>[^<]*127\.0\.0\.1</,
    );
    expect(text).not.toContain('id="report-form"');
  });

  test('the page of a connected app costs five commands to the database with the audit on', async () => {
    await connect();
    await site.oauth.audit.find();
    const commands = await commandsDuring(site.database, () => open());
    expect(commands.sort()).toEqual([
      'aggregate oauth_consents',
      'aggregate oauth_grants',
      'find oauth_audit',
      'find oauth_clients',
      'find oauth_consents',
    ]);
  });

  test('the page of a connected app lists its resources', async () => {
    await using many = await openSite({
      resources: { 'https://albums.example': { name: 'Albums' }, 'https://prints.example': {} },
    });
    const client = await many.client();
    await obtainTokens(many, client, {
      query: { scope: 'photos:read', resource: 'https://albums.example' },
    });
    const person = await logInPerson(many);
    const { text } = await person.agent.get(pathOf(client)).expect(200);
    expect(text).toMatch(
      /id="authorization-resources"><span class="eas-line"><bdi>Albums<\/bdi><\/span><\/dd>/,
    );
  });

  test('the page of an unverified app shows its origin, and links only at the redirect’s host', async () => {
    await connect();
    expect((await open()).text).toMatch(/id="client-origin">.*Registered: .*today/);
    const details = { clientUri: 'https://print.example/', policyUri: 'https://elsewhere.example/privacy' };
    await site.database.update('oauth_clients', shop.clientId, { $set: { 'registration.details': details } });
    const believed = await open();
    expect(believed.text).toContain('<a href="https://print.example/" rel="noreferrer">Website</a>');
    expect(believed.text).not.toContain('elsewhere.example');
    // with a second host, each could borrow the trust in the other
    await site.oauth.clients.update(shop.clientId, {
      redirectUris: [REDIRECT_URI, 'https://evil.example/callback'],
    });
    await connect();
    expect((await open()).text).not.toContain('href="https://print.example/"');
  });

  test('the page of a deleted app exists while its grants can be ended', async () => {
    await connect();
    await site.database.collection('oauth_clients').deleteOne({ _id: shop.clientId as never });
    const { text } = await open().expect(200);
    expect(text).toContain('It is not registered here any more.');
    expect(text).toContain(`name="client_id" value="${shop.clientId}"`);
  });

  test.each(['nobody', '__proto__', 'a%2Fb', '%00'])(
    'an app that is not connected has no page: %s',
    async (id) => {
      expect((await ada.agent.get(`${LIST}/${id}`)).status).toBe(404);
    },
  );

  test('nobody sees or changes the connected app of somebody else', async () => {
    await connect();
    expect((await open(shop, grace)).status).toBe(404);
    const page = await open();
    const sent = await postForm(grace.agent, `${pathOf(shop)}/scopes`, {
      ...hiddenFields(page),
      shown_scope: ALL.split(' '),
      scope: 'profile',
    });
    expect(sent.status).toBe(403);
  });

  test('the page of a connected app needs a login, and the login leads back', async () => {
    const { agent } = createPerson(site);
    const { status, headers } = await agent.get(pathOf(shop));
    expect([status, headers.location]).toEqual([303, `/login?return_to=${encodeURIComponent(pathOf(shop))}`]);
    const form = await postForm(agent, `${pathOf(shop)}/scopes`, {});
    expect(form.headers.location).toBe(headers.location);
  });
});

describe('the activity of an app', () => {
  test('the activity of an app shows the person’s audit, the newest first, repetitions counted', async () => {
    const { refresh_token: refreshToken } = await connect('profile photos:read');
    await obtainTokens(site, shop, { as: 'grace', query: { scope: 'profile' } });
    await refreshTokens(site, shop, refreshToken).expect(200);
    await leave([]);
    const { text } = await open();
    const lines = [...text.matchAll(/<li><time datetime="(20[^"]+)"[^>]*>[^<]+<\/time> <span>([^<]+)/g)];
    expect(lines.map(([, , terms]) => terms?.trim())).toEqual([
      'You took something back',
      'It was given access',
      'You allowed it',
    ]);
    expect(text).toContain('<span class="eas-badge">2 times</span>');
    const times = lines.map(([, time]) => String(time));
    expect([...times].sort().reverse()).toEqual(times);
  });

  test('the activity of an app shows at most ten lines of the last 30 days', async () => {
    await connect();
    const at = (index: number) => new Date(Date.now() - index * 1000);
    const entry = (index: number, time = at(index)) => ({
      type: index % 2 ? 'consent.denied' : 'token.issued',
      time,
      userId: 'ada',
      clientId: shop.clientId,
      expiresAt: new Date(Date.now() + 86_400_000),
    });
    const entries = Array.from({ length: 40 }, (_, index) => entry(index));
    await site.database.collection('oauth_audit').insertMany(entries);
    expect((await open()).text.match(/<li><time/g)).toHaveLength(10);
    await site.database.collection('oauth_audit').deleteMany({ clientId: shop.clientId });
    await site.database.collection('oauth_audit').insertOne(entry(1, new Date(Date.now() - 31 * 86_400_000)));
    expect((await open()).text).toContain('Nothing in the last 30 days.');
  });

  test('the page of a connected app has no activity if the audit is off', async () => {
    await using database = await openDatabase();
    await using off = await openSite({ database });
    const client = await off.client();
    await obtainTokens(off, client);
    const person = await logInPerson(off);
    expect((await person.agent.get(pathOf(client)).expect(200)).text).not.toContain('id="activity"');
  });
});

describe('removing scopes of a connected app', () => {
  test('a removed scope is missing from all tokens and refreshes at once, and the others stay', async () => {
    const first = await connect();
    const second = await connect();
    expect(await scopesOf(first.access_token)).toContain('photos:write');
    const page = await leave(['photos:read']);
    expect(page.text).toContain('</strong> can do less from now on.');
    expect((await open()).text).not.toContain('can do less from now on');
    for (const { access_token: token } of [first, second]) {
      expect((await scopesOf(token))?.toSorted()).toEqual(['photos:read', 'profile']);
      expect((await callApi(site, token, '/api/photos')).status).toBe(200);
    }
    const refreshed = await refreshTokens(site, shop, first.refresh_token).expect(200);
    expect(refreshed.body.scope.split(' ').sort()).toEqual(['photos:read', 'profile']);
    expect((await scopesOf(refreshed.body.access_token))?.toSorted()).toEqual(['photos:read', 'profile']);
    // RFC 6749 §6
    const more = await refreshTokens(site, shop, refreshed.body.refresh_token, { scope: 'photos:write' });
    expect(more.body.error).toBe('invalid_scope');
  });

  test('a token for some of the scopes and its introspection lose a removed scope, too', async () => {
    const { refresh_token: refreshToken } = await connect();
    const narrow = await refreshTokens(site, shop, refreshToken, { scope: 'profile photos:write' }).expect(
      200,
    );
    const api = await site.client({ name: 'API', introspection: true });
    const introspect = async () =>
      (await clientRequest(site, api, '/oauth/introspect', { token: narrow.body.access_token })).body as {
        active: boolean;
        scope: string;
      };
    expect((await introspect()).scope).toBe('profile photos:write');
    await leave(['photos:read']);
    expect(await introspect()).toMatchObject({ active: true, scope: 'profile' });
    expect(await scopesOf(narrow.body.access_token)).toEqual(['profile']);
  });

  test('an app has to ask for a removed scope again, and not for the others', async () => {
    await connect();
    await leave(['photos:read']);
    const query = codeQuery(shop);
    expect((await ada.openAuthorize({ ...query, scope: 'profile photos:read' })).status).toBe(302);
    const requested = await ada.openAuthorize({ ...query, scope: ALL });
    expect(requested.text).toContain('id="consent-form"');
    expect(requested.text).toContain('New this time');
  });

  test('a scope that a removed one includes can stay', async () => {
    const { access_token: token } = await connect('photos:write');
    expect(displayedIn(await open())).toEqual(['photos:read', 'photos:write']);
    await leave(['photos:read']);
    expect(await scopesOf(token)).toEqual(['photos:read']);
    expect((await callApi(site, token, '/api/photos')).status).toBe(200);
  });

  test('a scope that another one includes cannot be removed alone', async () => {
    const { access_token: token } = await connect();
    const page = await leave(['photos:write']);
    expect(page.text).toContain('Nothing was taken back.');
    expect(await scopesOf(token)).toEqual(expect.arrayContaining(['photos:read', 'photos:write', 'profile']));
    expect((await callApi(site, token, '/api/photos')).status).toBe(200);
  });

  test('a required scope cannot be removed, and scopes since the page was opened stay', async () => {
    const { access_token: token } = await connect('profile photos:read');
    const page = await open();
    expect(page.text).not.toMatch(/name="scope" value="profile"/);
    await connect('friends:read');
    await postForm(ada.agent, `${pathOf(shop)}/scopes`, {
      ...hiddenFields(page),
      shown_scope: displayedIn(page),
    }).expect(303);
    expect(await scopesOf(token)).toEqual(['profile']);
    expect(displayedIn(await open())).toContain('profile');
    const grants = await site.database.collection('oauth_grants').find({ clientId: shop.clientId }).toArray();
    expect(grants.map(({ authorization }) => authorization.scopes).flat()).toContain('friends:read');
  });

  test('the last scope cannot be removed', async () => {
    const { access_token: token } = await connect('photos:read photos:write');
    const page = await leave([]);
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('Leave one ticked at least')]);
    expect(await scopesOf(token)).toEqual(expect.arrayContaining(['photos:read', 'photos:write']));
  });

  test('an unredeemed code with the removed scope ends, one without it does not', async () => {
    const [with_, without] = [
      await obtainCode(site, shop, { query: { scope: ALL } }),
      await obtainCode(site, shop, { query: { scope: 'profile photos:read' } }),
    ];
    await leave(['photos:read']);
    expect((await redeem(site, shop, with_)).body.error).toBe('invalid_grant');
    expect((await redeem(site, shop, without)).body.scope).toBe('profile photos:read');
  });

  test('consents that are stored for a resource lose a scope that the user takes back', async () => {
    await connect();
    const consents = site.database.collection('oauth_consents');
    const cached = ['profile', 'photos:write', 'photos:write https://a.example', 'profile https://a.example'];
    await consents.updateOne({ clientId: shop.clientId }, { $set: { scopes: cached } });
    await leave(['photos:read']);
    const after = await consents.findOne({ clientId: shop.clientId });
    expect([...(after?.scopes as string[])].sort()).toEqual([
      'photos:read',
      'photos:read https://a.example',
      'profile',
      'profile https://a.example',
    ]);
  });

  test('the page of a trusted client has no checkboxes', async () => {
    const studio = await site.client({ name: 'Studio', trusted: true });
    await connect(ALL, studio);
    const { text } = await open(studio);
    expect(text).toContain('part of this site');
    expect(text).not.toContain('id="authorization-scopes"');
  });

  test('a client without granular consent has no checkboxes and loses no scope by a form', async () => {
    const { access_token: token } = await connect();
    await site.oauth.clients.update(shop.clientId, { granularConsent: false });
    const page = await open();
    expect(page.text).not.toContain('type="checkbox"');
    const sent = await postForm(ada.agent, `${pathOf(shop)}/scopes`, {
      ...hiddenFields(page),
      shown_scope: ALL.split(' '),
      scope: ['photos:read'],
    });
    expect((await pageAfter(ada.agent, sent)).text).toContain('Nothing was taken back.');
    expect(await scopesOf(token)).toEqual(expect.arrayContaining(ALL.split(' ')));
  });

  test('removing a scope of one person leaves the scopes of another person', async () => {
    await connect();
    const theirs = await obtainTokens(site, shop, { as: 'grace', query: { scope: ALL } });
    await leave([]);
    expect(await scopesOf(theirs.access_token)).toContain('photos:write');
  });

  test('removing a scope emits grant.narrowed with the scope', async () => {
    await connect();
    const events: unknown[] = [];
    const note = (event: unknown) => events.push(event);
    site.oauth.events.on('grant.narrowed', note);
    await leave(['photos:read']);
    site.oauth.events.off('grant.narrowed', note);
    expect(events).toMatchObject([
      { userId: 'ada', clientId: shop.clientId, scopes: ['photos:write'], count: 1, reason: 'user' },
    ]);
  });

  test.each([
    ['an empty token', { csrf_token: '' }],
    ['a token of another session', {}],
  ])('removing scopes needs the CSRF token of the page, not %s', async (_how, fields) => {
    const { access_token: token } = await connect();
    const foreign = hiddenFields(await grace.agent.get(LIST));
    const sent = await postForm(ada.agent, `${pathOf(shop)}/scopes`, {
      ...foreign,
      shown_scope: ALL.split(' '),
      ...fields,
    });
    expect(sent.status).toBe(403);
    expect(await scopesOf(token)).toContain('photos:write');
  });
});
