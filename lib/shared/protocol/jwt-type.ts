/** The `typ` of a JWT in lower case, without the prefix that may be left out; empty if it is no text. (RFC 7515 §4.1.9) */
export function jwtTypeOf({ typ }: { readonly typ?: unknown }): string | undefined {
  if (typ === undefined) return undefined;
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
}
