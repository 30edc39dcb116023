import { createHash } from 'node:crypto';

import type { Client } from '../clients/client.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { OpenidSettings } from '../settings/openid-options.js';
import type { OpenidAuthorization } from './openid-authorization.js';

/** What an ID token is made of. */
export interface IdTokenPlan {
  readonly client: Client;
  readonly userId: string;
  readonly openid: OpenidAuthorization;
  /** Which is given beside it. */
  readonly accessToken?: string;
  /** Whether it is given for a refresh token. */
  readonly isRefreshed: boolean;
  readonly now: Date;
}

/** Says to a client who has logged in. @see OpenID Connect Core §2 */
export interface IdTokens {
  create(plan: IdTokenPlan): Promise<string>;
}

/** OpenID Connect Registration §2: of clients that have registered none. */
export const DEFAULT_ALGORITHM = 'RS256';

export interface IdTokenDependencies {
  readonly issuer: string;
  readonly openid: Pick<OpenidSettings, 'idTokenTtl'>;
  readonly signingKeys: Pick<SigningKeys, 'sign'>;
}

export function createIdTokens({
  issuer,
  openid: { idTokenTtl },
  signingKeys,
}: IdTokenDependencies): IdTokens {
  return {
    async create({ client, userId, openid, accessToken, isRefreshed, now }) {
      const { idTokenSignedResponseAlg: algorithm = DEFAULT_ALGORITHM } = client;
      const { nonce, authTime, acr, amr } = openid;
      const iat = Math.floor(now.getTime() / 1000);
      const claims = {
        iss: issuer,
        sub: userId,
        // one audience, so azp has nothing to say (OpenID Connect Core §2)
        aud: client.clientId,
        exp: iat + idTokenTtl,
        iat,
        ...(authTime !== undefined && { auth_time: authTime }),
        // §12.2: one that is refreshed SHOULD NOT have it
        ...(nonce !== undefined && !isRefreshed && { nonce }),
        ...(acr !== undefined && { acr }),
        ...(amr !== undefined && { amr: [...amr] }),
        ...(accessToken !== undefined && { at_hash: halfHash(accessToken, algorithm) }),
      };
      return signingKeys.sign('JWT', claims, { required: algorithm });
    },
  };
}

/** §3.1.3.6, §3.3.2.11: the left half of the hash that the signature is made with. */
export function halfHash(value: string, algorithm: string): string {
  // of Ed25519 it is SHA-512 (RFC 8032 §5.1)
  const hash = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(value, 'ascii')
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
