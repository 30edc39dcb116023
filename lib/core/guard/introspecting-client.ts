import { randomUUID } from 'node:crypto';

import type { JWK } from 'jose';

import type { GuardPrivateJwk } from '../../settings/bearer-guard-options.js';
import { loadJose } from '../../shared/crypto/jose.js';

/** The client with which a resource server asks about tokens. */
export interface IntrospectingClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** A private key, instead of a secret. */
  readonly clientKey?: GuardPrivateJwk | undefined;
}

/** The part of a request that says who asks. */
export interface ClientView {
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Seconds that an assertion is good for: it is sent at once. */
const ASSERTION_TTL = 60;

/** With a secret (RFC 6749 §2.3.1), or with a key (RFC 7523 §2.2). */
export function createShowClient(client: IntrospectingClient, issuer: string): () => Promise<ClientView> {
  const { clientId, clientSecret = '', clientKey } = client;
  if (clientKey !== undefined) return () => byKey(clientId, clientKey, issuer);
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const headers = { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return () => Promise.resolve({ headers });
}

async function byKey(clientId: string, key: GuardPrivateJwk, issuer: string): Promise<ClientView> {
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

/** The algorithm that the key names, or the usual one for its kind; for RSA the one that FAPI allows. */
function algorithmOf({ alg, kty, crv }: GuardPrivateJwk): string {
  if (alg !== undefined) return alg;
  if (kty === 'OKP') return 'EdDSA';
  if (kty === 'RSA') return 'PS256';
  return { 'P-384': 'ES384', 'P-521': 'ES512' }[crv ?? ''] ?? 'ES256';
}
