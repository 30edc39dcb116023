import type { Inspection } from '../../storage/index-inspection.js';
import { type Finding, finding } from './finding.js';

/** What a deployment of this kind cannot do; for development it need not. */
export async function checkDeployment(inspection: Pick<Inspection, 'isStandalone'>): Promise<Finding[]> {
  if (!(await inspection.isStandalone())) return [];
  return [
    finding('note', 'deployment.standalone', {
      what: 'MongoDB is a single server, not a replica set',
      why: 'There is no majority that keeps a write through a failure, and no change stream: other processes see a changed client after clientCacheTtl seconds only.',
      cure: 'For production run a replica set of three members (rs.initiate); for development this is all right.',
    }),
  ];
}
