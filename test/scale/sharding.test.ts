import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Schema } from 'mongoose';

import { createUsers } from '../../lib/index.js';
import type { RecordedCommand } from '../support/commands.js';
import { fixture } from '../support/site-for.js';
import { type CausedCommand, doEverything, HOT } from './everything.js';
import { openFullSite } from './full-site.js';
import { readsOf } from './reads.js';
import { canBeUnique, isIdUnique, isTargeted, isUpsert, SHARD_KEYS } from './shard-keys.js';

let commands: CausedCommand[];

const site = fixture(() => openFullSite());
beforeAll(async () => {
  createUsers(site.database.connection);
  commands = await doEverything(site);
});

const models = () =>
  Object.values(site.database.connection.models) as unknown as readonly {
    readonly collection: { readonly name: string };
    readonly schema: Schema;
  }[];
const ofData = ({ name, collection }: CausedCommand) =>
  collection in SHARD_KEYS && !['createIndexes', 'listIndexes', 'create'].includes(name);

test('every collection has a shard key, or is listed as unsharded', () => {
  expect(Object.keys(SHARD_KEYS).sort()).toEqual(
    models()
      .map(({ collection }) => collection.name)
      .sort(),
  );
});

test('each frequent command goes to one shard', () => {
  const hot = commands.filter((command) => HOT.test(command.cause) && ofData(command));
  // and sometimes those of the audit, which is written asynchronously
  expect(hot.map(({ collection }) => collection)).toEqual(
    expect.arrayContaining([
      'oauth_clients',
      'oauth_grants',
      'oauth_consents',
      'oauth_user_codes',
      'oauth_pushed_requests',
      'oauth_used_proofs',
      'oauth_assertion_ids',
      'oauth_signing_keys',
    ]),
  );
  expect(
    hot
      .filter((command) => !isTargeted(command) && !isAboutPeople(command) && !isFirstOfAll(command))
      .map(({ cause, name, collection }) => `${cause}: ${name} ${collection}`),
  ).toEqual([]);
});

/** Whether few users have an unverified client, which is queried until ten do, and then once a day. */
const isAboutPeople = ({ name, cause }: CausedCommand) =>
  name === 'aggregate' && /^(authorize|device): (allow|deny|the first use)/.test(cause);

/** The first grant of a client by document forgets the consents to another client with the same id. */
const isFirstOfAll = ({ name, collection, cause }: CausedCommand) =>
  ['find', 'delete'].includes(name) &&
  collection === 'oauth_consents' &&
  cause === 'authorize: allow a client that nobody has registered';

/** The doctor counts the documents. */
const COUNTED = [
  'oauth_user_codes',
  'oauth_pushed_requests',
  'oauth_refusals',
  'oauth_used_proofs',
  'oauth_assertion_ids',
  'oauth_sign_ins',
  'oauth_limits',
];

test('only these rare commands go to all shards', () => {
  const toAll = commands.filter((command) => ofData(command) && !isTargeted(command));
  const causesOf = (collection: string) =>
    [
      ...new Set(
        toAll
          .filter((command) => command.collection === collection)
          .map(({ cause }) =>
            cause.replace(/(, (all|self-registered|unused|unverified|blocked|a search)| by) ?.*/, ''),
          ),
      ),
    ].sort();
  const usage = [
    'page: an application',
    'page: applications',
    'page: end old secrets',
    'page: invite somebody',
    'page: one’s applications',
    'page: rotate a secret',
    'page: take an invitation back',
  ];
  const ofClient = [
    'code: delete a client',
    'code: revoke all of a client',
    'page: delete an application',
    'registration: delete',
  ];
  const ofUser = [
    'code: revoke all of a user',
    'code: revoke all of a user at a client',
    'page: a connected application',
    'page: connected applications',
    'page: end the access of all',
    'page: end the access of one',
    'page: pick something else for an app',
    'page: take a scope back',
  ];
  const ofConsentPages = toAll.filter(isAboutPeople).map(({ cause }) => cause);
  expect(new Set(ofConsentPages)).toEqual(
    new Set([
      'authorize: allow',
      'authorize: allow a client that nobody has registered',
      'authorize: allow it once more',
      'authorize: deny',
      'authorize: the first use of a client that registered itself',
      'device: allow',
    ]),
  );
  expect(causesOf('oauth_grants')).toEqual(
    [
      ...usage,
      ...ofClient,
      ...ofUser,
      'code: block and unblock a client',
      'code: people',
      'command line: doctor',
      'command line: grants list',
      'device: allow',
      'code: end all sessions',
      'end_session: end a session',
      'page of an app: see the sign-ins there, and end them',
      'code: access tokens',
      'notify: tokens that expire',
      'page: access tokens',
    ].sort(),
  );
  expect(causesOf('oauth_consents')).toEqual(
    [
      ...usage,
      ...ofClient,
      ...ofConsentPages.filter((cause) => cause.startsWith('authorize')),
      'document: says something else',
      // one of them is renamed
      'code: clients',
      // counts its users
      'page: a connected application',
      'page: change an application',
      'page: take a scope back',
      'registration: replace',
    ].sort(),
  );
  // the end of an account reads the outbox as well
  for (const collection of COUNTED)
    expect(causesOf(collection)).toEqual([
      ...(collection === 'oauth_pushed_requests' ? ['code: people'] : []),
      'command line: doctor',
    ]);
  expect(causesOf('oauth_audit')).toEqual([
    'code: audit',
    'code: people',
    'command line: audit export',
    'command line: doctor',
    'command line: how long the audit keeps entries',
    'page: a connected application',
    'page: access tokens',
    'page: take a scope back',
  ]);
  expect(new Set(toAll.map(({ collection }) => collection))).toEqual(
    new Set(['oauth_grants', 'oauth_consents', 'oauth_audit', ...COUNTED]),
  );
});

