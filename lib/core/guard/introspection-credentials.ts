import { randomUUID } from 'node:crypto';

import type { JWK } from 'jose';

import type { GuardPrivateJwk } from '../../settings/bearer-guard-options.js';
import { loadJose } from '../../shared/crypto/jose.js';

/** The client of a resource server at the introspection endpoint. */
export interface IntrospectingClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** A private key, instead of a secret. */
  readonly clientKey?: GuardPrivateJwk | undefined;
}

/** The parts of an introspection request that authenticate its client. */
export interface IntrospectionCredentials {
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Seconds that an assertion is good for: it is sent at once. */
const ASSERTION_TTL = 60;

/** @returns makes the credentials of one request: by a secret (RFC 6749 §2.3.1), or by a key (RFC 7523 §2.2) */
export function createIntrospectionCredentials(
  { clientId, clientSecret = '', clientKey: key }: IntrospectingClient,
  issuer: string,
): () => Promise<IntrospectionCredentials> {
  return async () => {
    if (key === undefined) {
      const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      return { headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
    }
    const { importJWK, SignJWT } = await loadJose();
    // the algorithm that the key names, or the default for its type; for RSA the one that FAPI 2.0 allows
    const { kty, crv = '' } = key;
    const ofCurve = { 'P-384': 'ES384', 'P-521': 'ES512' }[crv] ?? 'ES256';
    const alg = key.alg ?? (kty === 'OKP' ? 'EdDSA' : kty === 'RSA' ? 'PS256' : ofCurve);
    const now = Math.floor(Date.now() / 1000);
    // FAPI 2.0 Security Profile §5.3.2.1-8: for the issuer, as text, and for no endpoint
    const assertion = await new SignJWT({
      iss: clientId,
      sub: clientId,
      aud: issuer,
      jti: randomUUID(),
      iat: now,
      exp: now + ASSERTION_TTL,
    })
      .setProtectedHeader({ alg, ...(key.kid !== undefined && { kid: key.kid }) })
      .sign(await importJWK(key as JWK, alg));
    return {
      fields: {
        client_id: clientId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      },
    };
  };
}
