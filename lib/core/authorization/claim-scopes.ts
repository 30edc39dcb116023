import { type Messages, SHIPPED_MESSAGES } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import {
  claimEntryOf,
  claimOfEntry,
  isClaimEntry,
  type ScopeClaims,
  type StandardClaim,
} from '../../shared/protocol/standard-claims.js';
import type { Client } from '../clients/client.js';

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes' | 'openid'>;

/** The claims of §5.1 in words; a claim that is all that a scope has uses the words of that scope. */
const TERMS: Readonly<Record<StandardClaim, keyof Messages>> = {
  name: 'claim.name',
  family_name: 'claim.family_name',
  given_name: 'claim.given_name',
  middle_name: 'claim.middle_name',
  nickname: 'claim.nickname',
  preferred_username: 'claim.preferred_username',
  profile: 'claim.profile',
  picture: 'claim.picture',
  website: 'claim.website',
  gender: 'claim.gender',
  birthdate: 'claim.birthdate',
  zoneinfo: 'claim.zoneinfo',
  locale: 'claim.locale',
  updated_at: 'claim.updated_at',
  email: 'openid.email',
  email_verified: 'claim.email_verified',
  address: 'openid.address',
  phone_number: 'openid.phone',
  phone_number_verified: 'claim.phone_number_verified',
};

/**
 * The rules of the scopes, plus the single claims that were asked for or allowed: each is a part of the scopes that
 * name it, and has its own words.
 *
 * @see OpenID Connect Core §5.5
 */
export function expandClaimScopes<Rules extends ScopeRules>(
  settings: Rules,
  among: readonly string[],
): Rules {
  const entries = [...new Set(among.filter(isClaimEntry))];
  if (entries.length === 0) return settings;
  const described = entries.map((entry) => [entry, describe(entry, settings)] as const);
  return {
    ...settings,
    scopes: { ...settings.scopes, ...Object.fromEntries(described) },
    impliedScopes: implyingClaims(settings, entries),
  };
}

/** What each scope includes, with single claims: all that exist, unless some are given. */
export function implyingClaims(
  settings: ScopeRules,
  entries: readonly string[] = allOf(claimsOf(settings)),
): ImpliedScopes {
  const { scopes, impliedScopes } = settings;
  const table = Object.keys(scopes).map((scope) => {
    const below = impliedScopes.get(scope) ?? [];
    const named = entries.filter((entry) =>
      [scope, ...below].some((each) => isNamedBy(each, entry, settings)),
    );
    return [scope, [...below, ...named]] as const;
  });
  return new Map(table.filter(([, included]) => included.length > 0));
}

/** Leaves out the claims that come with another of the scopes. */
export function withoutCovered(
  scopes: readonly string[],
  { impliedScopes }: Pick<Settings, 'impliedScopes'>,
): readonly string[] {
  return scopes.filter(
    (scope) =>
      !isClaimEntry(scope) || !scopes.some((other) => impliedScopes.get(other)?.includes(scope) === true),
  );
}

/** Whether a scope names one of the claims. */
export function isPartlyRequested(scope: string, entries: readonly string[], settings: ScopeRules): boolean {
  return entries.some((entry) => isNamedBy(scope, entry, settings));
}

/**
 * Asks the host's rules, which know only scopes: for a single claim they are asked about the scope that names it, and
 * if they remove that scope, all its claims go too.
 */
export async function askByScopes(
  { scopes, client }: { readonly scopes: readonly string[]; readonly client: Pick<Client, 'scopes'> },
  settings: ScopeRules,
  ask: (scopes: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const single = scopes.filter(isClaimEntry);
  if (single.length === 0) return ask(scopes);
  const scopeOf = (entry: string) => client.scopes.find((scope) => isNamedBy(scope, entry, settings));
  const forClaims = single.flatMap((entry) => scopeOf(entry) ?? []);
  const requested = [...new Set([...scopes.filter((scope) => !isClaimEntry(scope)), ...forClaims])];
  const left = await ask(requested);
  if (left === requested) return scopes;
  return [
    // a scope that only stood for its claims was not asked for
    ...left.filter((scope) => scopes.includes(scope) || !forClaims.includes(scope)),
    ...single.filter((entry) => left.includes(scopeOf(entry) ?? '')),
  ];
}

function claimsOf({ openid }: Pick<Settings, 'openid'>): ScopeClaims {
  return openid === false ? {} : openid.scopeClaims;
}

function allOf(scopeClaims: ScopeClaims): readonly string[] {
  return [...new Set(Object.values(scopeClaims).flat().map(claimEntryOf))];
}

function isNamedBy(scope: string, entry: string, settings: Pick<Settings, 'openid'>): boolean {
  const scopeClaims = claimsOf(settings);
  return (
    Object.hasOwn(scopeClaims, scope) && scopeClaims[scope]!.some((claim) => claimEntryOf(claim) === entry)
  );
}

/** The same as its scope, except for the words. */
function describe(entry: string, settings: ScopeRules): Settings['scopes'][string] {
  const naming = Object.keys(settings.scopes).filter((scope) => isNamedBy(scope, entry, settings));
  const rules = naming.map((scope) => settings.scopes[scope]!);
  return {
    description: termsOf(claimOfEntry(entry)),
    details: undefined,
    group: rules[0]?.group,
    icon: rules[0]?.icon,
    risk: rules.some(({ risk }) => risk === 'high') ? 'high' : 'normal',
    optional: rules.every(({ optional }) => optional),
    implies: [],
  };
}

function termsOf(claim: string): Readonly<Record<string, string>> {
  const key = Object.hasOwn(TERMS, claim) ? TERMS[claim as StandardClaim] : 'claim.other';
  return Object.fromEntries(
    Object.entries(SHIPPED_MESSAGES).map(([locale, messages]) => [
      locale,
      messages[key].replace('{claim}', () => claim),
    ]),
  );
}
