import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import * as realStores from '../../lib/storage/stores.js';
import type { Site } from '../support/site.js';
import { type Access, findAccesses, type Index } from './access.js';
import type { CausedCommand } from './everything.js';
import { addOtherDocuments, OTHERS } from './other-documents.js';
import { distrustOf, explain } from './plans.js';
import { type Read, readsOf } from './reads.js';

/** More documents than the test's users and clients have, and far fewer than the others have. */
const SLACK = 100;
/** A handful of documents, read whole once a minute and never more. */
const READ_WHOLE = ['oauth_signing_keys'];

/** The called methods of the models, as `clients.find`. */
const called = new Set<string>();
jest.unstable_mockModule('../../lib/storage/stores.js', () => ({
  ...realStores,
  createStores: (...parameters: Parameters<typeof realStores.createStores>) =>
    noteCalls(realStores.createStores(...parameters)),
}));
// imported after the mock, so that the site uses it
const { doEverything } = await import('./everything.js');
const { openFullSite } = await import('./full-site.js');

let site: Site;
let commands: CausedCommand[];
let reads: (Read & { readonly cause: string })[];

beforeAll(async () => {
  // generous, because the time of a search among thousands depends on the machine
  site = await openFullSite({ advanced: { databaseTimeout: 25_000 } });
  await addOtherDocuments(site.database.connection);
  commands = await doEverything(site);
  reads = distinct(
    commands.flatMap((command) => readsOf(command).map((read) => ({ ...read, cause: command.cause }))),
  );
});
afterAll(() => site.close(), 120_000);

