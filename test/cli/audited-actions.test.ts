import { beforeEach, describe, expect, test } from '@jest/globals';

import { recordActions } from '../../lib/cli/audited-actions.js';
import type { AuditEntry, AuditLog } from '../../lib/core/observability/audit-log.js';
import { type CliOptions, runCli } from '../support/cli.js';
import { siteFor } from '../support/site-for.js';

const TTL = 86_400;
const site = siteFor({
  audit: { ttl: TTL },
  personalAccessTokens: true,
  people: { findByName: (id) => Promise.resolve({ id, name: id }) },
});
const collection = () => site.database.collection<AuditEntry & { expiresAt: Date }>('oauth_audit');
beforeEach(async () => {
  await site.oauth.audit.find();
  await collection().deleteMany({});
});

const run = async (args: readonly string[], options: CliOptions = {}) => {
  const result = await runCli([...args, '--json'], { uri: site.database.uri, ...options });
  return { ...result, json: (result.stdout === '' ? {} : JSON.parse(result.stdout)) as { id?: string } };
};
/** The entries of the commands, in the order of `audit.find`, the oldest first. */
const written = async () =>
  (await collection().find({ endpoint: 'command_line' }).sort({ time: 1, _id: 1 }).toArray()).map(
    ({ _id, time, expiresAt, endpoint: _endpoint, ...entry }) => {
      expect(expiresAt.getTime() - time.getTime()).toBe(TTL * 1000);
      return entry;
    },
  );
/** Stores an event of the site itself. */
const begin = async () => {
  site.oauth.events.emit('login.failed', {});
  await site.oauth.audit.find();
};

describe('commands in the audit of the site', () => {
  test('each clients command is in the audit like the function of oauth.clients', async () => {
    await begin();
    const create = ['create', '--id', 'shop', '--name', 'Shop', '--redirect-uri', 'https://shop.example/'];
    for (const args of [
      create,
      ['update', 'shop', '--name', 'The shop'],
      ['rotate-secret', 'shop'],
      ['add-owner', 'shop', 'ada'],
      ['add-owner', 'shop', 'grace'],
      ['remove-owner', 'shop', 'ada'],
      ['block', 'shop'],
      ['unblock', 'shop'],
      ['delete', 'shop', '--yes'],
    ])
      expect(await run(['clients', ...args])).toMatchObject({ code: 0 });
    const entries = await written();
    expect(entries.map(({ type }) => type)).toEqual([
      'client.created',
      'client.updated',
      'client.secret_rotated',
      'owner.added',
      'owner.added',
      'owner.removed',
      'client.blocked',
      'client.unblocked',
      'client.deleted',
    ]);
    expect(entries.every(({ clientId }) => clientId === 'shop')).toBe(true);
    expect(entries[3]).toEqual({ type: 'owner.added', clientId: 'shop', userId: 'ada' });
    expect(await site.oauth.audit.find({ clientId: 'shop', limit: 1 })).toMatchObject([
      { type: 'client.deleted', endpoint: 'command_line' },
    ]);
  });

  test('grants revoke and the access-tokens commands are in the audit', async () => {
    await begin();
    await run(['grants', 'revoke', '--user', 'ada']);
    const make = ['access-tokens', 'create', '--name', 'Backup', '--scope', 'photos:read', '--user', 'ada'];
    const { id = '' } = (await run(make)).json;
    for (const args of [
      ['rotate', id],
      ['block', id, '--reason', 'Leaked'],
      ['unblock', id],
      ['revoke', id],
    ])
      expect(await run(['access-tokens', ...args])).toMatchObject({ code: 0 });
    expect(await written()).toMatchObject([
      { type: 'grant.revoked', userId: 'ada', reason: 'host', count: 0 },
      { type: 'token.issued', userId: 'ada', scopes: ['photos:read'] },
      { type: 'token.rotated', grantId: id },
      { type: 'token.blocked', grantId: id },
      { type: 'token.unblocked', grantId: id },
      { type: 'grant.revoked', grantId: id, reason: 'host' },
    ]);
  });

  test('a command without a change is not in the audit', async () => {
    await begin();
    await run(['clients', 'list']);
    expect(await run(['clients', 'block', 'nobody'])).toMatchObject({ code: 1 });
    expect(await written()).toEqual([]);
  });
});

describe('whether the site has an audit', () => {
  const create = (id: string, env: Readonly<Record<string, string>> = {}) =>
    run(['clients', 'create', '--id', id, '--name', id, '--redirect-uri', 'https://shop.example/'], { env });

  test('a command writes no entry while the audit is empty', async () => {
    expect(await create('first')).toMatchObject({ code: 0 });
    expect(await collection().countDocuments()).toBe(0);
  });

  test('a command writes no entry while the audit contains only entries of commands', async () => {
    await begin();
    await create('second');
    await collection().deleteMany({ type: 'login.failed' });
    await create('third');
    expect(await written()).toMatchObject([{ clientId: 'second' }]);
  });

  test('AUDIT_TTL lets a command write an entry', async () => {
    await create('fourth', { AUDIT_TTL: String(TTL) });
    expect(await written()).toMatchObject([{ type: 'client.created', clientId: 'fourth' }]);
    const wrong = await create('fifth', { AUDIT_TTL: 'a year' });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('AUDIT_TTL is not a number')]);
    expect(await site.oauth.clients.find('fifth')).toBeNull();
  });
});

describe('failures of the audit', () => {
  const store = (append: () => Promise<void>) => {
    const log = { createId: () => 'id', append } as unknown as AuditLog;
    const { emit, store: storeAll } = recordActions(log, { env: { AUDIT_TTL: '60' } });
    emit('client.created', { clientId: 'shop' });
    return storeAll();
  };

  test('a command whose entry fails says that it is done, without the password of the URI', async () => {
    const failure = new Error('mongodb://ada:secret@db.example is away');
    await expect(store(() => Promise.reject(failure))).rejects.toMatchObject({
      message: 'this is done, but the audit does not have it: mongodb://…@db.example is away',
      exitCode: 3,
    });
    await expect(store(() => Promise.resolve())).resolves.toBeUndefined();
  });
});
