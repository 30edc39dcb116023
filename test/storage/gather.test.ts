import { afterEach, describe, expect, test } from '@jest/globals';
import { type Connection, Mongoose } from 'mongoose';

import type { Grant } from '../../lib/core/grants/grant.js';
import { createStores } from '../../lib/storage/stores.js';
import { databaseUri } from '../support/database.js';
import { testFailing, whileFailing } from '../support/fail-point.js';

/** The commands of a connection, with the number of ids in each. */
interface Requested {
  readonly command: 'find' | 'insert';
  readonly collection: string;
  readonly ids: number;
}

interface Command {
  readonly find: string;
  readonly filter: { readonly _id: string | { readonly $in: readonly string[] } };
  readonly insert: string;
  readonly documents: readonly unknown[];
}

const requested: Requested[] = [];
/** The result of each operation that shared a command. */
const refused = {
  status: 'rejected',
  reason: expect.objectContaining({ error: 'temporarily_unavailable', status: 503 }),
};
let connection: Connection;
let uri: string;
let stores: ReturnType<typeof createStores>;
let close: () => Promise<void>;

const open = async (prepare: (mongoose: Mongoose) => void = () => undefined) => {
  const mongoose = new Mongoose();
  prepare(mongoose);
  const name = `together_${process.pid}`;
  uri = databaseUri(name);
  connection = await mongoose.createConnection(uri, { monitorCommands: true, appName: name }).asPromise();
  stores = createStores(connection, { timeout: 5000 });
  await stores.ready();
  requested.length = 0;
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    const { find, filter, insert, documents } = command as Command;
    if (commandName === 'insert')
      requested.push({ command: 'insert', collection: insert, ids: documents.length });
    if (commandName === 'find' && '_id' in filter)
      requested.push({
        command: 'find',
        collection: find,
        ids: typeof filter._id === 'string' ? 1 : filter._id.$in.length,
      });
  });
  close = async () => {
    await stores.close();
    await connection.dropDatabase();
    await connection.close();
  };
};
afterEach(() => close());

const ids = (count: number) => Array.from({ length: count }, (_, number) => `grant-${String(number)}`);
const grantOf = (grantId: string): Grant => ({
  grantId,
  clientId: `client of ${grantId}`,
  grantType: 'client_credentials',
  authorization: { scopes: ['photos:read'], resources: [] },
  accessTokens: [],
  createdAt: new Date(),
  expiresAt: new Date(Date.now() + 60_000),
});
/** Stores grants before the commands under test. */
const store = async (grants: readonly Grant[]) => {
  await stores.grants.insertAll(grants);
  requested.length = 0;
};
const guard = async (grantId: string) =>
  (await stores.grants.findForGuard({ grantId, hash: 'any' }))?.clientId;

describe('concurrent reads by id', () => {
  test('concurrent reads by id are one command, each with its result', async () => {
    await open();
    await store(ids(3).map(grantOf));
    expect(await Promise.all(ids(3).map(guard))).toEqual(ids(3).map((id) => `client of ${id}`));
    expect(requested).toEqual([{ command: 'find', collection: 'oauth_grants', ids: 3 }]);
  });

  test('concurrent reads of the same id ask for it once, and a missing document is undefined', async () => {
    await open();
    await store(ids(1).map(grantOf));
    const found = await Promise.all(['grant-0', 'nobody’s', 'grant-0'].map(guard));
    expect(found).toEqual(['client of grant-0', undefined, 'client of grant-0']);
    expect(requested).toEqual([{ command: 'find', collection: 'oauth_grants', ids: 2 }]);
  });

  test('concurrent reads of other fields or collections are separate commands', async () => {
    await open();
    await store(ids(1).map(grantOf));
    const [guarded, whole, client] = await Promise.all([
      guard('grant-0'),
      stores.grants.find('grant-0'),
      stores.clients.find('shop', { fresh: true }),
    ]);
    expect({ guarded, whole, client }).toMatchObject({
      guarded: 'client of grant-0',
      whole: { grantType: 'client_credentials', createdAt: expect.any(Date) },
      client: null,
    });
    expect(requested.map(({ collection }) => collection).sort()).toEqual([
      'oauth_clients',
      'oauth_grants',
      'oauth_grants',
    ]);
  });

  test('concurrent reads by id are commands of a hundred ids each', async () => {
    await open();
    await store(ids(250).map(grantOf));
    expect(await Promise.all(ids(250).map(guard))).toEqual(ids(250).map((id) => `client of ${id}`));
    expect(requested.map(({ ids: count }) => count)).toEqual([100, 100, 50]);
  });

  testFailing('concurrent reads by id fail together, and the next ones are new commands', async () => {
    await open();
    await store(ids(2).map(grantOf));
    const failing = { command: 'find', only: { connection }, failure: { errorCode: 8 } } as const;
    const failed = await whileFailing({ connection, uri }, failing, () =>
      Promise.allSettled(ids(2).map(guard)),
    );
    expect(failed).toEqual([refused, refused]);
    expect(await Promise.all(ids(2).map(guard))).toEqual(['client of grant-0', 'client of grant-1']);
  });
});

