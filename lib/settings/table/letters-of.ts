import leven from 'leven';

/** The letters of a name: `access_token_ttl`, `accessTokenTTL` and `accessTokenTtls` have the same. */
export function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '');
}

/** How many letters are wrong in a name if another one was meant. */
export function distanceOf(name: string, other: string): number {
  return leven(lettersOf(name), lettersOf(other));
}
