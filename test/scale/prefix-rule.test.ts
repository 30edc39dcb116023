import { describe, expect, test } from '@jest/globals';

import { findAccesses, type Index } from './access.js';
import { type Filter, type Read, readsOf } from './reads.js';

const index = (key: Index['key'], more: Partial<Index> = {}): Index => ({
  name: Object.keys(key).join(),
  key,
  ...more,
});
const INDEXES = [
  index({ _id: 1 }),
  index({ a: 1, b: -1, c: 1 }),
  index({ user: 1 }, { partialFilterExpression: { user: { $exists: true } } }),
  index({ hashed: 'hashed' }),
];

function accessesOf(filter: Filter, sort: Read['sort'] = {}, limit?: number) {
  return findAccesses({ collection: 'things', filter, sort, limit }, INDEXES);
}

type Looked = [filter: Filter, sort: Read['sort'], limit: number | undefined];

describe('MongoDB’s rule of prefixes', () => {
  test.each<[string, ...Looked]>([
    ['a field without an index', { other: 1 }, {}, undefined],
    ['no filter at all', {}, {}, undefined],
    ['the second field of an index without its first', { b: 1, c: 2 }, {}, undefined],
    ['an order without a limit', {}, { a: 1 }, undefined],
    ['an order of no index', {}, { b: 1 }, 10],
    ['an order whose directions are those of an index in one field only', {}, { a: 1, b: 1 }, 10],
    ['an order with a field more than the index has', {}, { a: 1, b: -1, c: 1, d: 1 }, 10],
    [
      'another field beside one by an index, as alternatives',
      { $or: [{ a: 1 }, { other: 1 }] },
      {},
      undefined,
    ],
    ['a value outside a partial index', { user: null }, {}, undefined],
    ['a missing field of a partial index', { user: { $exists: false } }, {}, undefined],
    ['the order of a partial index without its condition', {}, { user: 1 }, 10],
    ['inequality', { a: { $ne: 1 } }, {}, undefined],
    ['a regular expression', { a: /x/ }, {}, undefined],
    ['a range of hashes', { hashed: { $gt: 1 } }, {}, undefined],
    ['an order of hashes', {}, { hashed: 1 }, 10],
  ])('MongoDB’s rule of prefixes refuses %s', (_what, filter, sort, limit) => {
    expect(accessesOf(filter, sort, limit)).toEqual([]);
  });
});

describe('it allows', () => {
  test.each<[string, ...Looked, object]>([
    [
      'the id beside any other field',
      { _id: 1, other: { $gt: 2 } },
      {},
      undefined,
      { index: '_id', isExact: false, isSorted: true },
    ],
    ['the first field', { a: 1 }, {}, undefined, { isExact: true }],
    ['the first fields and a range', { a: 1, b: { $gt: 1, $lt: 5 } }, {}, undefined, { isExact: true }],
    [
      'a field after a range, for examined documents only',
      { a: 1, b: { $gt: 1 }, c: 2 },
      {},
      undefined,
      { bounds: { $and: [{ a: 1 }, { b: { $gt: 1 } }] }, isExact: false },
    ],
    [
      'a field after a gap, for examined documents only',
      { a: 1, c: 2 },
      {},
      undefined,
      { bounds: { $and: [{ a: 1 }] }, isExact: false },
    ],
    ['some values', { a: { $in: [1, 2] } }, {}, undefined, { isExact: true }],
    ['an order after equal fields', { a: 1 }, { b: -1, c: 1 }, 10, { isSorted: true }],
    ['an order in reverse', { a: 1 }, { b: 1, c: -1 }, 10, { isSorted: true }],
    ['another order, which sorts all matches', { a: 1 }, { c: 1 }, 10, { isSorted: false }],
    [
      'the order of some values, which takes sorting',
      { a: { $in: [1, 2] } },
      { b: -1 },
      10,
      { isSorted: false },
    ],
    ['an order with a limit', {}, { a: -1, b: 1 }, 10, { bounds: {}, isSorted: true, isExact: true }],
    ['a range in its order', { a: { $lt: 3 } }, { a: 1, b: -1 }, 10, { isSorted: true, isExact: true }],
    [
      'a partial index with a value in the filter',
      { user: 'u' },
      {},
      undefined,
      { index: 'user', isExact: true },
    ],
    [
      'a partial index with its condition as the filter',
      { user: { $exists: true } },
      {},
      undefined,
      { index: 'user', isExact: true },
    ],
    ['a missing field, if the index has it', { a: { $exists: false } }, {}, undefined, { isExact: true }],
    [
      'alternatives with an index each',
      { $or: [{ a: 1 }, { user: 'u' }] },
      {},
      undefined,
      { index: 'a,b,c or user', isExact: true },
    ],
    [
      'alternatives beside an indexed field',
      { a: 1, $or: [{ x: 1 }, { y: 1 }] },
      {},
      undefined,
      { bounds: { $and: [{ a: 1 }] }, isExact: false },
    ],
    ['a hash', { hashed: 1 }, {}, undefined, { index: 'hashed', isExact: true }],
  ])('MongoDB’s rule of prefixes allows %s', (_what, filter, sort, limit, access) => {
    expect(accessesOf(filter, sort, limit)).toContainEqual(expect.objectContaining(access));
  });
});