/** The methods of each collection that query the database. */
function methodsOf(model: unknown): [string, (...parameters: unknown[]) => unknown][] {
  return typeof model === 'function'
    ? []
    : Object.entries((model ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
        typeof value === 'function' && name !== 'createId' ? [[name, value as () => unknown]] : [],
      );
}

function noteCalls(models: realStores.Stores): realStores.Stores {
  const recorded = Object.entries(models).map(([name, model]: [string, unknown]) => {
    const methods = methodsOf(model).map(([method, call]) => [
      method,
      (...parameters: unknown[]) => (called.add(`${name}.${method}`), call(...parameters)),
    ]);
    return [
      name,
      typeof model !== 'object' ? model : { ...(model as object), ...Object.fromEntries(methods) },
    ];
  });
  return Object.fromEntries(recorded);
}

/** One read of each form, which is the fields and operators, the order, and the limit. */
function distinct<T extends Read>(all: readonly T[]): T[] {
  const formOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(formOf)
      : value?.constructor.name === 'Object'
        ? Object.entries(value).map(([name, part]) => [name, formOf(part)])
        : typeof value;
  return [
    ...new Map(
      all.map((read) => [
        JSON.stringify([read.collection, formOf(read.filter), read.sort, read.limit]),
        read,
      ]),
    ).values(),
  ];
}

const describeRead = ({ collection, filter, sort, limit, cause }: Read & { cause: string }) =>
  `${cause}: ${collection} ${JSON.stringify(filter)} sorted by ${JSON.stringify(sort)}, at most ${limit ?? 'all'}`;
const collectionOf = ({ collection }: Read) => site.database.collection(collection);
const returnedBy = (read: Read) =>
  collectionOf(read).countDocuments(read.filter, read.limit === undefined ? {} : { limit: read.limit });

/** The number of documents that the index leaves to examine. */
async function examinedBy(read: Read, { bounds, isSorted }: Access): Promise<number> {
  const { filter, sort, limit } = read;
  if (!isSorted || limit === undefined) return collectionOf(read).countDocuments(bounds);
  const idsOf = async (what: Read['filter'], max: number) =>
    (
      await collectionOf(read)
        .find(what, { projection: { _id: 1 } })
        .sort(sort)
        .limit(max)
        .toArray()
    ).map(({ _id }) => String(_id));
  // in order, until the limit is reached
  const [looked, returned] = [await idsOf(bounds, 0), await idsOf(filter, limit)];
  return returned.length < limit ? looked.length : looked.indexOf(returned.at(-1) ?? '') + 1;
}

async function problemOf(read: Read & { cause: string }): Promise<string[]> {
  // at the end of an account texts are searched, by the index of their ids
  const { cause, filter, sort } = read;
  if (cause === 'code: people' && isDeepStrictEqual([filter, sort], [{}, { _id: 1 }])) return [];
  const accesses = findAccesses(read, (await collectionOf(read).indexes()) as Index[]);
  if (accesses.length === 0) return [`no index: ${describeRead(read)}`];
  const examined = Math.min(...(await Promise.all(accesses.map((access) => examinedBy(read, access)))));
  const returned = await returnedBy(read);
  return examined > returned + SLACK
    ? [`${examined} documents looked at for ${returned}: ${describeRead(read)}`]
    : [];
}

test('the run called every method of the models', () => {
  // `models` are the models themselves, for the host to look at
  // the record of the issuer is one document, read by its `_id` when a process starts and for `oauth.health()`; loopback issuers have none
  const {
    models: _,
    issuers: _record,
    ...stores
  } = realStores.createStores(site.database.connection, {
    timeout: 5000,
  });
  const all = Object.entries(stores).flatMap(([name, model]) =>
    methodsOf(model).map(([method]) => `${name}.${method}`),
  );
  // on a bad day all of the few keys are changed; a user of `createUsers` is found and deleted by the `_id`
  const unneeded = [
    'signingKeys.refuseIssued',
    'people.hasUser',
    'people.deleteUser',
    // the inbox gets them from the outbox, and only sent messages need them
    ...['add', 'findWaiting', 'acknowledge', 'discard', 'transfer', 'list', 'retry'].map(
      (method) => `inbox.${method}`,
    ),
  ];
  expect(all.filter((method) => !called.has(method) && !unneeded.includes(method))).toEqual([]);
});

test('each collection of the run has thousands of other documents', async () => {
  const requested = [...new Set(reads.map(({ collection }) => collection))].filter(
    (name) => !READ_WHOLE.includes(name),
  );
  const counts = await Promise.all(
    requested.map(
      async (name) =>
        [name, (await site.database.collection(name).estimatedDocumentCount()) >= OTHERS] as const,
    ),
  );
  expect(counts.filter(([, isFull]) => !isFull)).toEqual([]);
  expect(requested).toEqual(
    expect.arrayContaining([
      'oauth_clients',
      'oauth_grants',
      'oauth_consents',
      'oauth_audit',
      'oauth_user_codes',
      'oauth_pushed_requests',
      'oauth_used_proofs',
      'oauth_initial_access_tokens',
      'oauth_users',
      'oauth_webhooks',
      'oauth_sign_ins',
    ]),
  );
});

test('no command scans a collection or examines much more than it returns', async () => {
  const problems = (
    await Promise.all(reads.filter(({ collection }) => !READ_WHOLE.includes(collection)).map(problemOf))
  ).flat();
  expect(problems).toEqual([]);
});

test('the check fails without a needed index', async () => {
  const grants = site.database.collection('oauth_grants');
  await grants.dropIndex('userId_1_clientId_1');
  const problems = (
    await Promise.all(reads.filter(({ collection }) => collection === 'oauth_grants').map(problemOf))
  ).flat();
  await grants.createIndex(
    { userId: 1, clientId: 1 },
    { partialFilterExpression: { userId: { $exists: true } } },
  );
  expect(problems.map((problem) => /^[^:]+/.exec(problem)?.[0])).toContain('no index');
});

test('MongoDB’s plans agree, if the server reports them', async () => {
  const distrust = await distrustOf(site.database.connection);
  if (distrust !== undefined)
    return void process.stderr.write(`The plans of this server are not asked: ${distrust}\n`);
  for (const read of reads.filter(({ collection }) => !READ_WHOLE.includes(collection))) {
    const { stages, documentsExamined } = await explain(site.database.connection, read);
    const tooMany = documentsExamined > (await returnedBy(read)) + SLACK;
    expect({
      read: describeRead(read),
      stages: stages.filter((stage) => stage === 'COLLSCAN'),
      documentsExamined: tooMany ? documentsExamined : 'few',
    }).toEqual({ read: describeRead(read), stages: [], documentsExamined: 'few' });
  }
});
