import type { OpenidAuthorization } from '../../core/openid/openid-authorization.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import { claimEntryOf, type ScopeClaims, withoutLanguage } from '../../shared/protocol/standard-claims.js';
import { isObject } from '../../shared/schema.js';

export interface RequestedClaim {
  readonly essential?: boolean;
  /** The values that the client can use: with another value the claim is left out. */
  readonly values?: readonly unknown[];
}

export type RequestedClaims = Readonly<Record<string, RequestedClaim>>;

/** Single claims that a request asks for, beside those of its scopes. @see OpenID Connect Core §5.5 */
export interface ClaimsRequest {
  readonly userinfo: RequestedClaims;
  readonly idToken: RequestedClaims;
}

/** More than there are. */
const MAX_CLAIMS = 60;
const MAX_NAME = 100;

/** @throws OAuthError invalid_request unless it is JSON as in OpenID Connect Core §5.5; unknown members are ignored */
export function parseClaimsRequest(text: string): ClaimsRequest {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw malformed('it is no JSON', cause);
  }
  if (!isObject(given)) throw malformed('it is no object');
  return { userinfo: parseMember('userinfo', given), idToken: parseMember('id_token', given) };
}

function parseMember(
  name: 'userinfo' | 'id_token',
  given: Readonly<Record<string, unknown>>,
): RequestedClaims {
  const member = Object.hasOwn(given, name) ? given[name] : undefined;
  if (member === undefined || member === null) return {};
  if (!isObject(member)) throw malformed(`${name} is no object`);
  const entries = Object.entries(member);
  if (entries.length > MAX_CLAIMS) throw malformed(`${name} has more than ${MAX_CLAIMS} claims`);
  return Object.fromEntries(
    entries.map(([claim, requested]): [string, RequestedClaim] => {
      const path = `${name}.${claim}`;
      if (path.length > MAX_NAME) throw malformed('a claim has too long a name');
      if (requested === null) return [claim, {}];
      if (!isObject(requested)) throw malformed(`${path} is neither null nor an object`);
      const { essential, value, values } = requested;
      if (essential !== undefined && typeof essential !== 'boolean')
        throw malformed(`essential of ${path} is no boolean`);
      if (value === undefined && values !== undefined && !Array.isArray(values))
        throw malformed(`values of ${path} is no list`);
      const all = value === undefined ? (values as readonly unknown[] | undefined) : [value];
      return [claim, { essential: essential || undefined, values: all }];
    }),
  );
}

function malformed(problem: string, cause?: unknown): OAuthError {
  // parts of it came from a stranger, whose characters may not be allowed in an error description
  const text = problem.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
  return invalidRequest(`the parameter claims cannot be used: ${text}`, 'parameter_malformed', { cause });
}

/** The scope among those given that names a claim; undefined if none does. */
export function scopeOfClaim(
  claim: string,
  scopes: readonly string[],
  scopeClaims: ScopeClaims,
): string | undefined {
  const name = withoutLanguage(claim);
  return scopes.find((scope) => Object.hasOwn(scopeClaims, scope) && scopeClaims[scope]!.includes(name));
}

/**
 * The claims of a request that have to be allowed each by itself: those that its client may ask for, and that none of
 * the requested scopes names already.
 */
export function claimEntriesOf(
  { userinfo, idToken }: ClaimsRequest,
  { scopes, mayAsk }: { readonly scopes: readonly string[]; readonly mayAsk: readonly string[] },
  scopeClaims: ScopeClaims,
): readonly string[] {
  const names = [...Object.keys(userinfo), ...Object.keys(idToken)].filter(
    (name) =>
      scopeOfClaim(name, mayAsk, scopeClaims) !== undefined &&
      scopeOfClaim(name, scopes, scopeClaims) === undefined,
  );
  return [...new Set(names.map(claimEntryOf))];
}

export type StoredClaims = Pick<OpenidAuthorization, 'claims' | 'claimScopes'>;

/** The claims of a request that were allowed, as text, because names of claims must not become names in a document. */
export function keepClaims(
  requested: ClaimsRequest,
  allowed: readonly string[],
  scopeClaims: ScopeClaims,
): StoredClaims {
  const stored = claimsWithin(requested, allowed, scopeClaims);
  const names = [...Object.keys(stored.userinfo), ...Object.keys(stored.idToken)];
  if (names.length === 0) return {};
  const claimScopes = allowed.filter((scope) => names.some((name) => isAllowed(name, [scope], scopeClaims)));
  return { claims: JSON.stringify(stored), claimScopes };
}

/** What `keepClaims` has kept, as far as it is still allowed. */
export function storedClaims(
  { claims, claimScopes = [] }: StoredClaims,
  scopeClaims: ScopeClaims,
): ClaimsRequest {
  if (claims === undefined) return { userinfo: {}, idToken: {} };
  return claimsWithin(JSON.parse(claims) as ClaimsRequest, claimScopes, scopeClaims);
}

function claimsWithin(
  { userinfo, idToken }: ClaimsRequest,
  allowed: readonly string[],
  scopeClaims: ScopeClaims,
): ClaimsRequest {
  const left = (claims: RequestedClaims) =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => isAllowed(name, allowed, scopeClaims)));
  return { userinfo: left(userinfo), idToken: left(idToken) };
}

/** Allowed by a scope that names it, or by itself as long as any scope names it. */
function isAllowed(claim: string, allowed: readonly string[], scopeClaims: ScopeClaims): boolean {
  if (scopeOfClaim(claim, allowed, scopeClaims) !== undefined) return true;
  const isNamed = scopeOfClaim(claim, Object.keys(scopeClaims), scopeClaims) !== undefined;
  return isNamed && allowed.includes(claimEntryOf(claim));
}
