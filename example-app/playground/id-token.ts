import * as jose from 'jose';

import type { StepContext } from './flows/flow.js';
import { exchange } from './runs.js';

/** The expected values of an ID token. */
export interface IdTokenChecks {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string | undefined;
}

/** Fetches and records the keys of the server. */
export async function fetchKeys({ run, server, step }: StepContext): Promise<jose.JSONWebKeySet> {
  const { json } = await exchange(run, {
    step,
    title: 'The playground fetches the server’s keys',
    from: 'client',
    to: 'server',
    request: { method: 'GET', url: new URL(server.jwks_uri ?? '') },
  });
  return json as unknown as jose.JSONWebKeySet;
}

/** The claims of a valid ID token (OpenID Connect Core §3.1.3.7); otherwise a sentence with the problem. */
export async function checkIdToken(
  token: string,
  keys: jose.JSONWebKeySet,
  { issuer, clientId, nonce }: IdTokenChecks,
): Promise<jose.JWTPayload | string> {
  try {
    const { payload } = await jose.jwtVerify(token, jose.createLocalJWKSet(keys), {
      issuer,
      audience: clientId,
      requiredClaims: ['sub', 'iat', 'exp'],
    });
    return payload.nonce === nonce ? payload : 'unexpected "nonce" claim value';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The ID token with another subject, as a thief would write it, under the original signature. */
export function withOtherSubject(idToken: string): string {
  const [header = '', claims = '', signature = ''] = idToken.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as object;
  const changed = Buffer.from(JSON.stringify({ ...read, sub: 'somebody-else' })).toString('base64url');
  return [header, changed, signature].join('.');
}