test('consecutive reads by id are a command each, so a change in between counts', async () => {
  await open();
  await store(ids(1).map(grantOf));
  const first = await stores.grants.findForGuard({ grantId: 'grant-0', hash: 'any' });
  await stores.grants.revokeAll({ clientId: 'client of grant-0' }, new Date());
  const second = await stores.grants.findForGuard({ grantId: 'grant-0', hash: 'any' });
  expect([first?.revokedAt, second?.revokedAt]).toEqual([undefined, expect.any(Date)]);
  expect(requested).toHaveLength(2);
});

test('a hook of the host on findOne is called for each concurrent read', async () => {
  let hooked = 0;
  await open((mongoose) => mongoose.plugin((schema) => schema.pre('findOne', () => void (hooked += 1))));
  await store(ids(3).map(grantOf));
  await Promise.all(ids(3).map(guard));
  expect({ hooked, requested: requested.length }).toEqual({ hooked: 3, requested: 3 });
});

describe('concurrent inserts', () => {
  const inserted = () =>
    requested.filter(({ command }) => command === 'insert').map(({ ids: count }) => count);
  const later = new Date(Date.now() + 60_000);

  test('concurrent inserts are one command', async () => {
    await open();
    await Promise.all(ids(3).map((id) => stores.grants.insert(grantOf(id))));
    expect(inserted()).toEqual([3]);
    expect(await Promise.all(ids(3).map(guard))).toEqual(ids(3).map((id) => `client of ${id}`));
  });

  test('concurrent inserts answer for each whether its id existed before or among them', async () => {
    await open();
    const use = (jti: string) => stores.usedProofs.use('key', jti, later);
    expect(await use('first')).toBe(true);
    expect(await Promise.all([use('first'), use('second'), use('third'), use('second')])).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(inserted()).toEqual([1, 4]);
    expect(await Promise.all([use('second'), use('third'), use('fourth')])).toEqual([false, false, true]);
  });

  testFailing('concurrent inserts fail together on an error of the command or of the majority', async () => {
    await open();
    for (const failure of [
      { errorCode: 8 },
      { writeConcernError: { code: 64, errmsg: 'waiting for the majority timed out' } },
    ]) {
      const failing = { command: 'insert', only: { connection }, failure } as const;
      const failed = await whileFailing({ connection, uri }, failing, () =>
        Promise.allSettled(ids(2).map((id) => stores.grants.insert(grantOf(id)))),
      );
      expect(failed).toEqual([refused, refused]);
    }
  });

  testFailing('concurrent inserts without the majority fail together, even a duplicate', async () => {
    await open();
    const use = (jti: string) => stores.usedProofs.use('key', jti, later);
    await use('first');
    const failure = { writeConcernError: { code: 64, errmsg: 'waiting for the majority timed out' } };
    const failing = { command: 'insert', only: { connection }, failure } as const;
    const failed = await whileFailing({ connection, uri }, failing, () =>
      Promise.allSettled([use('first'), use('second')]),
    );
    expect(failed).toEqual([refused, refused]);
  });

  test('concurrent inserts fail together if a validator of the host refuses one of them', async () => {
    await open();
    await stores.usedProofs.use('key', 'first', later);
    await connection.db?.command({
      collMod: 'oauth_used_proofs',
      validator: { expiresAt: { $gt: new Date() } },
    });
    const proofs = connection.collection('oauth_used_proofs');
    const isGranted = await proofs
      .insertOne({ _id: 'probe', expiresAt: new Date(0) } as never)
      .catch(() => null);
    // some servers have no validators
    if (isGranted !== null) return;
    const failed = await Promise.allSettled([
      stores.usedProofs.use('key', 'right', later),
      stores.usedProofs.use('key', 'wrong', new Date(0)),
    ]);
    expect(failed).toEqual([refused, refused]);
  });

  test('a hook of the host on insertMany is called for each concurrent insert', async () => {
    const hooked: unknown[] = [];
    await open((mongoose) =>
      mongoose.plugin((schema) =>
        schema.pre('insertMany', (documents: readonly unknown[]) => void hooked.push(documents.length)),
      ),
    );
    await Promise.all(ids(3).map((id) => stores.grants.insert(grantOf(id))));
    expect(hooked).toEqual([1, 1, 1]);
    expect(inserted()).toEqual([1, 1, 1]);
  });
});
