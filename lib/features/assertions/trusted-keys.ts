import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

import { parsePublicJwks } from '../../core/clients/public-jwks.js';
import type { TrustSettings } from '../../settings/features/assertion-options.js';
import { loadJose } from '../../shared/crypto/jose.js';
import { lazy } from '../../shared/lazy.js';
import { sendRequest } from '../../shared/outbound/send-request.js';

/** Milliseconds that the answer may take, all of it. */
const TIMEOUT = 5000;
/** Milliseconds between two fetches because of unknown key ids: anybody can name one. */
const COOLDOWN = 30_000;
/** RFC 7518 §6.1, RFC 8037 §2 */
const KINDS = ['RSA', 'EC', 'OKP', 'oct'];
/** Milliseconds that keys are used before they are fetched again. */
const MAX_AGE = 10 * 60_000;

/**
 * The keys of an issuer, from the place that the options name: no `jku`, `x5u` or `iss` of a token leads anywhere, nor
 * does a redirect.
 *
 * @throws TypeError if the options have them and they cannot be used
 */
export function createTrustedKeys({ jwks, jwksUri = '' }: TrustSettings): () => Promise<JWTVerifyGetKey> {
  if (jwks !== undefined) {
    const parsed = parsePublicJwks(jwks);
    if (!('keys' in parsed))
      throw new TypeError(
        `authorizationServer: the option assertions has a jwks that cannot be used: ${parsed.text}`,
      );
    return lazy(async () => (await loadJose()).createLocalJWKSet(jwks as unknown as JSONWebKeySet));
  }
  return lazy(async () => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    return createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: COOLDOWN,
      cacheMaxAge: MAX_AGE,
      [customFetch]: fetchKeys,
    });
  });
}

/** A set of thousands of keys, or with a secret in it, is no answer. */
async function fetchKeys(url: string, { headers }: RequestInit): Promise<Response> {
  const answer = await sendRequest(url, { headers }, TIMEOUT);
  if (!answer.ok) return answer;
  const body = withoutOtherKinds(await answer.json());
  const parsed = parsePublicJwks(body);
  if (!('keys' in parsed)) throw new Error(`${url} did not answer a usable key set: ${parsed.text}`);
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
}

/** RFC 7517 §5: keys of a kind that is not understood are ignored, so that an issuer can add one for others. */
function withoutOtherKinds(body: unknown): unknown {
  const { keys } = (body ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return body;
  const isOther = (kty: unknown) => typeof kty === 'string' && !KINDS.includes(kty);
  return { keys: keys.filter((key: { readonly kty?: unknown } | null) => !isOther(key?.kty)) };
}
