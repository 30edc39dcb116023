import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

import { loadJose } from '../../shared/crypto/jose.js';
import { lazy } from '../../shared/lazy.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import { parsePublicJwks } from '../clients/public-jwks.js';

/** Milliseconds that the answer may take, all of it. */
const TIMEOUT = 5000;
/** Milliseconds between two fetches because of unknown key ids: anybody can name one. */
const COOLDOWN = 30_000;
/** Milliseconds that keys are used before they are fetched again. */
const MAX_AGE = 10 * 60_000;

/** Where the keys of an issuer are, or the keys themselves. */
export interface KeySetSource {
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
  readonly jwksUri?: string | undefined;
}

/** Fetches the JSON of a key set. */
export type FetchKeySet = (url: string) => Promise<unknown>;

/**
 * The keys of an issuer, from the place that the options name: no `jku`, `x5u` or `iss` of a token leads anywhere, nor
 * does a redirect.
 *
 * @param optionName of which the keys are a part
 * @param fetchKeySet Default: without a check of addresses, because the options name the server
 * @throws TypeError if the options have them and they cannot be used
 */
export function createTrustedKeys(
  { jwks, jwksUri = '' }: KeySetSource,
  optionName: string,
  fetchKeySet: FetchKeySet = fetchFromHost,
): () => Promise<JWTVerifyGetKey> {
  if (jwks !== undefined) {
    const parsed = parsePublicJwks(jwks);
    if (!('keys' in parsed))
      throw new TypeError(
        `authorizationServer: the option ${optionName} has a jwks that cannot be used: ${parsed.text}`,
      );
    return lazy(async () => (await loadJose()).createLocalJWKSet(parsed as unknown as JSONWebKeySet));
  }
  return lazy(async () => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    return createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: COOLDOWN,
      cacheMaxAge: MAX_AGE,
      [customFetch]: (url: string) => readKeySet(url, fetchKeySet),
    });
  });
}

async function fetchFromHost(url: string): Promise<unknown> {
  const answer = await sendRequest(url, { headers: { accept: 'application/json' } }, TIMEOUT);
  if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}`);
  return answer.json();
}

/** A set of thousands of keys, or with a secret in it, is no answer. */
async function readKeySet(url: string, fetchKeySet: FetchKeySet): Promise<Response> {
  const parsed = parsePublicJwks(await fetchKeySet(url));
  if (!('keys' in parsed)) throw new Error(`${url} did not answer a usable key set: ${parsed.text}`);
  return new Response(JSON.stringify(parsed), { headers: { 'content-type': 'application/json' } });
}
