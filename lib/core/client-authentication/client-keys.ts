import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';

import { loadJose } from '../../shared/crypto/jose.js';
import { messageOf } from '../../shared/errors.js';
import { createConcurrencyLimit } from '../../shared/limits/counter.js';
import { createCache } from '../../shared/lru-cache.js';
import type { GetCaller, LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import { fetchJson } from '../../shared/outbound/safe-fetch.js';
import type { Client, PublicJwk, PublicJwks } from '../clients/client.js';
import { standingOf } from '../clients/provenance.js';
import { parsePublicJwks } from '../clients/public-jwks.js';
import {
  type ClientFetchLimits,
  fetchLimitsFor,
  requiresPublicAddresses,
} from '../clients/untrusted-fetch-limits.js';
import { invalidClient } from './invalid-client.js';
import { isUnknownKey } from './verify-assertion.js';

const CACHE_ENTRIES = 1000;
/** Seconds for which fetched keys are used, even if the client removes them: a usual lifetime of a key set. */
const CACHE_TTL = 600;
/** Seconds between two fetches for an unknown `kid`, which anybody can name, or after a failure. */
export const KEYS_COOLDOWN = 30;
/** How many requests may wait for a fetch of keys, in total and for one `jwks_uri`. */
const WAITING = [1000, 250] as const;

export interface ClientKeySet {
  readonly find: JWTVerifyGetKey;
  /** All keys of the set, including encryption keys. */
  readonly keys: readonly PublicJwk[];
  /** The certificates of the set, each the DER in base64 (RFC 7517 §4.7: the first of each `x5c`). */
  readonly certificates: readonly string[];
}

export type ClientKeys = ReturnType<typeof createClientKeys>;

/** Times are milliseconds since 1970. */
interface Fetched {
  readonly keys: Promise<ClientKeySet>;
  readonly fetchedAt: number;
  /** When the keys were last fetched, even without success. */
  triedAt: number;
  isUnderway: boolean;
  hasFailed: boolean;
}

/** Finds the keys of a client, by value or from its `jwksUri`. The cache is bounded, and fetches are rare. */
export function createClientKeys(limits: ClientFetchLimits, limitUntrustedFetch: LimitUntrustedFetch) {
  // untrusted clients have a cache and a queue of their own, so that they hold up no other client
  const createPlace = () => ({
    cache: createCache<Fetched>({ size: CACHE_ENTRIES }),
    wait: createConcurrencyLimit(...WAITING),
  });
  const trusted = createPlace();
  const untrusted = createPlace();
  const placeOf = (client: Client) => (requiresPublicAddresses(client) ? untrusted : trusted);
  const isWithin = (time: number, seconds: number) => Date.now() - time < seconds * 1000;
  const isUsable = ({ fetchedAt, hasFailed }: Fetched) =>
    isWithin(fetchedAt, hasFailed ? KEYS_COOLDOWN : CACHE_TTL);

  const startFetch = (client: Client, jwksUri: string): Promise<ClientKeySet> => {
    const { cache } = placeOf(client);
    const now = Date.now();
    const before = cache.get(jwksUri);
    const fetched: Fetched = {
      keys: fetchJson(jwksUri, fetchLimitsFor(limits, client, jwksUri)).then(({ body }) => {
        const parsed = parsePublicJwks(body);
        if (!('keys' in parsed)) throw new Error(`did not answer a usable key set: ${parsed.text}`);
        return createKeySet(parsed);
      }),
      fetchedAt: now,
      triedAt: now,
      isUnderway: true,
      hasFailed: false,
    };
    cache.set(jwksUri, fetched);
    fetched.keys
      .catch(() => {
        fetched.hasFailed = true;
        // anybody can cause a fetch by naming an unknown key: if it fails, the earlier keys stay
        if (before !== undefined && !before.hasFailed && isUsable(before))
          cache.set(jwksUri, { ...before, triedAt: now });
      })
      .finally(() => (fetched.isUnderway = false));
    return fetched.keys;
  };
  /** Requests during a fetch wait for its response. */
  const awaitKeys = (client: Client, { keys, isUnderway }: Fetched, jwksUri: string) =>
    isUnderway
      ? placeOf(client).wait(jwksUri, () => orInvalidClient(keys, jwksUri))
      : orInvalidClient(keys, jwksUri);
  /** Fetches only within the limits: a fetch that one caller may not make must not count as a failure for others. */
  const fetchKeys = async (client: Client, jwksUri: string, getCaller: GetCaller | undefined) => {
    const { clientId } = client;
    const { cache, wait } = placeOf(client);
    const target = { url: jwksUri, clientId, standing: standingOf(client), getCaller, hasOwnPauses: true };
    return limitUntrustedFetch(target, () => {
      const begun = cache.get(jwksUri);
      if (begun?.isUnderway === true) return awaitKeys(client, begun, jwksUri);
      return wait(jwksUri, () => orInvalidClient(startFetch(client, jwksUri), jwksUri));
    });
  };

  return {
    /**
     * @throws OAuthError invalid_client if the client has no keys, or they cannot be fetched; temporarily_unavailable
     * if too many requests wait for the fetch, or it was made too often
     */
    async find(client: Client, getCaller?: GetCaller): Promise<ClientKeySet> {
      const { jwks, jwksUri } = client;
      if (jwks !== undefined) {
        // without the unusable keys, as in a fetched set (RFC 7517 §5)
        const parsed = parsePublicJwks(jwks);
        if ('keys' in parsed) return createKeySet(parsed);
        throw invalidClient(`jwks: ${parsed.text}`, { reason: 'client_keys_missing' });
      }
      if (jwksUri === undefined)
        throw invalidClient('the client has no keys', { reason: 'client_keys_missing' });
      const fetched = placeOf(client).cache.get(jwksUri);
      return fetched !== undefined && isUsable(fetched)
        ? awaitKeys(client, fetched, jwksUri)
        : fetchKeys(client, jwksUri, getCaller);
    },
    /** Fetches the keys again because one is missing; undefined after a recent fetch, or without a `jwksUri`. */
    async refetch(client: Client, getCaller?: GetCaller) {
      const { jwksUri } = client;
      if (jwksUri === undefined) return undefined;
      const fetched = placeOf(client).cache.get(jwksUri);
      return fetched !== undefined && isWithin(fetched.triedAt, KEYS_COOLDOWN)
        ? undefined
        : fetchKeys(client, jwksUri, getCaller);
    },
  };
}

async function createKeySet(jwks: PublicJwks): Promise<ClientKeySet> {
  const { createLocalJWKSet } = await loadJose();
  return {
    find: createLocalJWKSet(jwks as unknown as JSONWebKeySet),
    keys: jwks.keys,
    certificates: jwks.keys.flatMap(({ x5c }) => [x5c ?? []].flat().slice(0, 1)),
  };
}

/** Only the log has the cause of the failure: clients must not learn what this server can reach. */
function orInvalidClient<T>(keys: Promise<T>, jwksUri: string): Promise<T> {
  return keys.catch((cause: unknown) => {
    throw invalidClient(`jwksUri ${jwksUri}: ${messageOf(cause)}`, {
      reason: 'client_keys_unavailable',
      description: 'the keys of the client could not be fetched from its jwks_uri',
      cause,
    });
  });
}

/**
 * Verifies by the cached keys of a client and, if the key is missing, by freshly fetched ones; undefined if the key is
 * missing there as well.
 */
export async function withClientKeys<Result>(
  clientKeys: ClientKeys,
  client: Client,
  verify: (keys: ClientKeySet) => Promise<Result>,
  getCaller?: GetCaller,
): Promise<Result | undefined> {
  const tryBy = async (keys: ClientKeySet): Promise<Result | undefined> => {
    try {
      return await verify(keys);
    } catch (error) {
      if (isUnknownKey(error)) return undefined;
      throw error;
    }
  };
  const verified = await tryBy(await clientKeys.find(client, getCaller));
  if (verified !== undefined) return verified;
  const newer = await clientKeys.refetch(client, getCaller);
  return newer && tryBy(newer);
}
