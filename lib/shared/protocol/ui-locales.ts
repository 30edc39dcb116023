/** A list of language tags, the best first; empty if it is not one (OpenID Connect Core §3.1.2.1). */
export function parseUiLocales(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ').filter((tag) => tag !== '') : [];
}
