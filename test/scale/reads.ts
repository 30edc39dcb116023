import type { RecordedCommand } from '../support/commands.js';

export type Filter = Readonly<Record<string, unknown>>;

/** A read of a command in one collection. */
export interface Read {
  readonly collection: string;
  readonly filter: Filter;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** Undefined: all that match. */
  readonly limit: number | undefined;
}

type Body = Readonly<Record<string, unknown>>;
type Stage = Readonly<Record<string, unknown>>;

/** Commands without a search for documents, or that the driver sends by itself. */
const NO_READS = [
  'insert',
  'createIndexes',
  'listIndexes',
  'listCollections',
  'create',
  'hello',
  'ping',
  'getParameter',
  'endSessions',
  'getMore',
  'killCursors',
];
/** Stages that work on the output of those before them. */
const LATER_STAGES = [
  '$group',
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$count',
  '$sort',
  '$limit',
  '$match',
  '$unwind',
];

/** Mongoose marks internal operators with a symbol, which is not sent. */
function asSent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asSent);
  if (typeof value !== 'object' || value?.constructor.name !== 'Object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, asSent(inside)]));
}

/**
 * What a recorded command looks for; an aggregation with `$unionWith` has several reads.
 *
 * @throws Error if its kind is not known here, so that none is left out
 */
export function readsOf({ name, command }: RecordedCommand): Read[] {
  if (NO_READS.includes(name)) return [];
  const collection = String(command[name]);
  const read = (filter: unknown, { sort, limit }: { sort?: unknown; limit?: unknown } = {}): Read => ({
    collection,
    filter: asSent(filter ?? {}) as Filter,
    sort: sortOf(sort),
    limit: limitOf(limit),
  });
  switch (name) {
    case 'find':
      return [
        read(command.filter, { sort: command.sort, limit: command.singleBatch === true ? 1 : command.limit }),
      ];
    case 'count':
      return [read(command.query, { limit: command.limit })];
    case 'findAndModify':
      return [read(command.query, { sort: command.sort, limit: 1 })];
    case 'update':
      return (command.updates as Body[]).map(({ q, multi }) => read(q, { limit: multi === true ? 0 : 1 }));
    case 'delete':
      return (command.deletes as Body[]).map(({ q, limit }) => read(q, { limit }));
    case 'aggregate':
      return readsOfPipeline(collection, command.pipeline as Stage[]);
    default:
      throw new Error(`a command of a kind that is not known here: ${name} ${collection}`);
  }
}

function readsOfPipeline(collection: string, pipeline: readonly Stage[]): Read[] {
  // it waits for new changes
  if (pipeline[0] !== undefined && '$changeStream' in pipeline[0]) return [];
  const first = pipeline.findIndex((stage) => !['$match', '$sort', '$limit'].includes(nameOf(stage)));
  const head = first === -1 ? pipeline : pipeline.slice(0, first);
  // a second $match filters the results of the first, without an index
  const [start, next] = head.map(nameOf);
  if (start === '$match' && next === '$match') return readsOfPipeline(collection, pipeline.toSpliced(1, 1));
  const order = head.map(nameOf);
  if (
    order.join() !==
    [...new Set(order)]
      .sort((a, b) => ['$match', '$sort', '$limit'].indexOf(a) - ['$match', '$sort', '$limit'].indexOf(b))
      .join()
  )
    throw new Error(`a pipeline that begins with ${order.join(', ')} is not known here`);
  const {
    $match = {},
    $sort,
    $limit,
  } = Object.assign({}, ...head) as { $match?: Filter; $sort?: unknown; $limit?: unknown };
  const own: Read = {
    collection,
    filter: asSent($match) as Filter,
    sort: sortOf($sort),
    limit: limitOf($limit),
  };
  return [own, ...pipeline.slice(head.length).flatMap(readsOfLaterStage)];
}

function readsOfLaterStage(stage: Stage): Read[] {
  const name = nameOf(stage);
  if (LATER_STAGES.includes(name)) return [];
  if (name !== '$unionWith') throw new Error(`a stage that is not known here: ${name}`);
  const { coll, pipeline } = stage.$unionWith as { coll: string; pipeline: Stage[] };
  return readsOfPipeline(coll, pipeline);
}

const nameOf = (stage: Stage): string => Object.keys(stage)[0] ?? '';

/** The driver sends a sort as a map. */
function sortOf(sort: unknown): Read['sort'] {
  const entries =
    sort instanceof Map
      ? [...(sort as Map<string, number>)]
      : Object.entries((sort ?? {}) as Record<string, number>);
  return Object.fromEntries(entries.map(([path, direction]) => [path, Number(direction) === 1 ? 1 : -1]));
}

function limitOf(limit: unknown): number | undefined {
  return limit === undefined || Number(limit) === 0 ? undefined : Number(limit);
}
