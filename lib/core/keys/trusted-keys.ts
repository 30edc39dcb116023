import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

import type { TrustedKeySource } from '../../settings/options/key-source-options.js';
import { loadJose } from '../../shared/crypto/jose.js';
import { lazy } from '../../shared/lazy.js';
import type { PublicJwks } from '../clients/client.js';
import { parsePublicJwks } from '../clients/public-jwks.js';
import { createRemoteKeySet, fetchFromHost } from './remote-key-set.js';
import { selectSvidKeys } from './svid-keys.js';

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
  { option, select = (all) => all, fetchKeySet }: TrustedKeysOptions,
): () => Promise<JWTVerifyGetKey> {
  if (jwks !== undefined) {
    const parsed = parsePublicJwks(select(jwks));
    if (!('keys' in parsed))
      throw new TypeError(
        `authorizationServer: the option ${option} has a jwks that cannot be used: ${parsed.text}`,
      );
    return lazy(async () => (await loadJose()).createLocalJWKSet(parsed as unknown as JSONWebKeySet));
  }
  return createRemoteKeySet(jwksUri, { read: (found) => readKeySet(jwksUri, select(found)), fetchKeySet });
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
