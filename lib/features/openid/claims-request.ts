import type { OpenidAuthorization } from '../../core/openid/openid-authorization.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import { claimEntryOf, type ScopeClaims, withoutLanguage } from '../../shared/protocol/standard-claims.js';
import { isObject } from '../../shared/schema.js';

export interface RequestedClaim {
  readonly essential?: boolean;
  /** The values that the client accepts: the claim is left out if it has another value. */
  readonly values?: readonly unknown[];
}

export type RequestedClaims = Readonly<Record<string, RequestedClaim>>;

/** Claims that a request names beside its scopes. @see OpenID Connect Core §5.5 */
export interface ClaimsRequest {
  readonly userinfo: RequestedClaims;
  readonly idToken: RequestedClaims;
}

/** More than any client needs. */
const MAX_CLAIMS = 60;
const MAX_NAME = 100;

/** Ignores unknown members. @throws OAuthError invalid_request unless `text` is JSON as in OpenID Connect Core §5.5 */
export function parseClaimsRequest(text: string): ClaimsRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed('it is no JSON', cause);
  }
  if (!isObject(value)) throw malformed('it is no object');
  return { userinfo: parseMember('userinfo', value), idToken: parseMember('id_token', value) };
}

function parseMember(
  name: 'userinfo' | 'id_token',
  request: Readonly<Record<string, unknown>>,
): RequestedClaims {
  const member = Object.hasOwn(request, name) ? request[name] : undefined;
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
  // the client's text may have characters that an error description must not have
  const text = problem.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?');
  return invalidRequest(`the parameter claims cannot be used: ${text}`, 'parameter_malformed', { cause });
}

/** The first of these scopes that includes the claim; otherwise undefined. */
export function scopeOfClaim(
  claim: string,
  scopes: readonly string[],
  scopeClaims: ScopeClaims,
): string | undefined {
  const name = withoutLanguage(claim);
  return scopes.find((scope) => Object.hasOwn(scopeClaims, scope) && scopeClaims[scope]!.includes(name));
}

/**
 * The requested claims that need their own consent: the client's scopes allow them, and none of the requested scopes
 * includes them.
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

/** The allowed claims of a request, as text: a name of a claim must not become a member of a document. */
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

/** The claims that `keepClaims` has stored, as far as they are still allowed. */
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

/** A claim is allowed by a scope that includes it, or by its own consent while any scope includes it. */
function isAllowed(claim: string, allowed: readonly string[], scopeClaims: ScopeClaims): boolean {
  if (scopeOfClaim(claim, allowed, scopeClaims) !== undefined) return true;
  const isNamed = scopeOfClaim(claim, Object.keys(scopeClaims), scopeClaims) !== undefined;
  return isNamed && allowed.includes(claimEntryOf(claim));
}
