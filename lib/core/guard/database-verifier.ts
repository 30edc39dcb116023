import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import type { GuardedGrant } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import { kindOf } from '../grants/named-token.js';
import {
  confirmArrival,
  findAccessToken,
  findInactiveReason,
  scopesOfToken,
} from '../grants/stored-access-token.js';
import { type AccessTokens, isStateless } from '../grants/tokens/access-tokens.js';
import { toConfirmation } from '../proof-of-possession/binding.js';
import type { AccessToken } from './access-token.js';
import { accessTokenFromClaims } from './token-claims.js';
import { invalidToken, type VerifyAccessToken, type VerifyContext } from './verify-access-token.js';

/**
 * Checks the policy for a personal access token or service token at each use, and returns its scopes.
 *
 * @throws OAuthError invalid_token if the use is refused, or the error of a hook
 */
export type UseNamedToken = (
  grant: GuardedGrant,
  use: Omit<VerifyContext, 'token'> & { readonly scopes: readonly string[] },
) => Promise<readonly string[]>;

/**
 * Verifies a token by one read: by the grant's id, then the hash. A JWT is looked up by its `jti`, so that it can be
 * revoked as well.
 *
 * @param checkLoad throws if the database cannot keep up with the requests in progress
 */
export function createDatabaseVerifier(dependencies: {
  readonly grants: GrantStore;
  readonly checkLoad: () => void;
  readonly accessTokens: AccessTokens;
  readonly impliedScopes: ImpliedScopes;
  readonly isBlockedDomain: (clientId: string) => boolean;
  /** Further data for this server's guards. */
  readonly extraClaims?: (grant: GuardedGrant) => object;
  readonly useNamedToken: UseNamedToken;
}): VerifyAccessToken {
  const { grants, checkLoad, accessTokens, impliedScopes, isBlockedDomain } = dependencies;
  const { extraClaims, useNamedToken } = dependencies;
  return async (context) => {
    const { token, origin, isRecheck, now } = context;
    checkLoad();
    const presented = await accessTokens.read(token, now);

    // a JWT without a stored grant, of a client that acts for itself: its claims are all the data
    if (isStateless(presented)) {
      const { claims } = presented;
      const stateless = accessTokenFromClaims(token, claims, claims.aud);
      if (isBlockedDomain(stateless.clientId)) throw invalidToken('its client is of a host that is blocked');
      return stateless;
    }

    const grant = presented && (await grants.findForGuard(presented));
    if (presented === null || !grant) throw invalidToken('no such grant');
    const accessToken = findAccessToken(grant, presented.hash);
    const problem = findInactiveReason(grant, accessToken, { isBlockedDomain, now });
    if (accessToken === undefined || problem !== undefined) throw invalidToken(problem ?? 'no such token');
    const { stored, clientId, actor } = accessToken;
    const granted = scopesOfToken(stored, grant.authorization, impliedScopes);
    const scopes = grant.namedToken
      ? await useNamedToken(grant, { scopes: granted, origin, isRecheck, now })
      : granted;

    // lists and objects are copied: changes by a route must not affect the cached grant
    const { userId, choices, extra, authentication } = grant.authorization;
    const auth: AccessToken = {
      token,
      kind: kindOf(grant),
      clientId,
      scopes: [...scopes],
      expiresAt: Math.floor(stored.expiresAt.getTime() / 1000),
    };
    if (actor !== undefined) auth.actor = actor;
    if (stored.resource !== undefined) auth.resource = new URL(stored.resource);
    if (userId !== undefined) auth.userId = userId;
    // RFC 9396 §9: a token may have fewer details than its grant
    const details = stored.authorizationDetails ?? grant.authorization.authorizationDetails ?? [];
    if (details.length > 0) auth.authorizationDetails = [...details];
    if (choices !== undefined) auth.choices = { ...choices };
    if (extra !== undefined) auth.extra = { ...extra };
    if (authentication !== undefined) Object.assign(auth, authentication);
    if (authentication?.amr !== undefined) auth.amr = [...authentication.amr];
    if (stored.jkt !== undefined || stored.x5tS256 !== undefined) Object.assign(auth, toConfirmation(stored));
    if (grant.resend !== undefined) await confirmArrival(grants, grant, presented.hash);
    return Object.assign(auth, extraClaims?.(grant));
  };
}
