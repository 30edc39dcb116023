import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { isSameJson } from '../../shared/protocol/json.js';
import { claimsOfScopes, withoutLanguage } from '../../shared/protocol/standard-claims.js';
import { type RequestedClaims, scopeOfClaim } from './claims-request.js';
import type { OpenidSettings, UserClaims } from './options.js';

export interface ClaimsQuestion {
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Requested claims that the user has allowed one by one. */
  readonly requested: RequestedClaims;
  readonly withScopes: boolean;
  /** The client's preferred languages. Default: none. */
  readonly claimsLocales?: readonly string[] | undefined;
}

/** Claims that only this server sets; values of the site are left out. (RFC 7519 §4.1, OpenID Connect Core §2) */
const OWN_CLAIMS: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['auth_time', 'nonce', 'acr', 'amr', 'azp', 'at_hash', 'c_hash', 's_hash', 'sid', 'cnf'],
]);

/**
 * The claims of a user that the client may read.
 *
 * @returns undefined if the user no longer exists
 * @throws OAuthError server_error if the site's function fails
 */
export async function findUserClaims(
  { claims: ask, scopeClaims }: Pick<OpenidSettings, 'claims' | 'scopeClaims'>,
  { userId, scopes, requested, withScopes, claimsLocales = [] }: ClaimsQuestion,
): Promise<UserClaims | undefined> {
  const ofScopes = claimsOfScopes(withScopes ? scopes : [], scopeClaims);
  const names = Object.keys(requested);
  const more = names.flatMap((name) => scopeOfClaim(name, Object.keys(scopeClaims), scopeClaims) ?? []);
  let claims: unknown;
  try {
    claims = await ask(userId, [...new Set([...scopes, ...more])], { claimsLocales });
  } catch (cause) {
    throw cause instanceof OAuthError ? cause : unexpectedCondition('openid.claims threw', cause);
  }
  if (claims === null || claims === undefined || claims === false) return undefined;
  if (typeof claims !== 'object' || Array.isArray(claims))
    throw unexpectedCondition('openid.claims must give an object, or null if there is no such person');
  const released = Object.entries(claims)
    .map(([name, value]: [string, unknown]) => {
      // OpenID Connect Core §5.1: `updated_at` is a number of seconds, but most databases have a Date
      const isDate = name === 'updated_at' && value instanceof Date;
      return [name, isDate ? Math.floor(value.getTime() / 1000) : value] as const;
    })
    .filter(([name, value]) => {
      // OpenID Connect Core §5.3.2: unknown claims are left out, neither null nor empty
      if (value === undefined || value === null || value === '') return false;
      const claim = withoutLanguage(name);
      if (OWN_CLAIMS.has(claim)) return false;
      if (ofScopes.has(claim)) return true;
      const match = [name, claim].find((each) => Object.hasOwn(requested, each));
      if (match === undefined) return false;
      const { values } = requested[match]!;
      if (values === undefined) return true;
      // compared as JSON, the form in which the client gets the value: the site may return a Date
      const seen = JSON.parse(JSON.stringify({ value })) as { readonly value?: unknown };
      return values.some((each) => isSameJson(each, seen.value));
    });
  return Object.fromEntries(released);
}
