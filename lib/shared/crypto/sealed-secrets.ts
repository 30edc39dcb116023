import { seal, unseal } from './seal.js';

/**
 * Client secrets that can be read again, which `client_secret_jwt` needs: encrypted under a key that the site
 * keeps elsewhere.
 */
export interface SealedSecrets {
  keep(clientId: string, secret: string): Promise<string>;
  /** @throws if none of the site's keys opens it */
  open(clientId: string, sealed: string): Promise<string>;
}

/** @param keys the first one encrypts, all of them decrypt: put a new key in front, and keep the old one for a while */
export function createSealedSecrets([newest, ...older]: readonly string[]): SealedSecrets | undefined {
  if (newest === undefined) return undefined;
  const keyOf = (clientId: string, secret: string) => ({ secret, owner: clientId, purpose: 'client secret' });
  return {
    keep: (clientId, secret) => seal(secret, keyOf(clientId, newest)),
    async open(clientId, sealed) {
      let failure: unknown;
      for (const key of [newest, ...older]) {
        try {
          return await unseal(sealed, keyOf(clientId, key));
        } catch (error) {
          failure = error;
        }
      }
      throw new Error('no clientAuthentication.secretKey opens the stored secret', { cause: failure });
    },
  };
}
