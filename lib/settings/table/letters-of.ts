/** The letters of a name: `access_token_ttl`, `accessTokenTTL` and `accessTokenTtls` have the same. */
export function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '');
}
