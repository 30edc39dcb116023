import { describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';

import { PUBLIC_ADDRESSES } from '../../../lib/core/clients/untrusted-fetch-limits.js';
import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import { letLimitEnd } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { answerLogout, openLogout, openLogoutReceiver } from '../../support/logout.js';
import { discover, openid, userinfo, verifyIdToken } from '../../support/openid.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  pageAfter,
  postForm,
} from '../../support/person.js';
import { manage, register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  callApi,
  introspectAs,
  type ObtainedTokens,
  obtainTokens,
  redeem,
  refreshTokens,
} from '../../support/tokens.js';
import { until } from '../../support/until.js';

const SALT = 'a salt of the test site, 32 characters and more';
const OTHER_URI = 'https://frames.example/callback';
const API = 'https://api.example';

const sectors = fixture(() => openJwksServer());
const receiver = fixture(() => openLogoutReceiver());
const site = siteFor({
  openid: { ...openid, pairwiseSalt: SALT },
  registration: { open: true },
  grantTypes: [
    'authorization_code',
    'refresh_token',
    'password',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  people: { authenticate: () => Promise.resolve(null) },
  security: { rateLimits: false },
  clientAuthentication: { allowPrivateAddresses: true },
  resources: { [API]: { scopes: ['photos:read'], accessTokenFormat: 'jwt' } },
});

const pairwise = (more: Partial<NewClient> = {}) =>
  site.client({
    subjectType: 'pairwise',
    introspection: true,
    grantTypes: ['authorization_code', 'refresh_token'],
    ...more,
  });

async function signIn(client: ClientWithSecret, as = 'ada', more = {}): Promise<ObtainedTokens> {
  const query = { scope: 'openid', redirect_uri: client.redirectUris[0], ...more };
  const person = await logInPerson(site, as);
  const { searchParams } = await person.authorize({
    response_type: 'code',
    client_id: client.clientId,
    ...query,
  });
  const fields = { redirect_uri: query.redirect_uri };
  return (await redeem(site, client, searchParams.get('code') ?? '', fields).expect(200)).body;
}

const subjectOf = async (client: ClientWithSecret, as?: string) =>
  String((await verifyIdToken(site, (await signIn(client, as)).id_token, client)).sub);

describe('§8.1 pairwise subjects', () => {
  test('the sub differs between sectors, is the same in one sector, and does not reveal the user id [8.1-1] [8.1-2] [8.1-3]', async () => {
    const client = await pairwise();
    const subject = await subjectOf(client);
    expect(subject).toMatch(/^[\w-]{43}$/);
    expect(await subjectOf(client)).toBe(subject);
    // another client at the same host, and another port of it, are of the same sector
    const atPort = 'https://print.example:8443/callback';
    expect(await subjectOf(await pairwise({ redirectUris: [atPort, REDIRECT_URI] }))).toBe(subject);
    const others = [
      await subjectOf(client, 'grace'),
      await subjectOf(await pairwise({ redirectUris: [OTHER_URI] })),
    ];
    expect(new Set([subject, ...others, 'ada', 'grace']).size).toBe(5);
    expect(await subjectOf(await site.client())).toBe('ada');
  });

  test('the sub is the same in ID tokens, userinfo and introspection, and the site gets the user id [5.3.2-1] [12.2-1]', async () => {
    const client = await pairwise();
    const { id_token, access_token, refresh_token } = await signIn(client, 'ada');
    const { sub } = decodeJwt(id_token);
    expect((await userinfo(site, access_token).expect(200)).body.sub).toBe(sub);
    expect((await introspectAs(site, client, access_token)).sub).toBe(sub);
    expect((await introspectAs(site, client, refresh_token)).sub).toBe(sub);
    const refreshed = await refreshTokens(site, client, refresh_token);
    expect(decodeJwt(refreshed.body.id_token).sub).toBe(sub);
    expect((await callApi(site, refreshed.body.access_token)).body.userId).toBe('ada');
  });

  test('a JWT access token for another API has the same sub, and not the user id', async () => {
    const client = await pairwise();
    const more = { scope: 'openid photos:read', resource: API };
    const { id_token, access_token } = await signIn(client, 'ada', more);
    const { sub } = decodeJwt(id_token);
    expect(decodeJwt(access_token).sub).toBe(sub);
    expect(JSON.stringify([decodeJwt(access_token), decodeJwt(id_token)])).not.toContain('"ada"');
    // introspection by an API returns the sub that the client has
    const api = await site.client({ introspection: true, resources: [API] });
    expect((await introspectAs(site, api, access_token)).sub).toBe(sub);
  });

  test('signed userinfo and logout tokens have the same sub', async () => {
    const client = await pairwise({
      userinfoSignedResponseAlg: 'RS256',
      backchannelLogoutUri: receiver.url,
    });
    const person = await logInPerson(site);
    const query = codeQuery(client);
    const { searchParams } = await person.authorize({ ...query, scope: 'openid' });
    const { body } = await redeem(site, client, searchParams.get('code') ?? '').expect(200);
    const { sub } = decodeJwt(body.id_token);
    expect(decodeJwt((await userinfo(site, body.access_token)).text).sub).toBe(sub);
    await answerLogout(person, await openLogout(person, { id_token_hint: body.id_token }));
    await until(() => receiver.tokens.length > 0);
    expect(decodeJwt(String(receiver.tokens[0]?.token)).sub).toBe(sub);
  });

  test('the sid differs between sectors, and is the same in all messages to a client', async () => {
    const frame = 'https://print.example/out';
    const client = await pairwise({ backchannelLogoutUri: receiver.url, frontchannelLogoutUri: frame });
    const elsewhere = await pairwise({ redirectUris: [OTHER_URI], backchannelLogoutUri: receiver.url });
    const open = await site.client();
    const person = await logInPerson(site);
    const sidAt = async (by: ClientWithSecret) => {
      const [redirect_uri] = by.redirectUris;
      const query = { response_type: 'code', client_id: by.clientId, redirect_uri, scope: 'openid' };
      const { searchParams } = await person.authorize(query);
      const { body } = await redeem(site, by, searchParams.get('code') ?? '', { redirect_uri });
      return String(decodeJwt(body.id_token).sid);
    };
    const sids = [await sidAt(client), await sidAt(elsewhere), await sidAt(open)];
    expect(new Set(sids).size).toBe(3);
    expect(await sidAt(client)).toBe(sids[0]);
    receiver.tokens.length = 0;
    // sessions.end accepts the sid of any client
    expect(await site.oauth.sessions.end({ userId: 'grace', sid: sids[1]! })).toBe(0);
    expect(await site.oauth.sessions.end({ userId: 'ada', sid: sids[1]! })).toBe(2);
    await until(() => receiver.tokens.length >= 2);
    expect(receiver.tokens.map(({ token }) => decodeJwt(token).sid).sort()).toEqual(sids.slice(0, 2).sort());
    await sidAt(client);
    const page = await answerLogout(person, await openLogout(person));
    expect(page.text).toContain(`${frame}?iss=${encodeURIComponent(site.url)}&amp;sid=${sids[0]}`);
  });

  test('id_token_hint and claims accept the pairwise sub, and not the user id [3.1.2.1-4] [5.5.1-2]', async () => {
    const client = await pairwise();
    const { id_token } = await signIn(client);
    const ask = async (as: string, more: Record<string, string>) => {
      const person = await logInPerson(site, as);
      const query = codeQuery(client);
      const { searchParams } = locationOf(
        await person.openAuthorize({ ...query, scope: 'openid', prompt: 'none', ...more }),
      );
      return searchParams.get('error') ?? 'signed in';
    };
    const claimsFor = (value: unknown) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) });
    expect(await ask('ada', { id_token_hint: id_token })).toBe('signed in');
    expect(await ask('grace', { id_token_hint: id_token })).toBe('login_required');
    expect(await ask('ada', claimsFor(decodeJwt(id_token).sub))).toBe('signed in');
    expect(await ask('ada', claimsFor('ada'))).toBe('login_required');
  });

  test('a pairwise sub costs no further database command', async () => {
    const [open, hidden] = [await site.client({ introspection: true }), await pairwise()];
    const commandsOf = async (client: ClientWithSecret) => {
      const { access_token } = await signIn(client);
      const once = () =>
        commandsDuring(site.database, async () => {
          await userinfo(site, access_token);
          await introspectAs(site, client, access_token);
        });
      // on a busy machine a cached client may expire in between, and is read again
      return Math.min((await once()).length, (await once()).length, (await once()).length);
    };
    expect(await commandsOf(hidden)).toBe(await commandsOf(open));
  });

  test('a sign-in without pairwiseSalt fails, and does not reveal the user id', async () => {
    const client = await pairwise();
    const { access_token } = await signIn(client);
    await using without = await openSite({ openid, database: site.database, issuer: site.url });
    const { status, text } = await userinfo(without, access_token);
    expect([status, text]).toEqual([500, expect.not.stringContaining('ada')]);
    await expect(obtainTokens(without, client, { query: { scope: 'openid' } })).rejects.toThrow(/500/);
    expect(without.errors[0]?.detail).toContain('openid.pairwiseSalt');
  });
});

