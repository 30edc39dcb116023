import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';

import { hashSecret } from '../../lib/shared/crypto/secrets.js';
import { runCli } from '../support/cli.js';
import {
  CLIENT_ID,
  type Document,
  fill,
  migrate,
  NAMES,
  oldClient,
  oldToken,
  SECRET,
} from '../support/migration.js';
import { locationOf, logInPerson } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { basic, callApi, postToken } from '../support/tokens.js';

let site: Site;
beforeEach(async () => {
  site = await openSite({
    tokens: { migrated: true },
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
});
afterEach(() => site.close());

const GRANTS = { grants: ['client_credentials'], redirectUris: [] };
/** The status of a token request with the client's secret. */
const authenticate = async (clientSecret: string, clientId = CLIENT_ID) =>
  (
    await postToken(site, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(clientId, clientSecret),
    )
  ).status;
const take = async (client: Document, ...args: string[]) => {
  await fill(site, NAMES.clients, [client]);
  return migrate(site, 'node-oauth', ...args);
};
const stored = () => site.oauth.clients.find(CLIENT_ID);

describe('migrated secrets', () => {
  test.each(['$2a$', '$2b$', '$2y$'])(
    'migrate takes over a bcrypt hash that begins with %s',
    async (prefix) => {
      const hash = (await bcrypt.hash(SECRET, 4)).replace(/^\$2b\$/, prefix);
      const { counts, leftOut } = await take(oldClient({ ...GRANTS, clientSecret: hash }));
      expect([counts[0], leftOut]).toEqual(['1 1 0 0', []]);
      expect([
        await authenticate(SECRET),
        await authenticate(`${SECRET}.`),
        await authenticate(hash),
      ]).toEqual([200, 401, 401]);
    },
  );

  test.each([
    ['$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaGhhc2hoYXNo', 'a hash that is not one by bcrypt'],
    [`$2x$10$${'a'.repeat(53)}`, 'a hash that is not one by bcrypt'],
    [`$2b$31$${'a'.repeat(53)}`, 'at a cost of 31'],
    [`$2b$10$${'a'.repeat(20)}`, 'a hash that is not one by bcrypt'],
  ])('migrate refuses the hash %s', async (clientSecret, reason) => {
    const { leftOut, code } = await take(oldClient({ clientSecret }));
    expect([leftOut, code]).toEqual([[expect.stringContaining(reason)], 1]);
    expect(await stored()).toBeNull();
  });

  test('migrate hashes secrets in clear, also those longer than bcrypt reads', async () => {
    const long = 'c0ffee'.repeat(3) + SECRET.repeat(3);
    await fill(site, NAMES.clients, [
      oldClient(GRANTS),
      oldClient({ ...GRANTS, clientId: 'long', clientSecret: long }),
    ]);
    expect((await migrate(site, 'node-oauth')).counts[0]).toBe('2 2 0 0');
    expect([await authenticate(SECRET), await authenticate(long, 'long')]).toEqual([200, 200]);
    expect([await authenticate(long.slice(0, 72), 'long'), await authenticate(`${long}0`, 'long')]).toEqual([
      401, 401,
    ]);
    const all = await site.database.collection('oauth_clients').find().toArray();
    for (const secret of [SECRET, long]) expect(JSON.stringify(all)).not.toContain(secret);
  });

  test.each(['short', 'printing-shop', 'abcabcabcabcabcabc'])(
    'migrate refuses a client with the secret %s unless --short-secrets is take',
    async (clientSecret) => {
      const { leftOut, report } = await take(oldClient({ ...GRANTS, clientSecret }));
      expect(leftOut).toEqual([expect.stringContaining('clients: its secret can be guessed')]);
      expect(report.leftOut).toMatchObject([{ option: '--short-secrets', names: [CLIENT_ID], count: 1 }]);
      const taken = await migrate(site, 'node-oauth', '--short-secrets', 'take');
      expect([taken.code, taken.leftOut]).toEqual([0, []]);
      expect(taken.changed).toContainEqual(expect.stringContaining('taken: its secret can be guessed'));
      expect(await authenticate(clientSecret)).toBe(200);
    },
  );

  test('migrate takes over SHA-256 hashes with --secrets-are, and notes likely ones', async () => {
    const hex = Buffer.from(hashSecret(SECRET), 'base64url').toString('hex');
    await fill(site, NAMES.clients, [
      oldClient({ ...GRANTS, clientSecret: hex }),
      oldClient({ ...GRANTS, clientId: 'base64', clientSecret: Buffer.from(hex, 'hex').toString('base64') }),
      oldClient({ ...GRANTS, clientId: 'none', clientSecret: 'not a hash at all' }),
    ]);
    const dry = await migrate(site, 'node-oauth', '--dry-run');
    expect(dry.report.notes).toContainEqual(expect.stringContaining('1 secrets have 64 hexadecimal digits'));
    const { counts, leftOut } = await migrate(site, 'node-oauth', '--secrets-are', 'sha256');
    expect([counts[0], leftOut]).toEqual(['3 2 0 1', ['clients: its secret is no SHA-256 hash']]);
    expect([
      await authenticate(SECRET),
      await authenticate(SECRET, 'base64'),
      await authenticate(hex),
    ]).toEqual([200, 200, 401]);
  });

  test('migrate makes a client without a secret public, without client_credentials', async () => {
    const { leftOut } = await take(oldClient({ clientSecret: '' }));
    expect([leftOut, await stored()]).toEqual([[], expect.objectContaining({ type: 'public', secrets: [] })]);
    await fill(site, NAMES.clients, [
      oldClient({ clientId: 'other', clientSecret: null, grants: GRANTS.grants }),
    ]);
    expect((await migrate(site, 'node-oauth')).leftOut).toEqual([
      'clients: A public client cannot use client_credentials: it has no credentials.',
    ]);
  });
});

describe('migrated redirect URIs that cannot be registered', () => {
  const PRIVATE = 'myapp://callback';
  const INTRANET = 'http://intranet/cb';
  test.each([
    ['--private-schemes', PRIVATE],
    ['--http-redirects', INTRANET],
    ['--other-redirects', 'https://*.example/cb'],
    ['--other-redirects', 'javascript:alert(1)'],
    // RFC 6749 §3.1: the response would contain the parameter twice
    ['--other-redirects', `${INTRANET}?state=1`],
    ['--other-redirects', `${PRIVATE}?code=1`],
  ])('migrate with %s refuses %s or leaves it out', async (option, uri) => {
    const refused = await take(oldClient({ redirectUris: [REDIRECT_URI, uri] }));
    expect(refused.report.leftOut).toMatchObject([
      { option, reason: expect.stringContaining(`its redirect URI ${uri}`), names: [CLIENT_ID] },
    ]);
    expect(await stored()).toBeNull();
    const without = await migrate(site, 'node-oauth', option, 'leave-out');
    expect([without.counts[0], without.code]).toEqual(['1 1 0 0', 0]);
    expect(without.changed).toContainEqual(expect.stringContaining(`left out: its redirect URI ${uri}`));
    expect((await stored())?.redirectUris).toEqual([REDIRECT_URI]);
  });

  test('migrate refuses a client without a remaining redirect URI', async () => {
    const { leftOut } = await take(oldClient({ redirectUris: [INTRANET] }), '--http-redirects', 'leave-out');
    expect(leftOut).toEqual([expect.stringContaining('At least one redirect URI is needed')]);
  });

  test.each([
    ['--private-schemes', PRIVATE],
    ['--http-redirects', INTRANET],
  ])('migrate with %s take lets codes go to %s, and the client can still change', async (option, uri) => {
    await take(oldClient({ redirectUris: [uri] }), option, 'take');
    const person = await logInPerson(site);
    const query = { response_type: 'code', client_id: CLIENT_ID, redirect_uri: uri, scope: 'profile' };
    const location = await person.authorize(query);
    expect(location.href).toContain(`${uri}?code=eas_ac_`);
    await site.oauth.clients.update(CLIENT_ID, { name: 'Renamed' });
    expect((await stored())?.redirectUris).toEqual([uri]);
    await expect(
      site.oauth.clients.update(CLIENT_ID, { redirectUris: [uri, 'http://other.example/cb'] }),
    ).rejects.toThrow('http://other.example/cb');
    expect(locationOf(await person.openAuthorize(query)).href).toContain('code=');
  });

  test('--other-redirects cannot be take', async () => {
    const { code, stderr } = await runCli(['migrate', 'node-oauth', '--other-redirects', 'take'], {
      uri: site.database.uri,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are refuse, leave-out')]);
  });
});

describe('other fields of migrated clients', () => {
  test.each([
    [undefined, true, 'it is trusted: its users are not asked'],
    ['grace', false, 'it was trusted, and has an owner: its users are asked (`clients update ID --trusted`)'],
  ])('migrate for a client with the owner %s sets trusted to %s', async (user, trusted, reason) => {
    const { changed } = await take(
      oldClient({ name: 'Printing shop', user, trusted: true, grants: ['password', 'refresh_token'] }),
    );
    expect(changed).toEqual([
      'clients: left out: its redirect URIs, which none of its grant types uses',
      `clients: ${reason}`,
    ]);
    const client = await stored();
    expect(client?.ownerId).toBe(user);
    expect(client).toMatchObject({
      name: 'Printing shop',
      trusted,
      grantTypes: ['password', 'refresh_token'],
      redirectUris: [],
    });
  });

  test('migrate leaves out unknown grant types, and clients without a remaining one', async () => {
    const { changed } = await take(oldClient({ name: 'Shop', grants: ['authorization_code', 'mobile'] }));
    expect(changed).toEqual(['clients: without the grant type mobile, which there is not']);
    await fill(site, NAMES.clients, [oldClient({ clientId: 'b', grants: ['mobile'] })]);
    expect((await migrate(site, 'node-oauth')).leftOut).toEqual([
      'clients: there is none of its grant types: mobile',
    ]);
  });

  test('migrate --issuer takes over only scopes and grant types of the running site', async () => {
    await fill(site, NAMES.clients, [
      oldClient({ name: 'Shop', scopes: ['profile', 'faxes'], grants: ['authorization_code', 'password'] }),
    ]);
    await fill(site, NAMES.tokens, [oldToken({ scope: ['profile', 'faxes'] }), oldToken({ scope: 'faxes' })]);
    const { changed, leftOut } = await migrate(site, 'node-oauth', '--issuer', site.url);
    expect(changed).toEqual([
      'clients: without the grant type password, which there is not',
      'clients: without the scope faxes, which the site does not have',
    ]);
    expect(leftOut).toEqual([
      'refreshTokens: its client is not registered for refresh_token',
      'accessTokens: the site has none of its scopes',
      'refreshTokens: the site has none of its scopes',
    ]);
    expect(await stored()).toMatchObject({ scopes: ['profile'], grantTypes: ['authorization_code'] });
  });

  test('migrate takes the scopes of a client from its tokens or from --scopes', async () => {
    const plain = { scopes: undefined };
    await fill(site, NAMES.clients, [
      oldClient(plain),
      oldClient({ ...plain, clientId: 'quiet', name: 'Quiet' }),
    ]);
    const bare = oldToken({ scope: undefined });
    await fill(site, NAMES.tokens, [oldToken({ scope: 'profile photos:read' }), bare]);
    const dry = await migrate(site, 'node-oauth', '--dry-run');
    expect(dry.changed).toContainEqual('clients: it may ask for no scope');
    await migrate(site, 'node-oauth', '--scopes', 'photos:read');
    expect((await stored())?.scopes).toEqual(['photos:read']);
    expect((await callApi(site, bare.accessToken, '/api/photos')).status).toBe(200);
  });

  test('migrate --existing keep leaves clients of the site and takes over their tokens', async () => {
    await site.oauth.clients.create({ clientId: CLIENT_ID, name: 'By hand', redirectUris: [REDIRECT_URI] });
    const token = oldToken();
    await fill(site, NAMES.tokens, [token, oldToken({ client: { id: 'nobody' } })]);
    const refused = await take(oldClient());
    expect(refused.leftOut).toContain('clients: there is a client by its id here, which was not taken over');
    expect((await callApi(site, token.accessToken)).status).toBe(401);
    const unchanged = await migrate(site, 'node-oauth', '--existing', 'keep');
    expect(unchanged.changed).toEqual(['clients: the client that is here by its id stays as it is']);
    expect(unchanged.leftOut).toEqual([
      'accessTokens: there is no such client',
      'refreshTokens: there is no such client',
    ]);
    expect([(await stored())?.name, (await callApi(site, token.accessToken)).status]).toEqual([
      'By hand',
      200,
    ]);
  });
});

describe('--map', () => {
  test('migrate --map sets the collections and fields of the host', async () => {
    await fill(site, 'apps', [{ app: CLIENT_ID, key: { secret: SECRET }, ...GRANTS }]);
    const map = ['clients=apps', 'clients.id=app', 'clients.secret=key.secret'];
    const { counts } = await migrate(site, 'node-oauth', '--scopes', 'profile', '--map', ...map);
    expect([counts[0], await authenticate(SECRET)]).toEqual(['1 1 0 0', 200]);
  });

  test.each([
    ['apps=x', 'There are clients, tokens, users, consents.'],
    ['clients', 'write it as clients=apps'],
    ['clients.__proto__=x', 'clients has nothing called __proto__'],
    ['__proto__=x', 'There are clients, tokens, users, consents.'],
    ['clients.sekret=x', 'There are id, key, otherKey, name, secret'],
  ])('migrate --map %s is refused', async (entry, said) => {
    const { code, stderr } = await runCli(['migrate', 'node-oauth', '--map', entry], {
      uri: site.database.uri,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  test('migrate refuses a missing collection of clients', async () => {
    const { code, stderr } = await runCli(['migrate', 'node-oauth', '--map', 'clients=clints'], {
      uri: site.database.uri,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no collection 'clints'")]);
  });
});
