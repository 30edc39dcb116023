import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { runCli } from '../support/cli.js';
import { mergeOptions } from '../support/merge-options.js';
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
import { startMongoProxy } from '../support/mongo-proxy.js';
import { codeQuery, logInPerson, postForm } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { basic, callApi, postToken } from '../support/tokens.js';

let site: Site;
const open = async (options: SiteOptions = {}) => {
  site = await openSite(mergeOptions({ tokens: { migrated: true } }, options));
};
beforeEach(() => open());
afterEach(() => site.close());

const as = { clientId: CLIENT_ID, clientSecret: SECRET };
const refresh = (refreshToken: string, { clientId, clientSecret } = as) =>
  postToken(site, { grant_type: 'refresh_token', refresh_token: refreshToken }).set(
    'Authorization',
    basic(clientId, clientSecret),
  );
const post = (path: string, token: string) =>
  postForm(request(site.server), `/oauth/${path}`, { token }).set('Authorization', basic(CLIENT_ID, SECRET));
const collection = (name: string) => site.database.collection(name);
const everything = async () =>
  Promise.all(
    ['oauth_clients', 'oauth_grants', 'oauth_consents', 'oauth_migrated'].map((name) =>
      collection(name)
        .find({}, { sort: { _id: 1 } })
        .toArray(),
    ),
  );

