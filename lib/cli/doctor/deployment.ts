import type { Inspection } from '../../storage/index-inspection.js';
import { type Finding, finding } from './finding.js';

/** A change stream takes one of them for itself. */
const MIN_POOL_SIZE = 5;

type Requested = Pick<
  Inspection,
  'isStandalone' | 'missingFeatures' | 'refusesStreams' | 'countArbiters' | 'poolSize'
>;

/** What a deployment of this kind cannot do; for development it need not. */
export async function checkDeployment(inspection: Requested): Promise<Finding[]> {
  const [isStandalone, missing, refusesStreams, arbiters] = await Promise.all([
    inspection.isStandalone(),
    inspection.missingFeatures(),
    inspection.refusesStreams(),
    inspection.countArbiters(),
  ]);
  return [
    ...(isStandalone ? [STANDALONE] : []),
    ...(missing.length > 0 ? [missingFinding(missing)] : []),
    ...(refusesStreams ? [STREAMS] : []),
    ...(arbiters > 0 ? [ARBITER] : []),
    ...(inspection.poolSize < MIN_POOL_SIZE ? [poolFinding(inspection.poolSize)] : []),
  ];
}

const STANDALONE = finding('note', 'deployment.standalone', {
  what: 'MongoDB is a single server, not a replica set',
  why: 'There is no majority that keeps a write through a failure, and no change stream: other processes see a changed client after advanced.clientCacheTtl seconds only.',
  cure: 'For production run a replica set of three members (rs.initiate); for development this is all right.',
});

const STREAMS = finding('note', 'deployment.streams', {
  what: 'the database server refuses change streams to this user',
  why: 'Other processes see a changed client after advanced.clientCacheTtl seconds only, and guard.cache remembers nothing.',
  cure: 'Give the user of the site the right changeStream, or switch streams on where the service asks for that; otherwise leave guard.cache out.',
});

const ARBITER = finding('warning', 'deployment.arbiter', {
  what: 'the replica set has an arbiter',
  why: 'With a primary, a secondary and an arbiter, no write is confirmed by a majority while one of the two with data is down: every answer that writes is 503 then, although there is a primary.',
  cure: 'Run three members that have data.',
});

function missingFinding(missing: readonly string[]): Finding {
  return finding('serious', 'deployment.lacks', {
    what: `the database server does not know ${missing.join(' and ')}`,
    why: 'Codes of devices, limits that all processes count together, taking back what was allowed, and lists of several applications are answered by 503.',
    cure: 'Take a server of those that docs/operations.md lists as working.',
  });
}

function poolFinding(size: number): Finding {
  return finding('note', 'deployment.pool', {
    what: `the URI gives the pool ${size} ${size === 1 ? 'connection' : 'connections'} (maxPoolSize)`,
    why: `A change stream takes one for itself, so fewer than ${MIN_POOL_SIZE} have none: other processes see a changed client after advanced.clientCacheTtl seconds only. guard.cache needs 3.`,
    cure: 'If the site uses this URI, raise maxPoolSize; on serverless hosts with one request at a time it may stay.',
  });
}
