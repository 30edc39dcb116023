import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createGrantRevocation } from '../../lib/core/grants/grant-registry.js';
import { bearerGuard } from '../../lib/guard.js';
import type { GrantsOf } from '../../lib/index.js';
import { createStores } from '../../lib/storage/stores.js';
import { runCli } from '../support/cli.js';
import { letPass } from '../support/clock.js';
import { exitWith } from '../support/refusal.js';
import { openSite, type SiteOptions } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

interface StoredGrant {
  readonly _id: string;
  readonly userId?: string;
  readonly namedToken?: { readonly name: string };
}

const ALBUMS = 'https://albums.example';
const HOUR = 3_600_000;
const site = siteFor(() => options);
const client = fixture(() => site.client({ scopes: ['photos:read', 'photos:write', 'albums:read'] }));
const options: SiteOptions = {
  scopes: {
    'photos:read': 'See your photos',
    'photos:write': { description: 'Change your photos', implies: ['photos:read'] },
    'albums:read': 'See your albums',
  },
  resources: { [ALBUMS]: { stateless: true, accessTokenFormat: 'jwt' } },
  personalAccessTokens: true,
};

const grants = () => site.database.collection<StoredGrant>('oauth_grants');
const consents = () => site.database.collection('oauth_consents');
/** The names of the live grants: a grant is named by its user's id, or by the name of its token. */
const living = async () => {
  const found = await grants()
    .find({ revokedAt: { $exists: false } })
    .toArray();
  return found.map(({ userId, namedToken }) => String(namedToken?.name ?? userId)).sort();
};
const create = (userId: string, scopes: readonly string[], more: object = {}) =>
  site.oauth.grants.create({ clientId: client.clientId, userId, scopes, remember: true, ...more });

describe('grants.revoke on a bad day', () => {
  beforeEach(async () => {
    await grants().deleteMany({});
    await consents().deleteMany({});
    await create('old', ['photos:read']);
    const [anHourAgo, collections] = [new Date(Date.now() - HOUR), [grants(), consents()]];
    for (const each of collections) await each.updateMany({}, { $set: { createdAt: anHourAgo } });
    await create('reader', ['photos:read']);
    await create('writer', ['photos:write']);
    await create('albums', ['albums:read']);
    await create('device', ['albums:read'], { kind: 'device' });
    const scopes = ['photos:read'];
    await site.oauth.personalAccessTokens.create({ name: 'personal', userId: 'ada', scopes });
    await site.oauth.personalAccessTokens.create({ name: 'service', owners: ['ada'], scopes });
  });

  const everybody = ['albums', 'device', 'old', 'personal', 'reader', 'service', 'writer'];
  const tenMinutesAgo = () => new Date(Date.now() - HOUR / 6);

  test.each<[string, () => GrantsOf, readonly string[], readonly string[]]>([
    ['all grants', () => ({ all: true }), everybody, ['albums', 'device', 'old', 'reader', 'writer']],
    ['the grants from before a time', () => ({ issuedBefore: tenMinutesAgo() }), ['old'], ['old']],
    [
      'the grants with a scope or a wider one',
      () => ({ scope: 'photos:read' }),
      ['old', 'personal', 'reader', 'service', 'writer'],
      ['old', 'reader', 'writer'],
    ],
    [
      'the grants with a scope that includes another one',
      () => ({ scope: 'photos:write' }),
      ['writer'],
      ['writer'],
    ],
    ['the grants of apps', () => ({ kind: 'app' }), ['albums', 'old', 'reader', 'writer'], []],
    ['the grants of devices', () => ({ kind: 'device' }), ['device'], []],
    ['service tokens', () => ({ kind: 'service' }), ['service'], []],
    ['the grants for all members', () => ({ kind: 'app', scope: 'photos:read', userId: 'old' }), ['old'], []],
    [
      'the grants of a client from before a time',
      () => ({ clientId: client.clientId, issuedBefore: tenMinutesAgo() }),
      ['old'],
      ['old'],
    ],
  ])('grants.revoke ends %s, and forgets their consents', async (_title, of, ended, forgotten) => {
    expect(await site.oauth.grants.revoke({ ...of(), dryRun: true })).toBe(ended.length);
    expect(await living()).toEqual(everybody);
    const reported: object[] = [];
    site.oauth.events.once('grant.revoked', (event) => reported.push(event));
    expect(await site.oauth.grants.revoke(of())).toBe(ended.length);
    expect(reported).toMatchObject([{ count: ended.length, reason: 'host' }]);
    expect(await living()).toEqual(everybody.filter((name) => !ended.includes(name)));
    const consented = (await consents().distinct('userId')).sort();
    const users = ['albums', 'device', 'old', 'reader', 'writer'];
    expect(consented).toEqual(users.filter((name) => !forgotten.includes(name)));
    expect(await site.oauth.grants.revoke(of())).toBe(0);
  });

  test('grants.revoke forgets a consent to a scope at a resource', async () => {
    await consents().updateMany({ userId: 'albums' }, { $set: { scopes: [`albums:read ${ALBUMS}`] } });
    await site.oauth.grants.revoke({ scope: 'albums:read' });
    expect((await consents().distinct('userId')).sort()).toEqual(['old', 'reader', 'writer']);
  });

  test.each<[string, () => GrantsOf]>([
    ['all grants', () => ({ all: true })],
    ['the grants of a user', () => ({ userId: 'writer' })],
    ['the grants of a client', () => ({ clientId: client.clientId })],
  ])('grants.revoke ends the rest of %s if a call was interrupted', async (_what, of) => {
    const one = await grants().findOne({ userId: 'writer' });
    const copies = Array.from({ length: 450 }, (_, index) => ({ ...one!, _id: `copy-${index}` }));
    await grants().insertMany(copies);
    const interrupted = createGrantRevocation(
      createStores(site.database.connection, { timeout: 5000 }),
      undefined,
      {
        onProgress: () => {
          throw new Error('killed');
        },
      },
    );
    const copiesLeft = async () => (await living()).filter((name) => name === 'writer').length;
    await expect(interrupted.revoke(of())).rejects.toThrow('killed');
    expect(await copiesLeft()).toBeGreaterThan(200);
    expect(await copiesLeft()).toBeLessThan(451);
    await site.oauth.grants.revoke(of());
    expect(await copiesLeft()).toBe(0);
  });
});

