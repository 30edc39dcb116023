import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/signature-algorithms.js';

/** Those of RFC 7518 alone. @see JWT-SVID §2.1 */
export const SVID_ALGORITHMS: readonly string[] = SIGNATURE_ALGORITHMS.filter(
  (name) => !name.startsWith('Ed'),
);

/**
 * Of a SPIFFE bundle, the keys of JWT-SVIDs: `use` says which format a key is for. A key set that is no bundle has
 * plain keys.
 *
 * @see SPIFFE Trust Domain and Bundle §4.2.2, OAuth SPIFFE Client Authentication (draft 02) §6.1.1
 */
export function selectSvidKeys(jwks: unknown): unknown {
  const { keys } = (jwks ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return jwks;
  const all = keys as readonly ({ readonly use?: unknown } | null)[];
  const isBundle = all.some((key) => typeof key?.use === 'string' && key.use.endsWith('-svid'));
  if (!isBundle) return jwks;
  return {
    keys: all.flatMap((key) => (key?.use === 'jwt-svid' ? [{ ...key, use: 'sig' }] : [])),
  };
}
