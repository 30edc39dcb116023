import type { Client, PublicJwk } from '../clients/client.js';
import { DEFAULT_CONTENT_ENCRYPTION, fitsEncryption } from '../crypto/encryption-algorithms.js';
import { loadJose } from '../crypto/jose.js';
import { OAuthError, unexpectedCondition } from '../errors.js';
import type { ClientKeys } from './remote-keys.js';

/** What a client is registered with about one kind of JWT; without `alg` it is not encrypted. */
export interface WantedEncryption {
  readonly alg?: string | undefined;
  readonly enc?: string | undefined;
}

/**
 * A signed JWT, or other text, as only this client can read it: encrypted to a public key that it has registered, by
 * the algorithms that it has registered. As it is if it has registered none.
 *
 * @throws OAuthError server_error if no key of the client fits, or its keys cannot be fetched
 */
export type EncryptToClient = (
  text: string,
  client: Client,
  wanted: WantedEncryption,
  /** Of the header; default: `JWT`, as of a JWT in a JWE (RFC 7519 §5.2). */
  cty?: string | null,
) => Promise<string>;

export function createEncryptToClient(clientKeys: ClientKeys): EncryptToClient {
  return async (text, client, { alg, enc = DEFAULT_CONTENT_ENCRYPTION }, cty = 'JWT') => {
    if (alg === undefined) return text;
    const { CompactEncrypt, importJWK } = await loadJose();
    const jwk = await keyFor(clientKeys, client, alg);
    const { kid } = jwk;
    const header = { alg, enc, ...(typeof kid === 'string' && { kid }), ...(cty !== null && { cty }) };
    try {
      return await new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader(header)
        .encrypt(await importJWK({ ...jwk, key_ops: undefined } as never, alg));
    } catch (cause) {
      throw unexpectedCondition(`nothing can be encrypted to a key of the client by ${alg}`, cause);
    }
  };
}

/** Its newest keys are looked at if none of those that are known fits. */
async function keyFor(clientKeys: ClientKeys, client: Client, alg: string): Promise<PublicJwk> {
  try {
    const find = (keys: readonly PublicJwk[] = []) =>
      // one that says what it is for before one that says nothing
      keys.filter((jwk) => fitsEncryption(jwk, alg)).sort((a, b) => saidOf(b) - saidOf(a))[0];
    const found =
      find((await clientKeys.find(client)).keys) ?? find((await clientKeys.refetch(client))?.keys);
    if (found !== undefined) return found;
  } catch (error) {
    // whoever reads the answer is a person in a browser: nothing is wrong with an authentication of the client
    if (error instanceof OAuthError && error.error === 'invalid_client')
      throw unexpectedCondition('the keys of the client could not be had to encrypt to', error);
    throw error;
  }
  throw unexpectedCondition(`the client has no key to which ${alg} can encrypt`);
}

function saidOf({ use, alg }: PublicJwk): number {
  return Number(use !== undefined) + Number(alg !== undefined);
}
