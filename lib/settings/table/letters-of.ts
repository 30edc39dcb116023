/** The letters of a name: `access_token_ttl`, `accessTokenTTL` and `accessTokenTtls` have the same. */
export function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '');
}

/** The Levenshtein distance between two names, by their letters. */
export function distanceOf(name: string, other: string): number {
  const letters = lettersOf(other);
  let row = Array.from({ length: letters.length + 1 }, (_, index) => index);
  for (const letter of lettersOf(name))
    row = letters.split('').reduce(
      (next, each, index) => {
        const least = Math.min(next[index]!, row[index + 1]!) + 1;
        return [...next, Math.min(least, row[index]! + (each === letter ? 0 : 1))];
      },
      [row[0]! + 1],
    );
  return row.at(-1)!;
}