describe('migrated tokens and consents', () => {
  const token = oldToken();
  beforeEach(async () => {
    await fill(site, NAMES.clients, [oldClient()]);
    await fill(site, NAMES.tokens, [token]);
    const { counts, code, report } = await migrate(site, 'node-oauth');
    expect([counts, code, report.leftOut]).toEqual([['1 1 0 0', '1 1 0 0', '1 1 0 0', '1 1 0 0'], 0, []]);
  });

  test('a migrated access token works until it expires, for its user and scopes', async () => {
    const { status, body } = await callApi(site, token.accessToken);
    expect([status, body.userId, body.clientId, body.scopes]).toEqual([200, 'ada', CLIENT_ID, ['profile']]);
    expect((await callApi(site, token.accessToken, '/api/photos')).status).toBe(403);
    await collection('oauth_grants').updateOne({}, { $set: { 'accessTokens.0.expiresAt': later(-1) } });
    expect((await callApi(site, token.accessToken)).status).toBe(401);
  });

  test('a migrated refresh token is no access token, and an access token cannot refresh', async () => {
    expect((await callApi(site, token.refreshToken)).status).toBe(401);
    expect((await refresh(token.accessToken)).body.error).toBe('invalid_grant');
  });

  test('a migrated refresh token works once, and a second use ends the grant', async () => {
    const { status, body } = await refresh(token.refreshToken);
    expect([status, body.scope]).toEqual([200, 'profile']);
    expect([body.access_token, body.refresh_token].map((each: string) => each.slice(0, 7))).toEqual([
      'eas_at_',
      'eas_rt_',
    ]);
    const next = await refresh(body.refresh_token);
    expect([next.status, (await callApi(site, token.accessToken)).status]).toEqual([200, 200]);
    expect((await refresh(token.refreshToken)).body.error).toBe('invalid_grant');
    for (const each of [token.accessToken, body.access_token, next.body.access_token])
      expect((await callApi(site, each)).status).toBe(401);
    expect((await refresh(next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('only one of five simultaneous refreshes with a migrated token succeeds', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => refresh(token.refreshToken)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  });

  test('a migrated refresh token works only for its client', async () => {
    const other = await site.client();
    const theirs = { clientId: other.clientId, clientSecret: other.clientSecret ?? '' };
    expect((await refresh(token.refreshToken, theirs)).body.error).toBe('invalid_grant');
    expect((await refresh(token.refreshToken)).status).toBe(200);
  });

  test('migrated tokens can be introspected and revoked', async () => {
    await site.oauth.clients.update(CLIENT_ID, { introspection: true });
    const introspect = async (value: string) => (await post('introspect', value)).body;
    expect(await introspect(token.accessToken)).toMatchObject({
      active: true,
      token_type: 'Bearer',
      sub: 'ada',
      client_id: CLIENT_ID,
      scope: 'profile',
    });
    expect(await introspect(token.refreshToken)).toMatchObject({ active: true, sub: 'ada' });
    expect((await post('revoke', token.accessToken)).status).toBe(200);
    expect((await introspect(token.accessToken)).active).toBe(false);
    expect((await post('revoke', token.refreshToken)).status).toBe(200);
    expect((await refresh(token.refreshToken)).body.error).toBe('invalid_grant');
  });

  test('a migrated consent needs no page, and more scopes need one', async () => {
    const person = await logInPerson(site);
    const query = codeQuery(CLIENT_ID);
    const known = await person.openAuthorize({ ...query, scope: 'profile' });
    expect([known.status, known.headers.location]).toEqual([302, expect.stringContaining('code=')]);
    expect((await person.openAuthorize({ ...query, scope: 'profile photos:read' })).status).toBe(200);
  });

  test('neither migrated tokens nor secrets are stored in clear', async () => {
    const stored = JSON.stringify(await everything());
    for (const secret of [token.accessToken, token.refreshToken, SECRET])
      expect(stored).not.toContain(secret);
  });

  test('a second migration changes nothing and does not restore ended grants or clients', async () => {
    const before = await everything();
    const second = await migrate(site, 'node-oauth');
    expect(second.counts).toEqual(['1 0 1 0', '1 0 1 0', '1 0 1 0', '0 0 0 0']);
    expect(await everything()).toEqual(before);

    await site.oauth.grants.revoke({ userId: 'ada' });
    // like the TTL index once everything in the grants has expired
    await collection('oauth_grants').deleteMany({});
    await migrate(site, 'node-oauth');
    expect((await refresh(token.refreshToken)).body.error).toBe('invalid_grant');
    expect(await collection('oauth_consents').countDocuments()).toBe(0);
    await site.oauth.clients.delete(CLIENT_ID);
    expect((await migrate(site, 'node-oauth')).counts[0]).toBe('1 0 1 0');
    expect(await site.oauth.clients.find(CLIENT_ID)).toBeNull();
  });

  test('a later migration takes over new tokens of the old server', async () => {
    const next = oldToken();
    await fill(site, NAMES.tokens, [next]);
    expect((await migrate(site, 'node-oauth')).counts.slice(0, 3)).toEqual(['1 0 1 0', '2 1 1 0', '2 1 1 0']);
    expect((await refresh(next.refreshToken)).status).toBe(200);
  });

  test('without tokens.migrated no migrated token is accepted', async () => {
    const { database } = site;
    await using without = await openSite({ database, issuer: 'http://127.0.0.1:1' });
    expect((await callApi(without, token.accessToken)).status).toBe(401);
  });
});

test('each command of a migration can be repeated after an interruption', async () => {
  const tokens = [oldToken(), oldToken({ user: { id: 'grace' } })];
  await fill(site, NAMES.clients, [oldClient()]);
  await fill(site, NAMES.tokens, tokens);
  await migrate(site, 'node-oauth');
  const whole = await everything();
  const notes = collection('oauth_migrated');
  // before the client was marked as finished, and before the tokens were marked at all
  await notes.updateMany({ kind: 'client' }, { $unset: { takenAt: '' } });
  await notes.deleteMany({ kind: { $ne: 'client' } });
  const again = await migrate(site, 'node-oauth');
  expect(again.counts).toEqual(['1 1 0 0', '2 2 0 0', '2 2 0 0', '2 2 0 0']);
  const now = await everything();
  expect(now.map((documents) => documents.length)).toEqual(whole.map((documents) => documents.length));
  expect(now[1]).toEqual(whole[1]);
  // before the client was stored
  await collection('oauth_clients').deleteMany({});
  await notes.updateMany({ kind: 'client' }, { $unset: { takenAt: '' } });
  expect((await migrate(site, 'node-oauth')).counts[0]).toBe('1 1 0 0');
  expect((await refresh(tokens[0]?.refreshToken ?? '')).status).toBe(200);
});

test('an interrupted migration reports its progress, and the next run continues', async () => {
  const proxy = await startMongoProxy(site.database.uri);
  const tokens = Array.from({ length: 3 }, () => oldToken());
  await fill(site, NAMES.clients, [oldClient()]);
  await fill(site, NAMES.tokens, tokens);
  // the command runs without a response, and so does everything after it
  proxy.loseAnswerTo('oauth_consents');
  const uri = `${proxy.uri}${proxy.uri.includes('?') ? '&' : '?'}retryWrites=false`;
  const cut = await runCli(['migrate', 'node-oauth'], { uri });
  await proxy.close();
  expect([cut.code, cut.stderr]).toEqual([3, expect.stringContaining('run it again, and it goes on')]);
  expect(cut.stderr).toMatch(/error: the database: (?!undefined)\S/);
  expect(cut.stdout).toMatch(/clients +1 +1 +0 +0\naccess tokens +3 +0 +0 +0\n/);
  expect((await callApi(site, tokens[0]?.accessToken ?? '')).status).toBe(401);
  const { counts, code } = await migrate(site, 'node-oauth');
  expect([counts, code]).toEqual([['1 0 1 0', '3 3 0 0', '3 3 0 0', '1 1 0 0'], 0]);
  for (const { accessToken } of tokens) expect((await callApi(site, accessToken)).status).toBe(200);
  expect(await collection('oauth_grants').countDocuments()).toBe(3);
});

test('migrate --dry-run prints the same report and writes nothing', async () => {
  const documents: [string, Document[]][] = [
    [NAMES.clients, [oldClient(), oldClient({ clientId: 'short', clientSecret: 'abc' })]],
    [NAMES.tokens, [oldToken(), oldToken({ accessTokenExpiresAt: later(-1) })]],
  ];
  for (const [name, each] of documents) await fill(site, name, each);
  const dry = await migrate(site, 'node-oauth', '--dry-run');
  expect((await everything()).flat()).toEqual([]);
  const old = await collection(NAMES.tokens).find().toArray();
  const wet = await migrate(site, 'node-oauth');
  expect({ ...dry.report, dryRun: false }).toEqual(wet.report);
  expect([dry.report.dryRun, dry.code, wet.code]).toEqual([true, 1, 1]);
  expect(await collection(NAMES.tokens).find().toArray()).toEqual(old);
});

test('migrate --from reads another database and leaves it unchanged', async () => {
  await using other = await openSite();
  await fill(other, NAMES.clients, [oldClient()]);
  const token = oldToken();
  await fill(other, NAMES.tokens, [token]);
  expect((await migrate(site, 'node-oauth', '--from', other.database.uri)).code).toBe(0);
  expect((await callApi(site, token.accessToken)).status).toBe(200);
  expect(await other.database.collection('oauth_clients').countDocuments()).toBe(0);
});

test('guard({ orElse }) accepts migrated tokens and passes on others', async () => {
  await fill(site, NAMES.clients, [oldClient()]);
  const token = oldToken();
  await fill(site, NAMES.tokens, [token]);
  await migrate(site, 'node-oauth');
  site.app.get(
    '/both',
    site.oauth.guard({ orElse: (_req, res) => void res.json({ by: 'others' }) }),
    (req, res) => void res.json({ by: req.auth?.userId }),
  );
  expect((await callApi(site, token.accessToken, '/both')).body).toEqual({ by: 'ada' });
  expect((await callApi(site, newToken(), '/both')).body).toEqual({ by: 'others' });
});

test('migrate prints a table, the reasons for omissions and the next steps', async () => {
  await fill(site, NAMES.clients, [
    oldClient(),
    oldClient({ clientId: 'app', redirectUris: ['myapp://cb'] }),
  ]);
  await fill(site, NAMES.tokens, [oldToken()]);
  const { stdout, stderr, code } = await runCli(['migrate', 'node-oauth'], { uri: site.database.uri });
  expect(stdout).toMatch(/FOUND +TAKEN +BEFORE +LEFT OUT\nclients +2 +1 +0 +1\naccess tokens +1 +1 +0 +0\n/);
  expect(stdout).toContain(
    'Left out: 1 of the clients: its redirect URI myapp://cb: the private-use scheme myapp: has no dot, such as com.example.app:/callback has (RFC 8252 §7.1), and is not among security.privateSchemes of the site (--private-schemes)\n  app\n',
  );
  expect(stderr).toContain('tokens: { migrated: true }');
  expect(stderr).toContain("there is no collection 'oauthusers'");
  expect(code).toBe(1);
});
