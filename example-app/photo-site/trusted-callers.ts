import type { EnterpriseTrust, Users, WorkloadTrust } from 'express-authorization-server';

import { demoUser } from '../demo.js';
import type { Settings } from '../settings.js';

/** The trusted issuers of assertions: in real life GitHub, and a company's identity provider. */
export function trustedCallers(
  { platformUrl }: Pick<Settings, 'platformUrl'>,
  users: Users,
): (WorkloadTrust | EnterpriseTrust)[] {
  const platform = `${platformUrl}/ci`;
  const company = `${platformUrl}/idp`;
  return [
    {
      kind: 'workload',
      name: 'publisher',
      // a stand-in for https://token.actions.githubusercontent.com
      issuer: platform,
      jwksUri: `${platform}/jwks`,
      claims: {
        repository: 'lantern/photos',
        ref: 'refs/heads/main',
        event_name: ['push', 'workflow_dispatch'],
      },
      scopes: ['photos:write'],
    },
    {
      kind: 'enterprise',
      issuer: company,
      jwksUri: `${company}/jwks`,
      // the company identifies Ada differently from the photo site
      findUser: async ({ sub }) =>
        sub === 'employee-7' ? (await users.verify(demoUser.username, demoUser.password))?.id : null,
    },
  ];
}
