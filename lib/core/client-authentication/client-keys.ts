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
/** Seconds that fetched keys are used, also if they are removed: as most servers allow for a key set. */
const CACHE_TTL = 600;
/** Seconds between two fetches for an unknown `kid`, which anybody can name, or after a failure. */
export const KEYS_COOLDOWN = 30;
/** How many requests may wait for keys that are being fetched, in total and for one `jwks_uri`. */
const WAITING = [1000, 250] as const;

export interface ClientKeySet {
  readonly find: JWTVerifyGetKey;
  /** All of its keys, including those to encrypt to. */
  readonly keys: readonly PublicJwk[];
  /** Its certificates, each the DER in base64 (RFC 7517 §4.7: the first of each `x5c`). */
  readonly certificates: readonly string[];
}

export type ClientKeys = ReturnType<typeof createClientKeys>;

/** Times are milliseconds since 1970. */
interface Fetched {
  readonly keys: Promise<ClientKeySet>;
  readonly fetchedAt: number;
  /** When it was last tried to get newer ones. */
  triedAt: number;
  isUnderway: boolean;
  hasFailed: boolean;
}

/** Keys by value, or by `jwksUri`, of which a bounded number is kept: whatever a client answers, it is asked seldom. */
export function createClientKeys(limits: ClientFetchLimits, limitUntrustedFetch: LimitUntrustedFetch) {
  // strangers have their own cache and queue, so that they hold up nobody else
  const createPlace = () => ({
    cache: createCache<Fetched>({ size: CACHE_ENTRIES }),
    wait: createConcurrencyLimit(...WAITING),
  });
  const known = createPlace();
  const ofStrangers = createPlace();
  const placeOf = (client: Client) => (requiresPublicAddresses(client) ? ofStrangers : known);
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
        // anybody can cause a fetch by naming an unknown key: if it fails, the keys before stay
        if (before !== undefined && !before.hasFailed && isUsable(before))
          cache.set(jwksUri, { ...before, triedAt: now });
      })
      .finally(() => (fetched.isUnderway = false));
    return fetched.keys;
  };
  /** Requests that come meanwhile wait for the same answer. */
  const awaitKeys = (client: Client, { keys, isUnderway }: Fetched, jwksUri: string) =>
    isUnderway
      ? placeOf(client).wait(jwksUri, () => orInvalidClient(keys, jwksUri))
      : orInvalidClient(keys, jwksUri);
  /** Only once the limits let it: what one caller may not fetch must not count as a failure for others. */
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
     * @throws OAuthError invalid_client if the client has none, or they cannot be fetched; temporarily_unavailable if too
     *   many requests wait for that, or it was fetched too often
     */
    async find(client: Client, getCaller?: GetCaller): Promise<ClientKeySet> {
      const { jwks, jwksUri } = client;
      if (jwks !== undefined) {
        // without the keys that cannot be used, as in a fetched set (RFC 7517 §5)
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
    /**
     * Fetches them again for a key that is not among them; undefined if that was just done, or if there is nothing to
     * fetch.
     */
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

/** Only the log says why it failed: clients are not told what can be reached from this server. */
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
 * Does something with the known keys of a client, and again with freshly fetched ones if the key that is needed was
 * missing; undefined if it is missing there too.
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
