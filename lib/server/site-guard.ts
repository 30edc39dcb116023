import { blockedDomains } from '../core/clients/domain-trust.js';
import type { GuardedGrant } from '../core/grants/grant.js';
import type { GuardDependencies } from '../core/guard/admission.js';
import { requiredConfirmationsOf } from '../core/guard/checks.js';
import { createDatabaseVerifier } from '../core/guard/database-verifier.js';
import { createGuard, type Guard } from '../core/guard/guard.js';
import { createUseDetails } from '../core/guard/use-details.js';
import { aliasOf } from '../settings/endpoint-urls.js';
import { ownResourcesOf } from '../settings/options/resource-options.js';
import type { Server } from './server.js';

/** The guard of the site's own API, which looks tokens up in the database. */
export function createOwnGuard(server: Server): Guard {
  return createGuard(ownGuardParts(server));
}

/** What it is made from. */
export function ownGuardParts(
  { settings, models, report, accessTokens, proofs, readCertificate, readMigrated }: Server,
  also?: (grant: GuardedGrant) => object,
): GuardDependencies {
  const { issuer } = settings;
  return {
    ...settings,
    verify: createDatabaseVerifier(models, {
      accessTokens,
      impliedScopes: settings.impliedScopes,
      isBlocked: blockedDomains(settings),
      ...(also && { also }),
    }),
    report,
    realm: new URL(issuer).host,
    resource: issuer,
    knownResources: ownResourcesOf(settings),
    aliasOrigin: aliasOf(settings, new URL(issuer).origin),
    proofs,
    readCertificate,
    requiredConfirmations: requiredConfirmationsOf(settings),
    publicPath: settings.issuerPath,
    knownScopes: Object.keys(settings.scopes),
    knownDetailTypes: [...settings.authorizationDetails.keys()],
    useDetails: createUseDetails({ ...models, accessTokens }, settings),
    isMigrated: async (token) => (await readMigrated('access_token', token)) !== null,
  };
}
