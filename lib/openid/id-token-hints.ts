import { OAuthError } from '../errors.js';
import type { SigningKeys } from '../keys/signing-keys.js';

/**
 * The subject of an ID token of this server for this client, which may have expired.
 *
 * @throws OAuthError invalid_request if it is none
 * @see OpenID Connect Core §3.1.2.1
 */
export type ReadIdTokenHint = (hint: string, clientId: string) => Promise<string>;

export function createIdTokenHints(
  issuer: string,
  signingKeys: Pick<SigningKeys, 'verify'>,
): ReadIdTokenHint {
  return async (hint, clientId) => {
    const claims = await signingKeys.verify(hint, {
      issuer,
      typ: 'JWT',
      audience: clientId,
      requiredClaims: ['sub', 'iat', 'exp'],
      // one that has expired says as well whom the client means
      currentDate: new Date(0),
    });
    if (typeof claims?.sub === 'string') return claims.sub;
    throw new OAuthError(
      'invalid_request',
      'the id_token_hint is no ID token of this server for this client',
      {
        reason: 'parameter_malformed',
      },
    );
  };
}
