import { loadJose } from '../../shared/crypto/jose.js';
import { lazy } from '../../shared/lazy.js';
import { sendRequest } from '../../shared/outbound/send-request.js';

/** Milliseconds that the answer may take, all of it. */
const TIMEOUT = 5000;
/** Seconds between two fetches because of unknown key ids: anybody can name one. */
export const KEY_SET_COOLDOWN = 30;
/** Milliseconds that keys are used before they are fetched again. */
const MAX_AGE = 10 * 60_000;

export interface RemoteKeySetOptions {
  /** What of the answer is used. @throws Error if it cannot be used */
  readonly read: (jwks: unknown) => { readonly keys: readonly object[] };
  /** Fetches the JSON of a key set. Default: without a check of addresses, because the options name the server. */
  readonly fetchKeySet?: ((url: string) => Promise<unknown>) | undefined;
}

/** The keys at an address of the options, fetched when the first are needed. */
export function createRemoteKeySet(url: string, { read, fetchKeySet = fetchFromHost }: RemoteKeySetOptions) {
  return lazy(async () => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: KEY_SET_COOLDOWN * 1000,
      cacheMaxAge: MAX_AGE,
      [customFetch]: async (address: string) => {
        const usable = read(await fetchKeySet(address));
        return new Response(JSON.stringify(usable), { headers: { 'content-type': 'application/json' } });
      },
    });
  });
}

/** The JSON at an address, without a check of the address. @throws Error unless the answer is one of success */
export async function fetchFromHost(url: string): Promise<unknown> {
  const answer = await sendRequest(url, { headers: { accept: 'application/json' } }, TIMEOUT);
  if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}`);
  return answer.json();
}