test('each id that must be unique is unique on all shards together', () => {
  const inserted = new Set(
    commands
      .filter(({ name, cause }) => name === 'insert' && !cause.startsWith('login'))
      .map(({ collection }) => collection),
  );
  // the id of a sign-in is a hash that includes its user, and the user is its shard key, so one id is on one shard
  inserted.delete('oauth_sign_ins');
  expect([...inserted].filter((collection) => !isIdUnique(SHARD_KEYS[collection] ?? null))).toEqual([]);
});

test('each unique index begins with its shard key, as MongoDB demands', () => {
  const unique = models().flatMap(({ collection, schema }) =>
    schema
      .indexes()
      .flatMap(([key, options]) =>
        options.unique ? [{ collection: collection.name, fields: Object.keys(key) }] : [],
      ),
  );
  expect(unique.map(({ collection }) => collection).sort()).toEqual(['oauth_consents', 'oauth_users']);
  expect(
    unique.filter(({ collection, fields }) => !canBeUnique(fields, SHARD_KEYS[collection] ?? null)),
  ).toEqual([]);
});

test('an upsert names the whole shard key', () => {
  const upserts = commands.filter(isUpsert);
  expect(new Set(upserts.map(({ collection }) => collection))).toEqual(
    new Set(['oauth_client_logos', 'oauth_consents', 'oauth_refusals']),
  );
  expect(upserts.filter((command) => !isTargeted(command))).toEqual([]);
});

describe('the checks of this suite', () => {
  const command = (name: string, more: object): RecordedCommand => ({
    name,
    collection: 'things',
    command: { [name]: 'things', ...more },
  });
  const byId = { things: { _id: 'hashed' } } as const;

  test('the checks distinguish commands with and without the shard key', () => {
    expect(isTargeted(command('find', { filter: { _id: 'x', other: 1 } }), byId)).toBe(true);
    expect(isTargeted(command('find', { filter: { _id: { $gt: 'x' } } }), byId)).toBe(false);
    expect(isTargeted(command('find', { filter: { other: 1 } }), byId)).toBe(false);
    expect(isTargeted(command('insert', { documents: [{ _id: 'x' }] }), byId)).toBe(true);
    expect(isTargeted(command('insert', { documents: [{ other: 1 }] }), byId)).toBe(false);
    expect(isTargeted(command('find', { filter: {} }), { things: null })).toBe(true);
    const byTwo = { things: { a: 1, b: 1 } } as const;
    expect(isTargeted(command('find', { filter: { a: 1 } }), byTwo)).toBe(true);
    expect(isTargeted(command('find', { filter: { b: 1 } }), byTwo)).toBe(false);
    expect(isTargeted(command('insert', { documents: [{ a: 1 }] }), byTwo)).toBe(false);
    expect(isTargeted(command('update', { updates: [{ q: { a: 1 }, upsert: true }] }), byTwo)).toBe(false);
  });

  test('the checks fail for a collection without an entry', () => {
    expect(() => isTargeted(command('find', { filter: {} }))).toThrow(/not among the shard keys/);
  });

  test('the checks fail for a unique index that MongoDB would refuse', () => {
    expect(canBeUnique(['userId', 'clientId'], { userId: 1, clientId: 1 })).toBe(true);
    expect(canBeUnique(['userId', 'clientId'], { clientId: 1 })).toBe(false);
    expect(canBeUnique(['userId'], { userId: 'hashed' })).toBe(false);
    expect(isIdUnique({ userId: 1 })).toBe(false);
  });

  test('the run had all kinds of commands', () => {
    expect(new Set(commands.flatMap((each) => (readsOf(each).length > 0 ? [each.name] : [])))).toEqual(
      new Set(['find', 'update', 'delete', 'findAndModify', 'aggregate']),
    );
  });
});
