import { loadJose } from '../../shared/crypto/jose.js';
import { DEFAULT_CONTENT_ENCRYPTION, fitsEncryption } from '../../shared/crypto/jwa.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { Client, PublicJwk } from '../clients/client.js';
import type { ClientKeys } from './client-keys.js';

/**
 * Returns a function that encrypts a signed JWT, or other text, to a public key of the client, by the algorithms that
 * the client has registered. Without registered algorithms the text stays as it is. The function throws an OAuthError
 * server_error if no key of the client fits, or its keys cannot be fetched.
 */
export function createEncryptToClient(clientKeys: ClientKeys) {
  return async (
    text: string,
    client: Client,
    /** The client's registered algorithms for this kind of JWT; without `alg` the text is not encrypted. */
    { alg, enc = DEFAULT_CONTENT_ENCRYPTION }: { readonly alg?: string; readonly enc?: string },
    /** `cty` of the header. Default: `JWT`, for a JWT in a JWE (RFC 7519 §5.2). */
    cty: string | null = 'JWT',
  ): Promise<string> => {
    if (alg === undefined) return text;
    const { CompactEncrypt, importJWK } = await loadJose();
    const findIn = (keys: readonly PublicJwk[] = []) =>
      // a key with `use` or `alg` comes before a key without
      keys.filter((jwk) => fitsEncryption(jwk, alg)).sort((a, b) => specificityOf(b) - specificityOf(a))[0];
    let jwk: PublicJwk | undefined;
    try {
      // fetched again if no cached key fits
      jwk = findIn((await clientKeys.find(client)).keys) ?? findIn((await clientKeys.refetch(client))?.keys);
    } catch (error) {
      // a user in a browser may read the response: no authentication of the client has failed
      if (error instanceof OAuthError && error.error === 'invalid_client')
        throw unexpectedCondition('the encryption keys of the client could not be fetched', error);
      throw error;
    }
    if (jwk === undefined) throw unexpectedCondition(`the client has no key to which ${alg} can encrypt`);
    const { kid } = jwk;
    const header = { alg, enc, kid: typeof kid === 'string' ? kid : undefined, cty: cty ?? undefined };
    try {
      return await new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader(header)
        .encrypt(await importJWK({ ...jwk, key_ops: undefined } as never, alg));
    } catch (cause) {
      throw unexpectedCondition(`nothing can be encrypted to a key of the client by ${alg}`, cause);
    }
  };
}

function specificityOf({ use, alg }: PublicJwk): number {
  return Number(use !== undefined) + Number(alg !== undefined);
}
