import { isDeepStrictEqual } from 'node:util';

import type { Filter, Read } from './reads.js';

/** An index as listIndexes reports it. */
export interface Index {
  readonly name: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly partialFilterExpression?: Filter;
}

/** A way to find the documents of a read with an index. */
export interface Access {
  readonly index: string;
  /** The part of the filter that the index answers. As many documents are examined as match it. */
  readonly bounds: Filter;
  /** Whether this is the whole filter. */
  readonly isExact: boolean;
  /** Whether they come in the requested order, so that a limit ends the work. */
  readonly isSorted: boolean;
}

type Kind = 'equality' | 'points' | 'range' | 'exists' | 'missing' | 'other';
type Condition = readonly [path: string, value: unknown];

/**
 * The ways that MongoDB's rule allows: equality for the first fields of an index, then the fields of the order, then a
 * range; a partial index only if the filter implies its condition.
 */
export function findAccesses(read: Read, indexes: readonly Index[]): Access[] {
  const conditions = conditionsOf(read.filter);
  const single = indexes.flatMap((index) => accessBy(index, read, conditions) ?? []);
  return [...single, ...accessesByAlternatives(read, indexes)];
}

function accessBy(index: Index, { sort, limit }: Read, conditions: readonly Condition[]): Access | undefined {
  if (!holdsAll(index, conditions)) return undefined;
  const used: Condition[] = [];
  const find = (path: string, kinds: readonly Kind[]) =>
    conditions.find(([candidate, value]) => candidate === path && kinds.includes(kindOf(value)));
  const keys = Object.entries(index.key);
  while (keys.length > 0) {
    const [path = '', direction] = keys[0] ?? [];
    // an entry that is missing from a partial or sparse index cannot be found in it
    const equal = find(
      path,
      index.partialFilterExpression || index.sparse
        ? ['equality', 'points']
        : ['equality', 'points', 'missing'],
    );
    if (equal === undefined || (direction !== 1 && direction !== -1 && direction !== 'hashed')) break;
    used.push(equal);
    keys.shift();
  }
  const points = used.some(([, value]) => kindOf(value) === 'points');
  const isSorted =
    !points &&
    isInOrder(
      Object.entries(sort).filter(([path]) => !used.some(([equal]) => equal === path)),
      keys,
    );
  const [next, direction] = keys[0] ?? [];
  if (next !== undefined && direction !== 'hashed')
    used.push(
      ...conditions.filter(([path, value]) => path === next && ['range', 'exists'].includes(kindOf(value))),
    );
  if (used.length === 0 && !(isSorted && limit !== undefined && Object.keys(sort).length > 0))
    return undefined;
  return {
    index: index.name,
    bounds: used.length === 0 ? {} : { $and: used.map(([path, value]) => ({ [path]: value })) },
    isExact: conditions.every((condition) => used.includes(condition)),
    isSorted,
  };
}

/** `$or`: each alternative with a separate index. */
function accessesByAlternatives({ collection, filter, sort }: Read, indexes: readonly Index[]): Access[] {
  const { $or, ...rest } = filter as { $or?: readonly Filter[] };
  if ($or === undefined) return [];
  const ways = $or.map(
    (alternative) =>
      findAccesses({ collection, filter: alternative, sort: {}, limit: undefined }, indexes)[0],
  );
  if (ways.some((way) => way === undefined)) return [];
  const found = ways as Access[];
  const isExact = found.every((way) => way.isExact) && Object.keys(rest).length === 0;
  return [
    {
      index: found.map(({ index }) => index).join(' or '),
      bounds: { $or: found.map(({ bounds }) => bounds) },
      isExact,
      isSorted: Object.keys(sort).length === 0,
    },
  ];
}

/** Whether the requested order is that of the keys, or completely the reverse. */
function isInOrder(
  sort: readonly (readonly [string, number])[],
  keys: readonly (readonly [string, unknown])[],
): boolean {
  const turns = sort.map(([path, direction], position) => {
    const [key, own] = keys[position] ?? [];
    return key === path && (own === 1 || own === -1) ? own * direction : 0;
  });
  return !turns.includes(0) && new Set(turns).size <= 1;
}

/** Whether the index has all documents that match. */
function holdsAll(
  { key, sparse, partialFilterExpression }: Index,
  conditions: readonly Condition[],
): boolean {
  const [first = ''] = Object.keys(key);
  const needed = [
    ...Object.entries(partialFilterExpression ?? {}),
    ...(sparse ? [[first, { $exists: true }] as const] : []),
  ];
  return needed.every(([path, desired]) =>
    conditions.some(([candidate, value]) => candidate === path && implies(value, desired)),
  );
}

function implies(value: unknown, desired: unknown): boolean {
  if (isDeepStrictEqual(value, desired)) return true;
  return (
    isDeepStrictEqual(desired, { $exists: true }) &&
    value !== null &&
    ['equality', 'points', 'range'].includes(kindOf(value))
  );
}

function conditionsOf(filter: Filter): Condition[] {
  return Object.entries(filter).flatMap(([path, value]): Condition[] =>
    path === '$and' ? (value as Filter[]).flatMap(conditionsOf) : [[path, value]],
  );
}

const RANGES = ['$gt', '$gte', '$lt', '$lte'];

function kindOf(value: unknown): Kind {
  if (value instanceof RegExp) return 'other';
  if (Array.isArray(value)) return 'other';
  if (typeof value !== 'object' || value?.constructor.name !== 'Object') return 'equality';
  const operators = Object.keys(value);
  if (!operators.every((name) => name.startsWith('$'))) return 'equality';
  if (operators.every((name) => RANGES.includes(name))) return 'range';
  if (operators.join() === '$eq') return 'equality';
  // one element of a list, so both ends of the range are for the same key
  if (operators.join() === '$elemMatch') return kindOf((value as { $elemMatch: unknown }).$elemMatch);
  if (operators.join() === '$in')
    return (value as { $in: unknown[] }).$in.includes(null) ? 'other' : 'points';
  if (operators.join() === '$exists')
    return (value as { $exists: unknown }).$exists === true ? 'exists' : 'missing';
  return 'other';
}
