import { type ImpliedScopes, withImplied } from '../../../shared/protocol/implied-scopes.js';
import type { Authorization, StoredAccessToken } from '../grant.js';

/**
 * What a token can be used for at this moment: it may have fewer scopes than its grant but never more, even if the
 * person has taken some back since it was issued.
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