describe('OpenID Connect Registration §5', () => {
  const sector = () => sectors.url.replace('/jwks', `/sector-${Math.random()}`);
  const metadata = (more = {}) => ({
    subject_type: 'pairwise',
    redirect_uris: [REDIRECT_URI, OTHER_URI],
    sector_identifier_uri: sector(),
    ...more,
  });
  const count = () => site.oauth.models.Client.countDocuments({});

  test('clients with the same sector document share a sector, whatever their hosts [8.1-4]', async () => {
    sectors.json([OTHER_URI, REDIRECT_URI, 'https://third.example/callback']);
    const subjects = [];
    for (const uri of [REDIRECT_URI, OTHER_URI])
      subjects.push(await subjectOf(await pairwise({ redirectUris: [uri], sectorIdentifierUri: sector() })));
    expect(subjects[0]).toBe(subjects[1]);
    expect(subjects[0]).not.toBe(await subjectOf(await pairwise()));
    expect((await discover(site)).subject_types_supported).toEqual(['public', 'pairwise']);
  });

  test('a sector document has to list the redirect URIs at registration and at each change [8.1-5]', async () => {
    sectors.json([REDIRECT_URI, OTHER_URI]);
    const requested = metadata();
    const { status, body } = await register(site, requested);
    expect([status, body]).toEqual([201, expect.objectContaining(requested)]);
    const changed = await manage(site, 'put', body, {
      ...requested,
      client_id: body.client_id,
      redirect_uris: ['https://evil.example/callback'],
    });
    expect([changed.status, changed.body.error]).toEqual([400, 'invalid_client_metadata']);
    const own = site.oauth.clients.update(body.client_id, { redirectUris: ['https://evil.example/cb'] });
    await expect(own).rejects.toThrow(/does not list https:\/\/evil\.example/);
    const { redirectUris } = (await site.oauth.clients.find(body.client_id)) ?? {};
    expect(redirectUris).toEqual(requested.redirect_uris);
    // unchanged redirect URIs need no document
    const asks = sectors.requests.length;
    sectors.answer((_req, res) => res.writeHead(500).end());
    expect(await site.oauth.clients.update(body.client_id, { name: 'Frames' })).not.toBeNull();
    expect(sectors.requests.length).toBe(asks);
  });

  test.each([
    ['lacks a redirect URI', () => sectors.json([REDIRECT_URI]), /does not list/],
    ['is no list', () => sectors.json({ redirect_uris: [REDIRECT_URI, OTHER_URI] }), /no JSON array/],
    ['is no JSON', () => sectors.answer((_req, res) => res.end('<p>')), /could not be fetched/],
    [
      'is too long',
      () => sectors.json([REDIRECT_URI, OTHER_URI, 'x'.repeat(70_000)]),
      /could not be fetched/,
    ],
    [
      'redirects',
      () => sectors.answer((_req, res) => res.writeHead(302, { location: '/jwks' }).end()),
      /could not be fetched/,
    ],
    ['is missing', () => sectors.answer((_req, res) => res.writeHead(404).end()), /could not be/],
    [
      'never arrives',
      () => {
        const endLimit = letLimitEnd(PUBLIC_ADDRESSES.timeout, 'by hand');
        sectors.answer(() => endLimit());
      },
      /could not be fetched/,
    ],
  ])('a sector document that %s is refused [8.1-5]', async (_what, answer, text) => {
    answer();
    const before = await count();
    const { status, body } = await register(site, metadata());
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    expect(body.error_description).toMatch(text);
    expect(await count()).toBe(before);
  });

  test.each([
    ['two hosts and no document', { sector_identifier_uri: undefined }],
    ['a loopback redirect URI', { sector_identifier_uri: undefined, redirect_uris: ['http://127.0.0.1/cb'] }],
    ['a private-use scheme', { sector_identifier_uri: undefined, redirect_uris: ['com.example.app:/cb'] }],
    ['a document by http:', { sector_identifier_uri: 'http://print.example/sector.json' }],
    ['a document with a fragment', { sector_identifier_uri: 'https://print.example/sector.json#a' }],
    ['an unknown subject_type', { subject_type: 'secret' }],
  ])('registration with %s is refused [8.1-6]', async (_what, more) => {
    sectors.json([REDIRECT_URI, OTHER_URI]);
    const asks = sectors.requests.length;
    const { status, body } = await register(site, metadata(more));
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    expect(sectors.requests.length).toBe(asks);
  });

  test('a client may go back to public subjects', async () => {
    const client = await pairwise();
    await site.oauth.clients.update(client.clientId, { subjectType: undefined });
    expect(await subjectOf(client)).toBe('ada');
  });
});

