import { describe, expect, it } from '@jest/globals';

import {
  type ClientAuthenticationDependencies,
  createClientAuthentication,
} from '../../lib/core/client-authentication/client-authentication.js';
import { none } from '../../lib/core/client-authentication/none.js';
import type { Client } from '../../lib/core/clients/client.js';
import { withClientCache } from '../../lib/core/clients/client-cache.js';
import type { ClientSource, ClientStore } from '../../lib/core/clients/client-store.js';
import { NO_ORIGIN } from '../../lib/core/http/request-origin.js';

const SHOP: Client = {
  clientId: 'shop',
  name: 'Shop',
  type: 'public',
  redirectUris: [],
  scopes: [],
  grantTypes: [],
  trusted: false,
  secrets: [],
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

/** A store that reads a new object each time, as a database does. */
function storeOf(read: () => Client | null) {
  const state = { requested: 0 };
  const find = () => {
    state.requested += 1;
    return Promise.resolve(structuredClone(read()));
  };
  return { state, store: { find, delete: () => Promise.resolve(true) } as unknown as ClientStore };
}

const options = { life: 60, watch: () => undefined };

describe('the cache of clients', () => {
  it('a lookup reads the store unless it accepts a cached client', async () => {
    const { state, store } = storeOf(() => SHOP);
    const clients = withClientCache(store, options);
    await clients.find('shop');
    const last = await clients.find('shop');
    expect(state.requested).toBe(2);
    expect(await clients.find('shop', { fresh: false })).toBe(last);
    expect(state.requested).toBe(2);
  });

  it('the cache has the client of the latest read', async () => {
    let name = 'Shop';
    const clients = withClientCache(storeOf(() => ({ ...SHOP, name })).store, options);
    await clients.find('shop');
    name = 'Other shop';
    expect(await clients.find('shop', { fresh: false })).toMatchObject({ name: 'Shop' });
    expect(await clients.find('shop')).toMatchObject({ name: 'Other shop' });
    expect(await clients.find('shop', { fresh: false })).toMatchObject({ name: 'Other shop' });
  });

  it('a client that this process deletes leaves the cache', async () => {
    let isThere = true;
    const clients = withClientCache(storeOf(() => (isThere ? SHOP : null)).store, options);
    await clients.find('shop');
    isThere = false;
    await clients.delete('shop');
    expect(await clients.find('shop', { fresh: false })).toBeNull();
  });

  it('a client that changes while it is read is not cached', async () => {
    let isThere = true;
    let whileReading = (): Promise<unknown> => Promise.resolve();
    const { store } = storeOf(() => (isThere ? SHOP : null));
    const slow: typeof store = {
      ...store,
      async find(clientId: string) {
        const client = await store.find(clientId);
        await whileReading();
        return client;
      },
    };
    const clients = withClientCache(slow, options);
    whileReading = () => {
      whileReading = () => Promise.resolve();
      isThere = false;
      return clients.delete('shop');
    };
    expect(await clients.find('shop')).toMatchObject({ clientId: 'shop' });
    expect(await clients.find('shop', { fresh: false })).toBeNull();
  });

  it('a blocked client is not cached, for another process may unblock it', async () => {
    let blocked: Client['blocked'] = { at: new Date(0) };
    const clients = withClientCache(storeOf(() => ({ ...SHOP, ...(blocked && { blocked }) })).store, options);
    expect(await clients.find('shop', { fresh: false })).toHaveProperty('blocked');
    blocked = undefined;
    expect(await clients.find('shop', { fresh: false })).not.toHaveProperty('blocked');
  });

  it.each([
    ['deleted', null],
    ['blocked', { ...SHOP, blocked: { at: new Date(0) } }],
  ])('a client that a fresh read shows to be %s by another process leaves the cache', async (_, now) => {
    let stored: Client | null = SHOP;
    const clients = withClientCache(storeOf(() => stored).store, options);
    await clients.find('shop');
    stored = now;
    await clients.find('shop');
    expect(await clients.find('shop', { fresh: false })).toEqual(now);
  });

  it('a cache with a life of 0 is the store', () => {
    const { store } = storeOf(() => SHOP);
    expect(withClientCache(store, { ...options, life: 0 })).toBe(store);
  });
});

describe('client authentication', () => {
  const claimed = (clients: ClientSource) => {
    const { authenticate } = createClientAuthentication([none], {
      clients,
      settings: {
        security: { rateLimits: false },
        advanced: { clientCacheTtl: 60 },
        issuer: 'https://as.example',
      },
    } as unknown as ClientAuthenticationDependencies);
    const request = { authorization: undefined, parameters: { client_id: 'shop' }, now: new Date() };
    return (fresh: boolean) => authenticate(request, { origin: NO_ORIGIN, allowsCachedClient: !fresh });
  };

  it('client authentication takes a client from any source with find', async () => {
    const authenticate = claimed({ find: () => Promise.resolve(SHOP) });
    expect(await authenticate(true)).toBe(SHOP);
  });

  it('client authentication reads a cached client again, once, before it refuses it', async () => {
    let type: Client['type'] = 'confidential';
    const { state, store } = storeOf(() => ({ ...SHOP, type }));
    const clients = withClientCache(store, options);
    await clients.find('shop');
    await expect(claimed(clients)(false)).rejects.toMatchObject({ error: 'invalid_client' });
    expect(state.requested).toBe(2);
    type = 'public';
    expect(await claimed(clients)(false)).toMatchObject({ type: 'public' });
    expect(state.requested).toBe(3);
  });
});
