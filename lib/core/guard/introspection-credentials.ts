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
  client: IntrospectingClient,
  issuer: string,
): () => Promise<IntrospectionCredentials> {
  const { clientId, clientSecret = '', clientKey } = client;
  if (clientKey !== undefined) return () => createAssertion(clientId, clientKey, issuer);
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const headers = { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return () => Promise.resolve({ headers });
}

async function createAssertion(
  clientId: string,
  key: GuardPrivateJwk,
  issuer: string,
): Promise<IntrospectionCredentials> {
  const { importJWK, SignJWT } = await loadJose();
  const alg = algorithmOf(key);
  const { kid } = key;
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
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
    .sign(await importJWK(key as JWK, alg));
  return {
    fields: {
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    },
  };
}

/** The algorithm that the key names, or the default for its type; for RSA the one that FAPI 2.0 allows. */
function algorithmOf({ alg, kty, crv }: GuardPrivateJwk): string {
  if (alg !== undefined) return alg;
  if (kty === 'OKP') return 'EdDSA';
  if (kty === 'RSA') return 'PS256';
  return { 'P-384': 'ES384', 'P-521': 'ES512' }[crv ?? ''] ?? 'ES256';
}
