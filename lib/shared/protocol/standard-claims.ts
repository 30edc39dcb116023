/** The claims of each standard scope. (OpenID Connect Core §5.4) */
export const SCOPE_CLAIMS = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
} as const;

/** The scopes of every site that signs users in, even if the option `scopes` lacks them. */
export const OPENID_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

/** The claims of scopes: the standard ones, and those that the site defines for its own scopes. */
export type ScopeClaims = Readonly<Record<string, readonly string[]>>;

/** The claims of these scopes. */
export function claimsOfScopes(scopes: readonly string[], scopeClaims: ScopeClaims): ReadonlySet<string> {
  return new Set(scopes.flatMap((scope) => (Object.hasOwn(scopeClaims, scope) ? scopeClaims[scope]! : [])));
}

/** `name` of `name#ja-Kana-JP`: the same claim in a language (OpenID Connect Core §5.2). */
export function withoutLanguage(claim: string): string {
  return claim.split('#', 1)[0]!;
}

/** RFC 6749 §3.3: no scope has a backslash, so no client can request such an entry, and no token has one. */
const SINGLE = 'claim\\';

/**
 * The entry that allows a single claim without its scope, among scopes in consents and on pages. (OpenID Connect Core
 * §5.5)
 */
export function claimEntryOf(claim: string): string {
  // in stored consents a space separates a scope from its resource
  return SINGLE + withoutLanguage(claim).replaceAll(' ', '%20');
}

export function isClaimEntry(scope: string): boolean {
  return scope.startsWith(SINGLE);
}

/** The claim that an entry allows. */
export function claimOfEntry(entry: string): string {
  return entry.slice(SINGLE.length).replaceAll('%20', ' ');
}

/** The claims of §5.1 in scopes; the pages have a text for each. */
export type StandardClaim = (typeof SCOPE_CLAIMS)[keyof typeof SCOPE_CLAIMS][number];
