import type { Inspection } from '../../storage/index-inspection.js';
import type { ReportFinding } from './finding.js';

/** For the change streams of clients and signing keys, and four connections for requests. */
const MIN_POOL_SIZE = 6;
const WITHOUT_STREAM: Readonly<Record<string, string>> = {
  oauth_clients: 'Other processes see a changed client after advanced.clientCacheTtl seconds only.',
  oauth_signing_keys: 'Other processes use a revoked signing key for up to a minute.',
  oauth_grants: 'guard.cache remembers nothing.',
};

/** Reports limits of this kind of deployment, which do not matter in development. */
export async function checkDeployment(report: ReportFinding, inspection: Inspection) {
  const [isStandalone, missing, refusedStreams, arbiters] = await Promise.all([
    inspection.isStandalone(),
    inspection.missingFeatures(),
    inspection.refusedStreams(),
    inspection.countArbiters(),
  ]);
  const { poolSize } = inspection;
  report(isStandalone && 'note', 'deployment.standalone', {
    what: 'MongoDB is a single server, not a replica set',
    why: 'There is no majority that keeps a write through a failure, and no change stream: other processes see a changed client after advanced.clientCacheTtl seconds only.',
    cure: 'For production run a replica set of three members (rs.initiate); for development this is all right.',
  });
  report(missing.length > 0 && 'serious', 'deployment.lacks', {
    what: `the database server does not know ${missing.join(' and ')}`,
    why: 'Codes of devices, limits that all processes count together, taking back what was allowed, and lists of several applications are answered by 503.',
    cure: 'Take a server of those that docs/operations.md lists as working.',
  });
  report(refusedStreams.length > 0 && 'note', 'deployment.streams', {
    what: `the database server refuses change streams on ${refusedStreams.join(', ')} to this user`,
    why: refusedStreams.map((name) => WITHOUT_STREAM[name]).join(' '),
    cure: 'Give the user of the site the privileges find and changeStream on these collections, or switch streams on where the service asks for that; otherwise leave guard.cache out.',
  });
  report(arbiters > 0 && 'warning', 'deployment.arbiter', {
    what: 'the replica set has an arbiter',
    why: 'With a primary, a secondary and an arbiter, no write is confirmed by a majority while one of the two with data is down: every answer that writes is 503 then, although there is a primary.',
    cure: 'Run three members that have data.',
  });
  report(poolSize < MIN_POOL_SIZE && 'note', 'deployment.pool', {
    what: `the URI gives the pool ${poolSize} ${poolSize === 1 ? 'connection' : 'connections'} (maxPoolSize)`,
    why: `A change stream takes one for itself and is not opened unless four remain: with fewer than ${MIN_POOL_SIZE}, other processes see a changed client only after advanced.clientCacheTtl seconds, or a revoked signing key only after a minute. guard.cache needs 3, and takes one more.`,
    cure: 'If the site uses this URI, raise maxPoolSize; on serverless hosts with one request at a time it may stay.',
  });
}
