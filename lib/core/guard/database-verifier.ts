import type { PresentedToken } from '../../shared/crypto/secrets.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import type { GuardedGrant, StoredAccessToken } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import { kindOf } from '../grants/named-token.js';
import {
  confirmArrival,
  findAccessToken,
  findInactiveReason,
  scopesOfToken,
} from '../grants/stored-access-token.js';
import { type AccessTokens, isStateless, type StatelessToken } from '../grants/tokens/access-tokens.js';
import type { UseNamedToken } from '../grants/use-named-token.js';
import { confirmationOf } from '../proof-of-possession/binding.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';
import type { AccessToken } from './access-token.js';
import { accessTokenFromClaims } from './jwt-verifier.js';
import { invalidToken, type VerifyAccessToken, type VerifyContext } from './verify-access-token.js';

/**
 * One read by the grant's id, then the hash; a JWT is found by its `jti`, so that it can be revoked as well.
 *
 * @param checkLoad throws if the database cannot keep up with the requests in progress
 */
export function createDatabaseVerifier(
  {
    grants,
    checkLoad,
  }: { readonly grants: Pick<GrantStore, 'findForGuard' | 'endResend'>; readonly checkLoad: () => void },
  {
    accessTokens,
    impliedScopes,
    isBlockedDomain,
    extraClaims,
    useNamedToken,
  }: {
    readonly accessTokens: AccessTokens;
    readonly impliedScopes: ImpliedScopes;
    /** Whether the options block the host of a client. */
    readonly isBlockedDomain: (clientId: string) => boolean;
    /** What else a guard of ours needs to know. */
    readonly extraClaims?: (grant: GuardedGrant) => object;
    /** What a token that a user has made for programs of their own may do at this use. */
    readonly useNamedToken: UseNamedToken;
  },
): VerifyAccessToken {
  const verifyStored = async (
    id: PresentedToken | null,
    { token, origin, isRecheck, now }: VerifyContext,
  ): Promise<AccessToken> => {
    const grant = id && (await grants.findForGuard(id));
    if (id === null || !grant) throw invalidToken('no such grant');
    const found = findAccessToken(grant, id.hash);
    const problem = findInactiveReason(grant, found, { isBlockedDomain, now });
    if (found === undefined || problem !== undefined) throw invalidToken(problem ?? 'no such token');
    const { stored, clientId, actor } = found;
    const granted = scopesOfToken(stored, grant.authorization, impliedScopes);
    const scopes = grant.namedToken
      ? await useNamedToken(grant, { scopes: granted, origin, isRecheck, now })
      : granted;
    const auth: AccessToken = {
      token,
      kind: kindOf(grant),
      clientId,
      scopes: [...scopes],
      expiresAt: Math.floor(stored.expiresAt.getTime() / 1000),
    };
    if (actor !== undefined) auth.actor = actor;
    addStored(auth, stored, grant);
    if (grant.resend !== undefined) await confirmArrival(grants, grant, id.hash);
    return Object.assign(auth, extraClaims?.(grant));
  };

  return async (context) => {
    const { token, now } = context;
    checkLoad();
    const parsed = await accessTokens.read(token, now);
    if (!isStateless(parsed)) return verifyStored(parsed, context);
    // nothing is stored about it but what it says
    const auth = authOfStateless(token, parsed);
    if (isBlockedDomain(auth.clientId)) throw invalidToken('its client is of a host that is blocked');
    return auth;
  };
}

/** A JWT of the client itself, without a stored grant. */
function authOfStateless(token: string, { claims }: StatelessToken): AccessToken {
  const { extra: _claimsOfHost, ...auth } = accessTokenFromClaims(token, claims, claims.aud);
  return auth;
}

/** Lists and objects are copies: a route that changes them does not change the cached grant. */
function addStored(auth: AccessToken, stored: StoredAccessToken, { authorization }: GuardedGrant): void {
  const { userId, choices, extra, authentication } = authorization;
  // RFC 9396 §9: a token may have fewer details than its grant
  const details = stored.authorizationDetails ?? authorization.authorizationDetails ?? [];
  if (stored.resource !== undefined) auth.resource = new URL(stored.resource);
  if (userId !== undefined) auth.userId = userId;
  if (details.length > 0) auth.authorizationDetails = [...details];
  if (choices !== undefined) auth.choices = { ...choices };
  if (extra !== undefined) auth.extra = { ...extra };
  Object.assign(auth, confirmationOf(stored), toAuthentication(authentication));
}

/** When and how the user has logged in. It is a copy: a route that changes it does not change the cached grant. */
function toAuthentication(
  recorded: UserAuthentication | undefined,
): Pick<AccessToken, 'authTime' | 'acr' | 'amr'> {
  if (recorded === undefined) return {};
  const { amr, ...rest } = recorded;
  return amr === undefined ? rest : { ...rest, amr: [...amr] };
}
