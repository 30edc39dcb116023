import { createHash } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import {
  CLIENT_ID,
  type Document,
  fill,
  later,
  migrate,
  NAMES,
  newToken,
  oldClient,
  oldToken,
  SECRET,
} from '../support/migration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { basic, callApi, postToken } from '../support/tokens.js';

let site: Site;
beforeEach(async () => {
  site = await openSite({ tokens: { migrated: true } });
});
afterEach(() => site.close());

/** The reason first, as part of the title. */
const reasonFirst = (rows: readonly (readonly [Document, string])[]) =>
  rows.map(([changes, reason]) => [reason, changes] as const);
const refresh = (refreshToken: string) =>
  postToken(site, { grant_type: 'refresh_token', refresh_token: refreshToken }).set(
    'Authorization',
    basic(CLIENT_ID, SECRET),
  );
const consents = () =>
  site.database
    .collection('oauth_consents')
    .find({}, { projection: { _id: 0, userId: 1, clientId: 1, scopes: 1 } })
    .toArray();
const statusOf = async (token: string) => (await callApi(site, token)).status;

describe('wrong data beside right data', () => {
  const good = oldToken();
  const WRONG: readonly (readonly [Document, string])[] = [
    [{ accessToken: undefined, refreshToken: undefined }, 'there is no token in it'],
    [{ accessToken: 5, refreshToken: { $gt: '' } }, 'there is no token in it'],
    [{ accessToken: 'short', refreshToken: 'short' }, 'it has fewer than 16 characters'],
    [
      { accessToken: 'a'.repeat(20_000), refreshToken: 'b'.repeat(20_000) },
      'it has more than 16384 characters',
    ],
    [
      { accessToken: `${newToken()}\n`, refreshToken: `${newToken()}\u{e9}` },
      'characters that cannot be sent',
    ],
    [
      { accessToken: `eas_at_${newToken()}`, refreshToken: `eas_rt_${newToken()}` },
      'it begins as the tokens of',
    ],
    [{ accessTokenExpiresAt: 'soon', refreshTokenExpiresAt: {} }, 'its end is no date'],
    [{ accessTokenExpiresAt: later(-5), refreshTokenExpiresAt: later(-5).getTime() }, 'it has expired'],
    [{ client: undefined }, 'it names no client'],
    [{ client: { id: 'nobody' } }, 'there is no such client'],
    [{ client: { id: { $ne: '' } } }, 'it names no client'],
    [{ user: { id: ['ada'] } }, 'its user is no id'],
    [{ user: { id: 'nobody' } }, 'the site has no such user'],
    [{ scope: ['a b', 'c"'] }, 'its scopes are none'],
    [{ scope: 5 }, 'its scopes are none'],
  ];

  test.each(reasonFirst(WRONG))('migrate leaves out wrong tokens only: %s', async (reason, changes) => {
    await fill(site, NAMES.clients, [oldClient()]);
    await fill(site, NAMES.users, [{ _id: 'ada' }]);
    await fill(site, NAMES.tokens, [oldToken(changes), good]);
    const { report, counts } = await migrate(site, 'node-oauth');
    const leftOut = report.leftOut as { reason: string; count: number }[];
    for (const each of leftOut) expect(each.reason).toContain(reason);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(counts.slice(1)).toEqual([
      expect.stringMatching(/^2 1 0 1$/),
      expect.stringMatching(/^(2 1 0 1|1 1 0 0)$/),
      '1 1 0 0',
    ]);
    expect([await statusOf(good.accessToken), (await refresh(good.refreshToken)).status]).toEqual([200, 200]);
  });

  const WRONG_CLIENTS: readonly (readonly [Document, string])[] = [
    [{ clientId: undefined }, 'it has no id (clients.id)'],
    [{ clientId: 'two words' }, 'printable ASCII characters without space'],
    [{ clientSecret: { hash: 'x' } }, 'its secret is no text (clients.secret)'],
    [{ clientSecret: 'grüße an alle Leute' }, 'characters that cannot be sent'],
    [{ redirectUris: [5] }, 'its redirectUris are no list of texts'],
    [{ redirectUris: {} }, 'its redirectUris are no list of texts'],
    [{ grants: 5 }, 'its grantTypes are no list of texts'],
    [{ scopes: ['a"b'] }, 'is not a scope'],
    [{ clientId: 'good', name: 'Twice' }, 'there is another one by the same id before it'],
  ];
  test.each(reasonFirst(WRONG_CLIENTS))('migrate leaves out a wrong client: %s', async (reason, changes) => {
    const wrong = { clientId: CLIENT_ID, ...changes };
    await fill(site, NAMES.clients, [oldClient({ clientId: 'good', name: 'Good' }), oldClient(wrong)]);
    await fill(site, NAMES.tokens, [oldToken({ client: { id: wrong.clientId ?? CLIENT_ID } })]);
    const { counts, leftOut } = await migrate(site, 'node-oauth');
    expect([counts[0], leftOut[0]]).toEqual(['2 1 0 1', expect.stringContaining(reason)]);
    expect((await site.oauth.clients.find('good'))?.name).toBe('Good');
  });

  test('migrate replaces names that cannot be displayed by ids', async () => {
    const names = ['', 'a\u202eb', '\u001b[2J', 'n'.repeat(200), 5];
    await fill(
      site,
      NAMES.clients,
      names.map((name, index) => oldClient({ name, clientId: `client-${index}` })),
    );
    const { counts, stdout } = await migrate(site, 'node-oauth');
    expect(counts[0]).toBe('5 5 0 0');
    expect(['\u001b', '\u202e'].filter((character) => stdout.includes(character))).toEqual([]);
    expect((await site.oauth.clients.find('client-2'))?.name).toBe('client-2');
  });

  test('migrate gives a token without an end one only by option', async () => {
    await fill(site, NAMES.clients, [oldClient()]);
    const endless = oldToken({ accessTokenExpiresAt: undefined, refreshTokenExpiresAt: undefined });
    await fill(site, NAMES.tokens, [endless]);
    const { report, counts } = await migrate(site, 'node-oauth', '--refresh-token-ttl', '600');
    expect(report.leftOut).toMatchObject([{ reason: 'it has no end', option: '--access-token-ttl' }]);
    expect(counts.slice(1, 3)).toEqual(['1 0 0 1', '1 1 0 0']);
    await migrate(site, 'node-oauth', '--access-token-ttl', '60');
    const exp = Number((await callApi(site, endless.accessToken)).body.expiresAt) - Date.now() / 1000;
    expect([exp > 0, exp <= 61]).toEqual([true, true]);
    const [grant] = await site.database.collection('oauth_grants').find().toArray();
    expect(Number(grant?.refreshToken.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
  });
});

describe('clients and users of migrated tokens', () => {
  test('migrate recognizes clients and users by ObjectId, document and id', async () => {
    const [client, person] = [new mongoose.Types.ObjectId(), new mongoose.Types.ObjectId()];
    await fill(site, NAMES.clients, [oldClient({ _id: client })]);
    await fill(site, NAMES.users, [{ _id: person }]);
    const tokens = [
      { client, user: person },
      { client: { _id: client, clientId: CLIENT_ID }, user: { _id: person, password: 'x' } },
      { client: undefined, clientId: CLIENT_ID, user: undefined, userId: String(person) },
    ].map(oldToken);
    await fill(site, NAMES.tokens, tokens);
    expect((await migrate(site, 'node-oauth')).counts.slice(1)).toEqual(['3 3 0 0', '3 3 0 0', '1 1 0 0']);
    for (const { accessToken } of tokens)
      expect((await callApi(site, accessToken)).body).toMatchObject({
        userId: String(person),
        clientId: CLIENT_ID,
      });
  });

  test('migrate takes over tokens without a user for confidential clients only', async () => {
    await fill(site, NAMES.clients, [
      oldClient(),
      oldClient({ clientId: 'public', clientSecret: undefined }),
    ]);
    const own = oldToken({ user: { id: CLIENT_ID }, refreshToken: undefined });
    const nobodys = oldToken({ client: { id: 'public' }, user: undefined, refreshToken: undefined });
    await fill(site, NAMES.tokens, [own, nobodys]);
    const { counts, leftOut } = await migrate(site, 'node-oauth');
    expect([counts[1], counts[3], leftOut]).toEqual([
      '2 1 0 1',
      '0 0 0 0',
      ['accessTokens: it names no user, and its client is public'],
    ]);
    expect((await callApi(site, own.accessToken)).body.userId).toBeUndefined();
  });

  test('migrate --no-consents lets people consent again', async () => {
    await fill(site, NAMES.clients, [oldClient()]);
    await fill(site, NAMES.tokens, [oldToken()]);
    await migrate(site, 'node-oauth', '--no-consents');
    expect(await consents()).toEqual([]);
  });
});

describe('migrate oauth2orize', () => {
  const [accessToken, refreshToken] = [newToken(), newToken()];
  const of = { clientID: '1', userID: 'ada', scope: 'profile' };
  beforeEach(() =>
    fill(site, 'clients', [
      { id: '1', name: 'Shop', clientId: CLIENT_ID, clientSecret: SECRET, redirectURI: REDIRECT_URI },
    ]),
  );

  test('migrate oauth2orize takes over access and refresh tokens of two collections', async () => {
    await fill(site, 'accesstokens', [{ token: accessToken, expirationDate: later(), ...of }]);
    await fill(site, 'refreshtokens', [{ token: refreshToken, ...of }]);
    const { counts, leftOut, changed } = await migrate(site, 'oauth2orize');
    expect([counts, leftOut]).toEqual([['1 1 0 0', '1 1 0 0', '1 1 0 0', '1 1 0 0'], []]);
    expect(changed).toEqual(['clients: it may ask for the scopes of its tokens']);
    expect([await statusOf(accessToken), (await refresh(refreshToken)).status]).toEqual([200, 200]);
    expect((await refresh(refreshToken)).body.error).toBe('invalid_grant');
    expect(await consents()).toEqual([{ userId: 'ada', clientId: CLIENT_ID, scopes: ['profile'] }]);
  });

  test('migrate oauth2orize takes over hashed tokens of one collection and consents', async () => {
    const hash = (token: string) => sha256Of(token);
    const ends = { accessTokenExpiresAt: later(), expiresAt: later(86_400) };
    await fill(site, 'tokens', [
      { accessToken: hash(accessToken), refreshToken: hash(refreshToken), ...ends, ...of },
      { accessToken: hash(newToken()), ...ends, ...of },
    ]);
    await fill(site, 'allowed', [{ userId: 'ada', clientId: CLIENT_ID, scopes: ['photos:read'] }]);
    const map = ['accessTokens=tokens', 'refreshTokens=tokens', 'consents=allowed'];
    const { counts, leftOut } = await migrate(site, 'oauth2orize', '--tokens-are', 'sha256', '--map', ...map);
    expect([counts, leftOut]).toEqual([['1 1 0 0', '2 2 0 0', '1 1 0 0', '2 2 0 0'], []]);
    expect([await statusOf(accessToken), (await refresh(refreshToken)).status]).toEqual([200, 200]);
    expect((await consents())[0]?.scopes).toEqual(['profile', 'photos:read']);
  });
});

function sha256Of(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const AT_ONE_HOST = { redirect_uris: ['https://shop.example/callback'] };

describe('migrate oidc-provider', () => {
  const seconds = (life = 3600) => Math.floor(Date.now() / 1000) + life;
  const put = (name: string, payload: Document, id: string = newToken()) =>
    fill(site, name, [{ _id: id, payload, expiresAt: later() }]);
  const token = async (name: string, changes: Document = {}) => {
    const jti = newToken();
    const common = { clientId: CLIENT_ID, accountId: 'ada', grantId: 'g1', scope: 'profile' };
    await put(name, { jti, exp: seconds(), iat: seconds(-60), ...common, ...changes }, jti);
    return jti;
  };
  beforeEach(async () => {
    await put('client', {
      client_id: CLIENT_ID,
      client_name: 'Shop',
      client_secret: SECRET,
      scope: 'profile',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    });
    const allowed = { scope: 'openid profile' };
    await put('grant', { accountId: 'ada', clientId: CLIENT_ID, exp: seconds(), openid: allowed }, 'g1');
  });

  test('migrate oidc-provider takes over the tokens and the consent of a grant', async () => {
    const [access, refreshToken] = [await token('access_token'), await token('refresh_token')];
    const own = await token('client_credentials', { accountId: undefined, grantId: undefined });
    const { counts, leftOut } = await migrate(site, 'oidc-provider');
    expect([counts, leftOut]).toEqual([['1 1 0 0', '2 2 0 0', '1 1 0 0', '1 1 0 0'], []]);
    for (const each of [access, own]) expect(await statusOf(each)).toBe(200);
    expect(await consents()).toEqual([{ userId: 'ada', clientId: CLIENT_ID, scopes: ['openid', 'profile'] }]);
    expect((await refresh(refreshToken)).status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(400);
    expect(await statusOf(access)).toBe(401);
    expect((await migrate(site, 'oidc-provider')).counts).toEqual([
      '1 0 1 0',
      '2 0 2 0',
      '1 0 1 0',
      '1 0 1 0',
    ]);
  });

  const DEAD: readonly (readonly [Document, string])[] = [
    [{ consumed: seconds(-5) }, 'it was used already'],
    [{ jkt: 'thumbprint' }, 'it is bound to a key'],
    [{ 'x5t#S256': 'thumbprint' }, 'it is bound to a key'],
    [{ grantId: 'revoked' }, 'its grant has ended'],
    [{ expiresWithSession: true, sessionUid: 'ended' }, 'its login has ended'],
    [{ format: 'jwt' }, 'a format of before'],
    [{ resource: 'no url', aud: 'no url' }, 'is no URL'],
  ];
  test.each(reasonFirst(DEAD))('migrate oidc-provider takes over no token: %s', async (reason, changes) => {
    await put('session', { uid: 'running' });
    const [access, refreshToken] = [
      await token('access_token', changes),
      await token('refresh_token', changes),
    ];
    const { leftOut } = await migrate(site, 'oidc-provider');
    expect(leftOut).toEqual([expect.stringContaining(reason), expect.stringContaining(reason)]);
    expect([await statusOf(access), (await refresh(refreshToken)).status]).toEqual([401, 400]);
    expect(JSON.stringify(leftOut)).not.toContain(access);
  });

  test('migrate oidc-provider takes over a token of a session that still exists', async () => {
    await put('session', { uid: 'running' });
    const access = await token('access_token', { expiresWithSession: true, sessionUid: 'running' });
    await migrate(site, 'oidc-provider');
    expect(await statusOf(access)).toBe(200);
  });

  const OTHERS: readonly (readonly [Document, string])[] = [
    [{ token_endpoint_auth_method: 'tls_client_auth' }, 'tls_client_auth: switch on the option mutualTls'],
    [{ token_endpoint_auth_method: 'self_signed_tls_client_auth' }, 'switch on the option mutualTls'],
    [{ token_endpoint_auth_method: 'example_iris' }, 'example_iris, which there is not here'],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'register it by code'],
    [{ client_secret_expires_at: 5 }, 'its secret has expired'],
    [{ client_secret: undefined }, 'it authenticates by client_secret_basic and has no secret'],
  ];
  test.each(reasonFirst(OTHERS))('migrate oidc-provider leaves out a client: %s', async (reason, changes) => {
    const { leftOut } = await withClient(changes);
    expect(leftOut).toEqual([expect.stringContaining(reason)]);
  });

  test('migrate oidc-provider takes over public clients and keys of clients', async () => {
    const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
    await withClient({ token_endpoint_auth_method: 'none', client_secret: undefined, client_id: 'public' });
    await withClient({ token_endpoint_auth_method: 'private_key_jwt', jwks, client_id: 'keyed' });
    expect((await site.oauth.clients.find('public'))?.type).toBe('public');
    expect(await site.oauth.clients.find('keyed')).toMatchObject({
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks,
      secrets: [],
    });
  });

  test('migrate oidc-provider copies the other metadata of a client', async () => {
    const { leftOut, changed } = await withClient({
      application_type: 'web',
      response_types: ['code'],
      subject_type: 'public',
      post_logout_redirect_uris: ['https://shop.example/out'],
      backchannel_logout_uri: 'https://shop.example/backchannel',
      default_max_age: 600,
      require_auth_time: false,
      id_token_signed_response_alg: 'ES256',
      client_uri: 'https://shop.example/',
      logo_uri: '',
    });
    expect([leftOut, changed]).toEqual([[], []]);
    expect(await stored('other')).toMatchObject({
      applicationType: 'web',
      subjectType: 'public',
      postLogoutRedirectUris: ['https://shop.example/out'],
      backchannelLogoutUri: 'https://shop.example/backchannel',
      defaultMaxAge: 600,
      idTokenSignedResponseAlg: 'ES256',
      clientUri: 'https://shop.example/',
    });
  });

  const DIFFERENT: readonly (readonly [Document, string])[] = [
    [{ id_token_signed_response_alg: 'HS256' }, 'without id_token_signed_response_alg: '],
    [{ default_max_age: 'soon' }, 'without default_max_age: it must be a number'],
    [
      { web_message_uris: ['https://shop.example'] },
      'without web_message_uris, for which there is no field here',
    ],
    [{ subject_type: 'pairwise', ...AT_ONE_HOST }, 'its users get another sub'],
    [{ jwks: { keys: [{ kty: 'EC', d: 'private' }] } }, 'without jwks: '],
    [{ jwks: { keys: 'none' } }, 'without jwks: '],
  ];
  test.each(reasonFirst(DIFFERENT))('migrate says of a client: %s', async (reason, changes) => {
    const { leftOut, changed } = await withClient(changes);
    expect([leftOut, changed]).toEqual([[], [expect.stringContaining(reason)]]);
    expect(await stored('other')).not.toBeNull();
  });

  test('migrate oidc-provider never reveals user ids to a client with pairwise subjects', async () => {
    await withClient({ subject_type: 'pairwise', ...AT_ONE_HOST });
    expect(await stored('other')).toMatchObject({ subjectType: 'pairwise' });
    const severalHosts = { redirect_uris: ['https://a.example/cb', 'https://b.example/cb'] };
    const { leftOut } = await withClient({ subject_type: 'pairwise', ...severalHosts, client_id: 'third' });
    expect(leftOut).toEqual([expect.stringContaining('its users have pairwise subjects: ')]);
    const sector = { sector_identifier_uri: 'https://a.example/sector.json' };
    await withClient({ subject_type: 'pairwise', ...severalHosts, ...sector, client_id: 'fourth' });
    expect([await stored('third'), await stored('fourth')]).toEqual([
      null,
      expect.objectContaining({
        subjectType: 'pairwise',
        sectorIdentifierUri: 'https://a.example/sector.json',
      }),
    ]);
  });

  /** The stored client: this site has no OpenID Connect. */
  const stored = (clientId: string) => site.database.find('oauth_clients', clientId);

  async function withClient(changes: Document) {
    await put('client', {
      client_id: 'other',
      client_name: 'Other',
      client_secret: SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code'],
      scope: 'profile',
      ...changes,
    });
    return migrate(site, 'oidc-provider', '--no-consents');
  }
});
