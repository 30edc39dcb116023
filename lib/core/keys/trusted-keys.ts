import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

import type { TrustedKeySource } from '../../settings/options/key-source-options.js';
import { loadJose, retryUnknownKeys } from '../../shared/crypto/jose.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { lazy } from '../../shared/lazy.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import type { PublicJwks } from '../clients/client.js';
import { parsePublicJwks } from '../clients/public-jwks.js';

/** Milliseconds for the whole response. */
const TIMEOUT = 5000;
/** Seconds between two fetches because of unknown key ids, which anybody can send. */
const KEY_SET_COOLDOWN = 30;
/** Milliseconds for which keys are used before they are fetched again. */
const MAX_AGE = 10 * 60_000;

/**
 * The keys of a trusted issuer, by value or from the URL in the options: a `jku`, `x5u` or `iss` of a token is never
 * followed, nor a redirect.
 *
 * @param how `option`: the option path for error messages; `select`: selects keys of a set, by default all;
 * `fetchKeySet`: by default without a check of addresses, because the options name the server
 * @throws TypeError if the keys in the options cannot be used
 */
export function createTrustedKeys(
  { jwks, jwksUri = '' }: TrustedKeySource,
  how: {
    readonly option: string;
    readonly select?: (jwks: unknown) => unknown;
    readonly fetchKeySet?: (url: string) => Promise<unknown>;
  },
): () => Promise<JWTVerifyGetKey> {
  const { option, select = (all) => all, fetchKeySet = fetchFromHost } = how;
  if (jwks !== undefined) {
    const parsed = parsePublicJwks(select(jwks));
    if (!('keys' in parsed))
      throw new TypeError(
        `authorizationServer: the option ${option} has a jwks that cannot be used: ${parsed.text}`,
      );
    return lazy(async () => (await loadJose()).createLocalJWKSet(parsed as unknown as JSONWebKeySet));
  }
  // fetched at the first use
  return lazy(async () => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    const keys = createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: KEY_SET_COOLDOWN * 1000,
      cacheMaxAge: MAX_AGE,
      [customFetch]: async (url: string) => {
        const usable = readKeySet(url, select(await fetchKeySet(url)));
        return new Response(JSON.stringify(usable), { headers: { 'content-type': 'application/json' } });
      },
    });
    return retryUnknownKeys(keys, { cooldown: KEY_SET_COOLDOWN });
  });
}

/** Fetches the keys of a trusted party once, as the server does. @throws Error with the reason if it fails */
export async function fetchTrustedKeys(url: string): Promise<void> {
  readKeySet(url, selectSvidKeys(await fetchFromHost(url)));
}

/** Refuses a set of thousands of keys, or with a secret in it. @throws Error */
function readKeySet(url: string, jwks: unknown): PublicJwks {
  const parsed = parsePublicJwks(jwks);
  if (!('keys' in parsed)) throw new Error(`${url} did not answer a usable key set: ${parsed.text}`);
  return parsed;
}

/** Only algorithms of RFC 7518. @see JWT-SVID §2.1 */
export const SVID_ALGORITHMS: readonly string[] = SIGNATURE_ALGORITHMS.filter(
  (name) => !name.startsWith('Ed'),
);

/**
 * The JWT-SVID keys of a SPIFFE bundle: `use` is the format of a key. A key set that is no bundle has plain keys.
 *
 * @see SPIFFE Trust Domain and Bundle §4.2.2, OAuth SPIFFE Client Authentication (draft 02) §6.1.1
 */
export function selectSvidKeys(jwks: unknown): unknown {
  const { keys } = (jwks ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) return jwks;
  const all = keys as readonly ({ readonly use?: unknown } | null)[];
  const isBundle = all.some((key) => typeof key?.use === 'string' && key.use.endsWith('-svid'));
  if (!isBundle) return jwks;
  return {
    keys: all.flatMap((key) => (key?.use === 'jwt-svid' ? [{ ...key, use: 'sig' }] : [])),
  };
}

/** The JSON at an address, without a check of the address. @throws Error unless the status is a success */
export async function fetchFromHost(url: string): Promise<unknown> {
  const answer = await sendRequest(url, { headers: { accept: 'application/json' } }, TIMEOUT);
  if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}`);
  return answer.json();
}