describe('the reads of a command', () => {
  const read = (name: string, more: object) =>
    readsOf({ name, collection: 'things', command: { [name]: 'things', ...more } });
  const found = (filter: object, sort = {}, limit?: number) => ({
    collection: 'things',
    filter,
    sort,
    limit,
  });

  test('the reads of find, count and writes are recognized', () => {
    expect(read('find', { filter: { a: 1 }, sort: new Map([['b', -1]]), limit: 3 })).toEqual([
      found({ a: 1 }, { b: -1 }, 3),
    ]);
    expect(read('find', { filter: { a: 1 }, limit: 1, singleBatch: true })).toEqual([found({ a: 1 }, {}, 1)]);
    expect(read('count', { query: { a: 1 } })).toEqual([found({ a: 1 })]);
    expect(read('findAndModify', { query: { a: 1 } })).toEqual([found({ a: 1 }, {}, 1)]);
    expect(read('update', { updates: [{ q: { a: 1 } }, { q: { a: 2 }, multi: true }] })).toEqual([
      found({ a: 1 }, {}, 1),
      found({ a: 2 }),
    ]);
    expect(
      read('delete', {
        deletes: [
          { q: { a: 1 }, limit: 0 },
          { q: { a: 2 }, limit: 1 },
        ],
      }),
    ).toEqual([found({ a: 1 }), found({ a: 2 }, {}, 1)]);
    expect(read('insert', { documents: [{}] })).toEqual([]);
  });

  test('the reads of an aggregation are the stages before the first other one, and each union', () => {
    const pipeline = [
      { $match: { a: 1 } },
      { $sort: { b: -1 } },
      { $limit: 5 },
      { $group: { _id: '$a' } },
      { $sort: { x: 1 } },
      { $unionWith: { coll: 'others', pipeline: [{ $match: { c: 1 } }] } },
    ];
    expect(read('aggregate', { pipeline })).toEqual([
      found({ a: 1 }, { b: -1 }, 5),
      { ...found({ c: 1 }), collection: 'others' },
    ]);
    expect(read('aggregate', { pipeline: [{ $changeStream: {} }] })).toEqual([]);
    const filtered = [{ $match: { a: 1 } }, { $match: { b: 1 } }, { $limit: 1 }];
    expect(read('aggregate', { pipeline: filtered })).toEqual([found({ a: 1 }, undefined, 1)]);
  });

  test.each([
    ['distinct', { key: 'a' }],
    ['aggregate', { pipeline: [{ $match: {} }, { $lookup: { from: 'others' } }] }],
    ['aggregate', { pipeline: [{ $limit: 5 }, { $match: { a: 1 } }] }],
    ['aggregate', { pipeline: [{ $sort: { a: 1 } }, { $match: { b: 1 } }] }],
  ])('an unknown command is refused instead of left out: %s', (name, more) => {
    expect(() => read(name, more)).toThrow(/not known here/);
  });
});