describe('§8.1 sectors of other clients', () => {
  const VICTIM = 'https://print.example/callback';
  const refusal = (text: RegExp) =>
    expect.objectContaining({
      error: 'invalid_client_metadata',
      error_description: expect.stringMatching(text),
    });

  test.each(['urn:ietf:params:oauth:grant-type:device_code', 'password'])(
    'a client with the grant %s cannot join a sector by its redirect URIs or its document',
    async (grantType) => {
      sectors.json([VICTIM]);
      const elsewhere = { redirectUris: [VICTIM], grantTypes: ['authorization_code', grantType] };
      await expect(pairwise(elsewhere)).rejects.toThrow(/at their redirect URIs alone/);
      await expect(pairwise({ ...elsewhere, sectorIdentifierUri: sectors.url })).rejects.toThrow(grantType);
      const own = await pairwise();
      await expect(site.oauth.clients.update(own.clientId, elsewhere)).rejects.toThrow(grantType);
      // such a client knows people by public subjects
      expect((await site.client(elsewhere)).subjectType).toBeUndefined();
    },
  );

  test('a client cannot join another sector by a change of its redirect URIs or subject_type', async () => {
    sectors.json([VICTIM]);
    const base = { redirect_uris: [OTHER_URI], scope: 'openid' };
    for (const subject_type of ['pairwise', 'public']) {
      const { body: registered } = await register(site, { ...base, subject_type });
      const { client_id } = registered;
      const stolen = { ...base, client_id, subject_type: 'pairwise', redirect_uris: [VICTIM] };
      for (const more of [{}, { sector_identifier_uri: sectors.url }]) {
        const { status, body } = await manage(site, 'put', registered, { ...stolen, ...more });
        expect([status, body]).toEqual([400, refusal(/stays in its sector/)]);
      }
      const { redirectUris, subjectType } = (await site.oauth.clients.find(client_id)) ?? {};
      expect([redirectUris, subjectType]).toEqual([[OTHER_URI], subject_type]);
    }
  });

  test('the owner of an application cannot move the application to another sector', async () => {
    const { clientId } = await pairwise({ ownerId: 'ada', redirectUris: [OTHER_URI] });
    const person = await logInPerson(site);
    const address = `/oauth/applications/${clientId}/edit`;
    const save = async (redirectUri: string) => {
      const form = hiddenFields(await person.agent.get(address));
      const fields = {
        name: 'Frames',
        redirect_uris: redirectUri,
        scope: ['photos:read'],
        grant_type: ['authorization_code', 'refresh_token'],
      };
      const answer = postForm(person.agent, address, { ...form, ...fields });
      return (await pageAfter(person.agent, await answer)).text;
    };
    expect(await save(VICTIM)).toContain('stays in its sector');
    expect((await site.oauth.clients.find(clientId))?.redirectUris).toEqual([OTHER_URI]);
    await save(`${OTHER_URI}/next`);
    expect((await site.oauth.clients.find(clientId))?.redirectUris).toEqual([`${OTHER_URI}/next`]);
  });

  test('a client may change the path of its redirect URI, and the site may change its sector', async () => {
    const moved = 'https://frames.example/next';
    const { body } = await register(site, { redirect_uris: [OTHER_URI], subject_type: 'pairwise' });
    const requested = { client_id: body.client_id, redirect_uris: [moved], subject_type: 'pairwise' };
    const changed = await manage(site, 'put', body, requested);
    expect([changed.status, changed.body.redirect_uris]).toEqual([200, [moved]]);
    const own = await site.oauth.clients.update(body.client_id, { redirectUris: [VICTIM] });
    expect(own?.redirectUris).toEqual([VICTIM]);
  });
});

test('a sector document in a private network is not fetched', async () => {
  await using guarded = await openSite({ openid: { ...openid, pairwiseSalt: SALT } });
  const asks = sectors.requests.length;
  for (const sectorIdentifierUri of [sectors.url, 'https://10.0.0.1/s', 'https://localhost/s'])
    await expect(guarded.client({ subjectType: 'pairwise', sectorIdentifierUri })).rejects.toThrow(
      /could not be fetched/,
    );
  expect(sectors.requests.length).toBe(asks);
});
