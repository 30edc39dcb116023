import * as jose from 'jose';

import type { StepContext } from './flows/flow.js';
import { exchange } from './runs.js';

/** The readable parts of an access token. */
export interface OpenedToken {
  readonly isJwt: boolean;
  /** Header and claims of a JWT, formatted. */
  readonly header?: string;
  readonly claims?: string;
}

/** Anybody who holds a JWT can read it; any other token is opaque to a client (RFC 6749 §1.4). */
export function openAccessToken(token: string): OpenedToken {
  try {
    return {
      isJwt: true,
      header: layOut(jose.decodeProtectedHeader(token)),
      claims: layOut(jose.decodeJwt(token)),
    };
  } catch {
    return { isJwt: false };
  }
}

/** Fetches the server's keys and verifies the newest access token with them, as an API does (RFC 9068 §4). */
export async function verifySignature({ run, server, issuer, step }: StepContext): Promise<void> {
  const { accessToken = '' } = run.values;
  if (server.jwks_uri === undefined || !openAccessToken(accessToken).isJwt) return;
  const { json } = await exchange(run, {
    step,
    title: 'An API fetches the server’s keys',
    from: 'api',
    to: 'server',
    request: { method: 'GET', url: new URL(server.jwks_uri) },
  });
  const signature = await jose
    .jwtVerify(accessToken, jose.createLocalJWKSet(json as unknown as jose.JSONWebKeySet), {
      issuer,
      typ: 'at+jwt',
    })
    .then(
      ({ protectedHeader: { alg, kid } }) =>
        `The signature is right: ${alg}, by the key ${kid ?? '(no name)'}.`,
    )
    .catch((error: Error) => `The signature does not hold: ${error.message}.`);
  run.values = { ...run.values, signature };
}

function layOut(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
