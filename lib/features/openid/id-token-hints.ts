import type { SigningKeys } from '../../core/keys/signing-keys.js';

/** The user and the client of an ID token of this server, even if it has expired; null if it is not one. */
export async function verifyIdTokenHint(hint: string, signingKeys: SigningKeys, issuer: string) {
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
