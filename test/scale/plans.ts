import type { Connection } from 'mongoose';

import type { Filter, Read } from './reads.js';

/** The plan of MongoDB for a read. */
export interface Plan {
  /** `COLLSCAN`, `IXSCAN`, `SORT`… */
  readonly stages: readonly string[];
  readonly documentsExamined: number;
}

/** For a write or an aggregation it is the plan of its search, made by the same planner. */
export async function explain(
  connection: Connection,
  { collection, filter, sort, limit }: Read,
): Promise<Plan> {
  const find = {
    find: collection,
    filter,
    ...(Object.keys(sort).length > 0 && { sort }),
    ...(limit !== undefined && { limit }),
  };
  const { queryPlanner, executionStats } = (await connection.db?.command({
    explain: find,
    verbosity: 'executionStats',
  })) as {
    queryPlanner: { winningPlan: unknown };
    executionStats?: { totalDocsExamined: number };
  };
  // a server that does not say how many it has read fails the probes, and is trusted in nothing
  const documentsExamined = executionStats?.totalDocsExamined ?? Infinity;
  return { stages: stagesOf(queryPlanner.winningPlan), documentsExamined };
}

function stagesOf(plan: unknown): string[] {
  if (plan === null || typeof plan !== 'object') return [];
  return Object.entries(plan).flatMap(([name, value]): string[] =>
    name === 'stage' ? [String(value)] : stagesOf(value),
  );
}

const PROBE = 'probe';
const PROBES: readonly (readonly [
  scans: boolean,
  examined: number,
  filter: Filter,
  sort?: Read['sort'],
  limit?: number,
])[] = [
  [true, 300, { other: 1 }],
  [true, 300, { second: 1 }],
  [false, 1, { _id: 7, other: 1 }],
  [false, 3, { first: 1 }],
  [false, 3, { user: 'u1' }],
  [false, 6, { $or: [{ first: 1 }, { first: 2 }] }],
  [false, 2, { first: 1 }, { second: -1 }, 2],
  [false, 5, {}, { first: -1, second: 1 }, 5],
  [
    false,
    3,
    { first: { $lte: 1 }, $or: [{ first: 0 }, { second: { $gt: 0 } }] },
    { first: 1, second: -1 },
    3,
  ],
];

/**
 * Why `explain` of this server cannot be trusted, undefined if it can. MongoDB's can; some other servers with its
 * protocol report another plan than MongoDB, or always the same one.
 */
export async function distrustOf(connection: Connection): Promise<string | undefined> {
  const probe = connection.collection(PROBE);
  await probe.insertMany(
    Array.from({ length: 300 }, (_, index) => ({
      _id: index as never,
      first: index % 100,
      second: index,
      ...(index % 2 === 1 && { user: `u${index % 100}` }),
    })),
  );
  await probe.createIndex({ first: 1, second: -1 });
  await probe.createIndex({ user: 1 }, { partialFilterExpression: { user: { $exists: true } } });
  try {
    for (const [scans, examined, filter, sort = {}, limit] of PROBES) {
      const plan = await explain(connection, { collection: PROBE, filter, sort, limit });
      if (plan.stages.includes('COLLSCAN') !== scans || plan.documentsExamined > examined) {
        return `of ${JSON.stringify(filter)} sorted by ${JSON.stringify(sort)} it says ${plan.stages.join(', ')} and ${plan.documentsExamined} documents`;
      }
    }
    return undefined;
  } finally {
    await probe.drop();
  }
}
