import type { SigningKeys } from '../../core/keys/signing-keys.js';

/** The user and the client of an ID token of this server; null if it is invalid. It may have expired. */
export async function verifyIdTokenHint(hint: string, signingKeys: SigningKeys, issuer: string) {
  const claims = await signingKeys.verify(hint, {
    issuer,
    typ: 'JWT',
    requiredClaims: ['sub', 'aud', 'iat', 'exp'],
    // an expired ID token identifies the user, too
    currentDate: new Date(0),
  });
  if (typeof claims?.sub !== 'string' || typeof claims.aud !== 'string') return null;
  return { subject: claims.sub, audience: claims.aud };
}
