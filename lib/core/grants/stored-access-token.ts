import { equalText } from '../../shared/crypto/secrets.js';
import { type ActorClaim, actorNames } from '../../shared/protocol/actor.js';
import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import type { Authorization, GuardedGrant, StoredAccessToken, StoredExchangedToken } from './grant.js';
import type { GrantStore } from './grant-store.js';

export interface GrantAccessToken {
  readonly stored: StoredAccessToken;
  /** Present if the token was issued by a token exchange (RFC 8693). */
  readonly exchanged?: StoredExchangedToken;
  readonly clientId: string;
  /** The actor of the token (RFC 8693 §4.1). */
  readonly actor?: ActorClaim | undefined;
}

type TokensOfGrant = Pick<GuardedGrant, 'clientId' | 'authorization' | 'accessTokens' | 'exchangedTokens'>;

/** Finds the access token with this hash among the issued and the exchanged tokens of a grant. */
export function findAccessToken(grant: TokensOfGrant, hash: string): GrantAccessToken | undefined {
  const { clientId, authorization, accessTokens, exchangedTokens = [] } = grant;
  const matches = (token: StoredAccessToken) => equalText(token.hash, hash);
  const stored = accessTokens.find(matches);
  if (stored !== undefined) return { stored, clientId, actor: authorization.actor };
  const exchanged = exchangedTokens.find(matches);
  return exchanged && { stored: exchanged, exchanged, clientId: exchanged.clientId, actor: exchanged.act };
}

/**
 * Why a token of a grant is not active (RFC 7662 §2.2); undefined if the token is active. Every read of a token calls
 * this function.
 *
 * @param isBlockedDomain whether the options block the domain of a client; grants of such a client have no `blockedAt`
 */
export function findInactiveReason(
  grant: Pick<GuardedGrant, 'clientId' | 'revokedAt' | 'blockedAt'>,
  token: GrantAccessToken | undefined,
  { isBlockedDomain, now }: { readonly isBlockedDomain: (clientId: string) => boolean; readonly now: Date },
): string | undefined {
  if (grant.revokedAt !== undefined) return 'the grant is revoked';
  // a blocked client keeps its grants, because it may be unblocked; `blockedAt` of a grant saves a read of the client
  if (grant.blockedAt !== undefined) return 'its client, or the token of a program, is blocked';
  if (token === undefined) return 'not a token of the grant, or replaced by newer ones';
  if (token.stored.expiresAt <= now) return 'expired';
  const { clientId, actor, exchanged } = token;
  // an exchanged token is in the grant of another client, and further clients may have passed it on
  const actors = actor === undefined ? [] : actorNames(actor);
  const holders = [grant.clientId, clientId, ...actors, ...(exchanged?.through ?? [])];
  return holders.some(isBlockedDomain) ? 'its client is of a host that is blocked' : undefined;
}

/**
 * The scopes that a token still has. An access token may have fewer scopes than its grant, but never more, even if the
 * user has withdrawn scopes since the token was issued.
 *
 * @see RFC 6749 §6
 */
export function scopesOfToken(
  { scopes }: Pick<StoredAccessToken, 'scopes'>,
  authorization: Authorization,
  implied: ImpliedScopes,
): readonly string[] {
  if (scopes === undefined) return authorization.scopes;
  const granted = withImplied(authorization.scopes, implied);
  return scopes.filter((scope) => granted.includes(scope));
}

/** Ends the grace of `'untilUsed'`: an access token of the response is used, so the response has arrived. */
export async function confirmArrival(
  grants: Pick<GrantStore, 'endResend'>,
  { grantId, resend }: Pick<GuardedGrant, 'grantId' | 'resend'>,
  accessTokenHash: string,
): Promise<void> {
  if (resend?.accessTokenHash === accessTokenHash && resend.isUsed !== true)
    await grants.endResend(grantId, accessTokenHash);
}
