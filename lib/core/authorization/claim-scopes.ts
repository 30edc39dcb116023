import { inEachLanguage, type Messages } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import {
  claimEntryOf,
  claimOfEntry,
  isClaimEntry,
  SCOPE_CLAIMS,
  type ScopeClaims,
  type StandardClaim,
} from '../../shared/protocol/standard-claims.js';
import type { AuthorizationRequest } from './authorization-request.js';

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes' | 'openid'>;

/** The texts of the claims of OpenID Connect Core §5.1. The only claim of a scope has the text of that scope. */
const TERMS: ReadonlyMap<string, keyof Messages> = new Map(
  Object.values(SCOPE_CLAIMS).flatMap((claims) => claims.map((claim) => [claim, termOf(claim)])),
);

function termOf(claim: StandardClaim): keyof Messages {
  if (claim === 'phone_number') return 'openid.phone';
  return claim === 'email' || claim === 'address' ? `openid.${claim}` : `claim.${claim}`;
}

/**
 * The rules of the scopes, plus a rule for each claim entry among `scopes`. A claim is a part of each scope that
 * includes it, and has its own text.
 *
 * @see OpenID Connect Core §5.5
 */
export function expandClaimScopes<Rules extends ScopeRules>(
  settings: Rules,
  scopes: readonly string[],
): Rules {
  const entries = [...new Set(scopes.filter(isClaimEntry))];
  if (entries.length === 0) return settings;
  // the rule of a claim is the rule of its scopes, except for the text
  const described = entries.map((entry): [string, Settings['scopes'][string]] => {
    const including = Object.keys(settings.scopes).filter((scope) => includesClaim(scope, entry, settings));
    const rules = including.map((scope) => settings.scopes[scope]!);
    const claim = claimOfEntry(entry);
    const key = TERMS.get(claim) ?? 'claim.other';
    const rule = {
      description: inEachLanguage((messages) => messages[key].replace('{claim}', () => claim)),
      details: undefined,
      group: rules[0]?.group,
      risk: rules.some(({ risk }) => risk === 'high') ? ('high' as const) : ('normal' as const),
      optional: rules.every(({ optional }) => optional),
      implies: [],
    };
    return [entry, rule];
  });
  return {
    ...settings,
    scopes: { ...settings.scopes, ...Object.fromEntries(described) },
    impliedScopes: impliedScopesWithClaims(settings, entries),
  };
}

/** What each scope includes: other scopes and claim entries. Default: all claim entries of the server. */
export function impliedScopesWithClaims(
  settings: ScopeRules,
  entries: readonly string[] = [...new Set(Object.values(claimsOf(settings)).flat().map(claimEntryOf))],
): ImpliedScopes {
  const { scopes, impliedScopes } = settings;
  const table = Object.keys(scopes).map((scope) => {
    const below = impliedScopes.get(scope) ?? [];
    const claims = entries.filter((entry) =>
      [scope, ...below].some((each) => includesClaim(each, entry, settings)),
    );
    return [scope, [...below, ...claims]] as const;
  });
  return new Map(table.filter(([, included]) => included.length > 0));
}

/** Leaves out the claims that another of the scopes includes. */
export function withoutCovered(
  scopes: readonly string[],
  { impliedScopes }: Pick<Settings, 'impliedScopes'>,
): readonly string[] {
  return scopes.filter(
    (scope) =>
      !isClaimEntry(scope) || !scopes.some((other) => impliedScopes.get(other)?.includes(scope) === true),
  );
}

export function isPartlyRequested(scope: string, entries: readonly string[], settings: ScopeRules): boolean {
  return entries.some((entry) => includesClaim(scope, entry, settings));
}

/**
 * Narrows scopes and claim entries by the site's rules, which know only scopes. For a claim, the rules get the scope
 * that includes it, and if they remove that scope, its claims are removed as well.
 *
 * @param narrow returns the scopes that are left
 */
export async function narrowScopesAndClaims(
  { scopes, client }: AuthorizationRequest,
  settings: ScopeRules,
  narrow: (scopes: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const claimEntries = scopes.filter(isClaimEntry);
  if (claimEntries.length === 0) return narrow(scopes);
  const scopeOfEntry = (entry: string) =>
    client.scopes.find((scope) => includesClaim(scope, entry, settings));
  const forClaims = claimEntries.flatMap((entry) => scopeOfEntry(entry) ?? []);
  const requested = [...new Set([...scopes.filter((scope) => !isClaimEntry(scope)), ...forClaims])];
  const left = await narrow(requested);
  if (left === requested) return scopes;
  return [
    // a scope that only represented its claims was not requested
    ...left.filter((scope) => scopes.includes(scope) || !forClaims.includes(scope)),
    ...claimEntries.filter((entry) => left.includes(scopeOfEntry(entry) ?? '')),
  ];
}

function claimsOf({ openid }: ScopeRules): ScopeClaims {
  return openid ? openid.scopeClaims : {};
}

function includesClaim(scope: string, entry: string, settings: ScopeRules): boolean {
  const scopeClaims = claimsOf(settings);
  return (
    Object.hasOwn(scopeClaims, scope) && scopeClaims[scope]!.some((claim) => claimEntryOf(claim) === entry)
  );
}
