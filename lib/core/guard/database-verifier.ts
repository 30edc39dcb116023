import type { PresentedToken } from '../../shared/crypto/secrets.js';
import type { OAuthError } from '../../shared/errors.js';
import { actorNames } from '../../shared/protocol/actor.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import { findAccessToken, type FoundAccessToken } from '../grants/find-access-token.js';
import type { GuardedGrant, StoredAccessToken } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import { kindOf } from '../grants/named-token.js';
import { type AccessTokens, isStateless, type StatelessToken } from '../grants/tokens/access-tokens.js';
import { scopesOfToken } from '../grants/tokens/token-scopes.js';
import type { UseNamedToken } from '../grants/use-named-token.js';
import { confirmationOf } from '../proof-of-possession/binding.js';
import type { AccessToken } from './access-token.js';
import { toAuthentication } from './authentication-in.js';
import { toAccessToken } from './jwt-verifier.js';
import { invalidToken, type PresentedAccessToken, type VerifyAccessToken } from './verify-access-token.js';

/**
 * One read by the grant's id, then the hash; a JWT is found by its `jti`, so that it can be revoked as well.
 *
 * @param admit throws if the database cannot keep up with the requests in progress
 */
export function createDatabaseVerifier(
  {
    grants,
    checkLoad,
  }: { readonly grants: Pick<GrantStore, 'findForGuard'>; readonly checkLoad: () => void },
  {
    accessTokens,
    impliedScopes,
    isBlocked = () => false,
    extraClaims = () => ({}),
    useNamedToken,
  }: {
    readonly accessTokens: AccessTokens;
    readonly impliedScopes: ImpliedScopes;
    /** Whether the options block a client; its grants do not show that. Default: no client is blocked. */
    readonly isBlocked?: (clientId: string) => boolean;
    /** What else a guard of ours needs to know. */
    readonly extraClaims?: (grant: GuardedGrant) => object;
    /** What a token that a person has made for programs of their own may do at this use. */
    readonly useNamedToken: UseNamedToken;
  },
): VerifyAccessToken {
  const verifyStored = async (
    presented: PresentedToken | null,
    { token, origin, isRecheck, now }: PresentedAccessToken,
  ): Promise<AccessToken> => {
    const grant = presented && (await grants.findForGuard(presented));
    if (presented === null || !grant) throw invalidToken('no such grant');
    const { stored, clientId, actor } = findLive(grant, presented, now);
    const scopes = scopesOfToken(stored, grant.authorization, impliedScopes);
    // a token that was exchanged comes of the grant of another client
    const holders = [grant.clientId, clientId, ...actorNames(actor)];
    if (holders.some(isBlocked)) throw blockedHost();
    return {
      token,
      kind: kindOf(grant),
      clientId,
      scopes: [
        ...(grant.namedToken ? await useNamedToken(grant, { scopes, origin, isRecheck, now }) : scopes),
      ],
      expiresAt: Math.floor(stored.expiresAt.getTime() / 1000),
      ...(stored.resource !== undefined && { resource: new URL(stored.resource) }),
      ...confirmationOf(stored),
      ...detailsOf(stored, grant),
      ...describe(grant),
      ...toAuthentication(grant.authorization.authentication),
      ...(actor && { actor }),
      ...extraClaims(grant),
    };
  };

  return async (sent) => {
    const { token, now } = sent;
    checkLoad();
    const presented = await accessTokens.read(token, now);
    // a token that is not stored is known only by what it says
    if (!isStateless(presented)) return verifyStored(presented, sent);
    const auth = describeStateless(token, presented);
    if (isBlocked(auth.clientId)) throw blockedHost();
    return auth;
  };
}

/** @throws OAuthError invalid_token if it cannot be used now */
function findLive(grant: GuardedGrant, { hash }: PresentedToken, now: Date): FoundAccessToken {
  if (grant.revokedAt !== undefined) throw invalidToken('the grant is revoked');
  // grants are kept, since the client may be unblocked; the mark comes with the one read
  if (grant.blockedAt !== undefined) throw invalidToken('its client, or the token of a program, is blocked');
  const found = findAccessToken(grant, hash);
  if (found === undefined) throw invalidToken('not a token of the grant, or replaced by newer ones');
  if (found.stored.expiresAt <= now) throw invalidToken('expired');
  return found;
}

function blockedHost(): OAuthError {
  return invalidToken('its client is of a host that is blocked');
}

/** A token of the client itself, about which nothing is stored. */
function describeStateless(token: string, { claims }: StatelessToken): AccessToken {
  const { extra: _claimsOfHost, ...auth } = toAccessToken(token, claims, claims.aud);
  return auth;
}

/** RFC 9396 §9. They are copies: what a route does with them does not change what is remembered. */
function detailsOf(
  stored: StoredAccessToken,
  { authorization }: GuardedGrant,
): Pick<AccessToken, 'authorizationDetails' | 'choices'> {
  const details = stored.authorizationDetails ?? authorization.authorizationDetails ?? [];
  const { choices } = authorization;
  return {
    ...(details.length > 0 && { authorizationDetails: [...details] }),
    ...(choices && { choices: { ...choices } }),
  };
}

function describe({ authorization: { userId, extra } }: GuardedGrant): Pick<AccessToken, 'userId' | 'extra'> {
  return { ...(userId !== undefined && { userId }), ...(extra !== undefined && { extra: { ...extra } }) };
}
