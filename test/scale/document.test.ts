import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Schema } from 'mongoose';

import { createUsers } from '../../lib/index.js';
import { createStores } from '../../lib/storage/stores.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { SHARD_KEYS } from './shard-keys.js';

let database: TestDatabase;
let document: string;

beforeAll(async () => {
  document = await readFile(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  database = await openDatabase();
  const { connection } = database;
  createStores(connection, {
    timeout: 5000,
    collections: [
      'AuditEntry',
      'InitialAccessToken',
      'Migrated',
      'PushedRequest',
      'ReceivedEvent',
      'Refusals',
      'SignIn',
      'SignalStream',
      'StreamSubject',
      'UsedProof',
      'UserCode',
      'Webhook',
    ],
  });
  createUsers(connection);
});
afterAll(async () => {
  await Promise.all(Object.values(database.connection.models).map((model) => model.init()));
  await database.close();
});

const models = () =>
  Object.values(database.connection.models) as unknown as readonly {
    readonly collection: { readonly name: string };
    readonly schema: Schema;
  }[];

/** The rows of the table that has this heading, cell by cell. */
function tableOf(heading: string): string[][] {
  const table = document.split('\n\n').find((part) => part.startsWith(heading));
  if (table === undefined) throw new Error(`docs/scale.md has no table ${heading}`);
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

function kindOf(options: {
  unique?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
}): string {
  if (options.unique) return 'unique';
  if (options.expireAfterSeconds !== undefined) return 'TTL';
  return options.partialFilterExpression === undefined ? '' : 'partial';
}

test('docs/scale.md tells each index that there is, and no other', () => {
  const reported = tableOf('| Collection | Indexes |').flatMap(([collections = '', indexes = '']) =>
    collections
      .split(', ')
      .flatMap((collection) =>
        [...indexes.matchAll(/({[^}]+})(?: \((\w+)\))?/g)].map(([, key, kind = '']) =>
          [collection, key, kind].join(' '),
        ),
      ),
  );
  const made = models().flatMap(({ collection, schema }) =>
    schema.indexes().map(([key, options]) => {
      const fields = Object.entries(key).map(
        ([field, direction]) => `${field.includes('.') ? `'${field}'` : field}: ${String(direction)}`,
      );
      return [collection.name, `{ ${fields.join(', ')} }`, kindOf(options as object)].join(' ');
    }),
  );
  expect(reported.sort()).toEqual(made.sort());
});

test('docs/scale.md shards each collection by the key that is tested', () => {
  const shellForm = (key: object | null) =>
    key === null
      ? null
      : `{ ${Object.entries(key)
          .map(([field, kind]) => `${field}: ${kind === 'hashed' ? "'hashed'" : String(kind)}`)
          .join(', ')} }`;
  const sharded = [...document.matchAll(/^sh\.shardCollection\('photos\.(\w+)', ({[^}]+})\)$/gm)].map(
    ([, collection, key]) => [collection, key],
  );
  const [, sentence = ''] = /^Do not shard (.*)\.$/m.exec(document) ?? [];
  const others = [...sentence.matchAll(/`(\w+)`/g)].map(([, collection]) => [collection, null]);
  expect(Object.fromEntries([...sharded, ...others])).toEqual(
    Object.fromEntries(Object.entries(SHARD_KEYS).map(([collection, key]) => [collection, shellForm(key)])),
  );
});
