import { OAuthError } from '../../shared/errors.js';
import type { SigningKeys } from '../keys/signing-keys.js';

/**
 * The subject of an ID token of this server for this client, which may have expired.
 *
 * @throws OAuthError invalid_request if the hint is not such a token
 * @see OpenID Connect Core §3.1.2.1
 */
export type ReadIdTokenHint = (hint: string, clientId: string) => Promise<string>;

export interface IdTokenHintDependencies {
  readonly issuer: string;
  readonly signingKeys: Pick<SigningKeys, 'verify'>;
}

export function createIdTokenHints(dependencies: IdTokenHintDependencies): ReadIdTokenHint {
  return async (hint, clientId) => {
    const claims = await verifyIdTokenHint(hint, dependencies);
    if (claims?.audience === clientId) return claims.subject;
    throw new OAuthError(
      'invalid_request',
      'the id_token_hint is no ID token of this server for this client',
      { reason: 'parameter_malformed' },
    );
  };
}

/** The user and the client of an ID token of this server, even if it has expired; null if it is not one. */
export async function verifyIdTokenHint(
  hint: string,
  { issuer, signingKeys }: IdTokenHintDependencies,
): Promise<{ readonly subject: string; readonly audience: string } | null> {
  const claims = await signingKeys.verify(hint, {
    issuer,
    typ: 'JWT',
    requiredClaims: ['sub', 'aud', 'iat', 'exp'],
    // an expired one says whom the client means, too
    currentDate: new Date(0),
  });
  if (typeof claims?.sub !== 'string' || typeof claims.aud !== 'string') return null;
  return { subject: claims.sub, audience: claims.aud };
}
