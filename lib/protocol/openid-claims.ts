/** What a client gets to know of a person by each of the usual scopes. (OpenID Connect Core §5.4) */
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

/** The scopes that a site has as soon as it signs people in, whether it names them itself or not. */
export const OPENID_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

/** The claims that scopes name: the usual ones, and those that the host has for scopes of its own. */
export type ScopeClaims = Readonly<Record<string, readonly string[]>>;

/** The claims that these scopes name. */
export function claimsOfScopes(scopes: readonly string[], scopeClaims: ScopeClaims): ReadonlySet<string> {
  return new Set(scopes.flatMap((scope) => (Object.hasOwn(scopeClaims, scope) ? scopeClaims[scope]! : [])));
}

/** `name` of `name#ja-Kana-JP`: the same claim in a language (OpenID Connect Core §5.2). */
export function withoutLanguage(claim: string): string {
  return claim.split('#', 1)[0]!;
}
