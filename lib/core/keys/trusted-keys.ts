import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

import type { TrustedKeySource } from '../../settings/features/key-source-options.js';
import { loadJose } from '../../shared/crypto/jose.js';
import { lazy } from '../../shared/lazy.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import type { PublicJwks } from '../clients/client.js';
import { parsePublicJwks } from '../clients/public-jwks.js';
import { selectSvidKeys } from './svid-keys.js';

/** Milliseconds that the answer may take, all of it. */
const TIMEOUT = 5000;
/** Milliseconds between two fetches because of unknown key ids: anybody can name one. */
const COOLDOWN = 30_000;
/** Milliseconds that keys are used before they are fetched again. */
const MAX_AGE = 10 * 60_000;

export interface TrustedKeysOptions {
  /** The option that has the keys, for an error. */
  readonly option: string;
  /** Which keys of a set are meant. Default: all. */
  readonly select?: (jwks: unknown) => unknown;
  /** Fetches the JSON of a key set. Default: without a check of addresses, because the options name the server. */
  readonly fetchKeySet?: (url: string) => Promise<unknown>;
}

/**
 * The keys of somebody whom the site trusts, from the place that the options name: no `jku`, `x5u` or `iss` of a token
 * leads anywhere, nor does a redirect.
 *
 * @throws TypeError if the options have them and they cannot be used
 */
export function createTrustedKeys(
  { jwks, jwksUri = '' }: TrustedKeySource,
  { option, select = (all) => all, fetchKeySet = fetchFromHost }: TrustedKeysOptions,
): () => Promise<JWTVerifyGetKey> {
  if (jwks !== undefined) {
    const parsed = parsePublicJwks(select(jwks));
    if (!('keys' in parsed))
      throw new TypeError(
        `authorizationServer: the option ${option} has a jwks that cannot be used: ${parsed.text}`,
      );
    return lazy(async () => (await loadJose()).createLocalJWKSet(parsed as unknown as JSONWebKeySet));
  }
  return lazy(async () => {
    const { createRemoteJWKSet, customFetch } = await loadJose();
    return createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: TIMEOUT,
      cooldownDuration: COOLDOWN,
      cacheMaxAge: MAX_AGE,
      [customFetch]: async (url: string) => {
        const keys = readKeySet(url, select(await fetchKeySet(url)));
        return new Response(JSON.stringify(keys), { headers: { 'content-type': 'application/json' } });
      },
    });
  });
}

/** Fetches keys once, as the site does. @throws Error that says why there are none */
export async function fetchTrustedKeys(url: string): Promise<void> {
  readKeySet(url, selectSvidKeys(await fetchFromHost(url)));
}

/** A set of thousands of keys, or with a secret in it, is no answer. @throws Error */
function readKeySet(url: string, jwks: unknown): PublicJwks {
  const parsed = parsePublicJwks(jwks);
  if (!('keys' in parsed)) throw new Error(`${url} did not answer a usable key set: ${parsed.text}`);
  return parsed;
}

async function fetchFromHost(url: string): Promise<unknown> {
  const answer = await sendRequest(url, { headers: { accept: 'application/json' } }, TIMEOUT);
  if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}`);
  return answer.json();
}
