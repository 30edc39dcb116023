import { type EnterpriseTrust, github, type Users, type WorkloadTrust } from 'express-authorization-server';

import { demoUser } from '../demo.js';
import type { Settings } from '../settings.js';

/** Whose tokens the photo site trusts: in real life that is GitHub, and the identity provider of a company. */
export function trustedCallers(
  { platformUrl }: Pick<Settings, 'platformUrl'>,
  users: Users,
): (WorkloadTrust | EnterpriseTrust)[] {
  const job = github({
    name: 'publisher',
    repository: 'lantern/photos',
    ref: 'refs/heads/main',
    scopes: ['photos:write'],
  });
  const platform = `${platformUrl}/ci`;
  const company = `${platformUrl}/idp`;
  return [
    // a stand-in, shaped like GitHub; your own site takes `job` as it is
    { ...job, issuer: platform, jwksUri: `${platform}/jwks` },
    {
      kind: 'enterprise',
      issuer: company,
      jwksUri: `${company}/jwks`,
      // the company knows Ada by another name than the photo site does
      findUser: async ({ sub }) =>
        sub === 'employee-7' ? (await users.verify(demoUser.username, demoUser.password))?.id : null,
    },
  ];
}
