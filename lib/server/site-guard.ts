import { blockedDomains } from '../core/clients/domain-trust.js';
import type { GuardedGrant } from '../core/grants/grant.js';
import { isStateless } from '../core/grants/tokens/access-tokens.js';
import type { GuardDependencies } from '../core/guard/admission.js';
import { createDatabaseVerifier } from '../core/guard/database-verifier.js';
import { createUseDetails } from '../core/guard/details-check.js';
import { ACCESS_TOKEN_SCHEME, OAUTH2_SCHEME } from '../core/guard/openapi-operation.js';
import { createTokenWatch } from '../core/guard/token-watch.js';
import { NO_ORIGIN } from '../core/http/request-origin.js';
import { aliasOf } from '../settings/endpoint-urls.js';
import { ownResourcesOf } from '../settings/options/resource-options.js';
import type { Server } from './server.js';

/** The dependencies of the guard of the site's own API, which looks tokens up in the database. */
export function siteGuardDependencies(
  { settings, models, report, accessTokens, proofs, readCertificate, readMigrated, namedTokens }: Server,
  extraClaims?: (grant: GuardedGrant) => object,
): GuardDependencies {
  const { issuer, dpop, profile } = settings;
  const isKeyRequired = Boolean(dpop && dpop.required);
  const isBlockedDomain = blockedDomains(settings);
  const verify = createDatabaseVerifier({
    ...models,
    accessTokens,
    impliedScopes: settings.impliedScopes,
    isBlockedDomain,
    useNamedToken: namedTokens.use,
    extraClaims,
  });
  // the tokens of open connections are rechecked when their grants change, and at intervals
  const watch = createTokenWatch({
    recheck: (token, now) => verify({ token, origin: NO_ORIGIN, isRecheck: true, now }),
    interval: settings.guard.recheck,
    async grantIdOf(token, now) {
      const presented = await accessTokens.read(token, now);
      return presented === null || isStateless(presented) ? undefined : presented.grantId;
    },
  });
  models.onGrantChange((grantId) => watch.changed(grantId));
  return {
    ...settings,
    isLoggedIn: settings.people.isLoggedIn,
    findUser: settings.people.find,
    bearerMethods: settings.guard.bearerMethods,
    clockTolerance: settings.security.clockTolerance,
    verify,
    watch,
    report,
    realm: new URL(issuer).host,
    resource: issuer,
    knownResources: ownResourcesOf(settings),
    aliasOrigin: aliasOf(settings, new URL(issuer).origin),
    proofs,
    readCertificate,
    // FAPI 2.0 Security Profile §5.3.4-5: either binding suffices
    requiredConfirmations: isKeyRequired ? ['jkt'] : profile === undefined ? [] : ['jkt', 'x5t#S256'],
    publicPath: settings.issuerPath,
    knownScopes: Object.keys(settings.scopes),
    stepUp: settings.stepUp ?? false,
    knownDetailTypes: [...(settings.authorizationDetails?.keys() ?? [])],
    useDetails: createUseDetails(models.grants, accessTokens, { ...settings, isBlockedDomain }),
    securitySchemes: settings.personalAccessTokens ? [OAUTH2_SCHEME, ACCESS_TOKEN_SCHEME] : [OAUTH2_SCHEME],
    isMigrated: async (token) => (await readMigrated('access_token', token)) !== null,
  };
}
