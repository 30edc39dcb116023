import { isSecureUrl } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';
import { option } from '../table/option.js';

const urlTerms = 'an https: URL';

/** A URL of a server in the options. */
export const secureUrl = (): z.Schema<string, string> => z.string(urlTerms).refine(isSecureUrl, urlTerms);

/** The keys of a trusted party. */
export const keySourceRows = {
  /** The only URL of its keys. */
  jwksUri: option({ shape: secureUrl }),
  /** Its keys themselves, instead of `jwksUri`: `{ keys: [...] }`. */
  jwks: option({
    shape: () =>
      z.custom<{ readonly keys: readonly object[] }>(
        (value) => Array.isArray((value as { readonly keys?: unknown } | null)?.keys),
        'a key set: { keys: [...] }',
      ),
  }),
};

/** The keys of a trusted party: at a URL, or in the options. */
export interface TrustedKeySource {
  readonly jwksUri?: string | undefined;
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
}

/** Undefined if there is exactly one source of keys. */
export function findKeySourceProblem({ jwksUri, jwks }: TrustedKeySource): string | undefined {
  return (jwksUri === undefined) === (jwks === undefined)
    ? 'has its keys in one place: give jwksUri, or jwks'
    : undefined;
}