describe('JWTs from before grants.revoke', () => {
  const stateless = async (): Promise<string> => {
    const fields = { grant_type: 'client_credentials', scope: 'albums:read', resource: ALBUMS };
    return (await tokenRequest(site, client, fields).expect(200)).body.access_token as string;
  };
  let atApi: (token: string) => Promise<number>;
  beforeAll(() => {
    site.app.get('/own', site.oauth.guard({ resource: ALBUMS }), (_req, res) => void res.end());
    const fresh = { issuer: site.url, resource: ALBUMS };
    let count = 0;
    atApi = async (token) => {
      count += 1;
      // a new guard has fetched no keys yet
      site.app.get(`/api/${count}`, bearerGuard(fresh)(), (_req, res) => void res.end());
      site.app.use(site.oauth.errorHandler);
      return (await request(site.server).get(`/api/${count}`).auth(token, { type: 'bearer' })).status;
    };
  });
  const atSite = async (token: string, { server } = site) =>
    (await request(server).get('/own').auth(token, { type: 'bearer' })).status;

  test('a JWT from before grants.revoke is refused everywhere, a later one is not', async () => {
    // `iat` is in whole seconds: wait until the second of the previous revocation is over
    const begin = Math.floor(Date.now() / 1000);
    await until(() => Math.floor(Date.now() / 1000) > begin);
    const token = await stateless();
    const other = await openSite({ ...options, database: site.database, issuer: site.url });
    other.app.get('/own', other.oauth.guard({ resource: ALBUMS }), (_req, res) => void res.end());
    const before = [await atSite(token), await atSite(token, other), await atApi(token)];
    letPass(1);
    await site.oauth.grants.revoke({ userId: 'nobody', issuedBefore: new Date() });
    expect([await atSite(token), await atSite(token, other), await atApi(token)]).toEqual(before);
    await site.oauth.grants.revoke({ all: true });
    expect([before, await atSite(token), await atApi(token)]).toEqual([[200, 200, 200], 401, 401]);
    // other processes read the keys again after a minute at most
    letPass(60);
    expect(await atSite(token, other)).toBe(401);
    await other.close();
    letPass(1);
    const later = await stateless();
    expect([await atSite(later), await atApi(later)]).toEqual([200, 200]);
  });
});

describe('grants revoke on the command line', () => {
  const run = (args: readonly string[], more: object = {}) =>
    runCli(['grants', 'revoke', ...args], { uri: site.database.uri, ...more });

  test('the command grants revoke counts the grants first, and asks for the number', async () => {
    await obtainTokens(site, client);
    const before = (await living()).length;
    const counted = await run(['--all', '--dry-run']);
    expect(counted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ grants? would end\.\n$/) });
    expect(await run(['--all'])).toMatchObject(exitWith(2, '--yes'));
    const refused = await run(['--all'], { isTerminal: true, input: 'yes\n' });
    expect(refused).toMatchObject(exitWith(1, 'nothing was changed'));
    expect((await living()).length).toBe(before);
    const done = await run(['--all'], { isTerminal: true, input: `${before}\n` });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('ended.') });
    expect(await living()).toEqual([]);
  });

  test('the command grants revoke --yes ends the grants from before a time without a question', async () => {
    await obtainTokens(site, client);
    await grants().updateMany({}, { $set: { createdAt: new Date(Date.now() - 48 * HOUR) } });
    const time = new Date(Date.now() - 24 * HOUR).toISOString().slice(0, 19).concat('Z');
    const done = await run(['--issued-before', time, '--yes', '--json']);
    expect(JSON.parse(done.stdout)).toMatchObject({ revoked: 1 });
  });

  test.each([
    [[], 'Write --user, --client, --scope, --kind, --issued-before, or --all.'],
    [['--all', '--user', 'ada'], 'Leave it out, or the other flags.'],
    [['--issued-before', 'yesterday'], 'Write it as 2026-01-31'],
    [['--issued-before', '2999-01-01', '--yes'], 'a Date in the past'],
    [['--kind', 'apps'], 'app, device, personal, service'],
  ])('the command grants revoke refuses %j', async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

test.each(['backup', 'signing-key', 'client-secret', 'account'])(
  'doctor --incident %s prints numbered steps with commands that exist',
  async (name) => {
    const { code, stdout } = await runCli(['doctor', '--incident', name]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^1\. [^]*\n2\. [^]*\n3\. /)]);
    const { stdout: asJson } = await runCli(['doctor', '--incident', name, '--json']);
    const commands = (JSON.parse(asJson) as { commands?: string[] }[]).flatMap((step) => step.commands ?? []);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) {
      const terms = command.split(' ');
      const help = await runCli([...terms.slice(0, 2), '--help']);
      for (const flag of terms.filter((word) => word.startsWith('--'))) expect(help.stdout).toContain(flag);
      expect(help.stdout).toContain(`Usage: express-authorization-server ${terms[0]} ${terms[1]}`);
    }
  },
);
