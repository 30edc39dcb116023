import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Mongoose, type Schema } from 'mongoose';

import type { Grant } from '../../lib/core/grants/grant.js';
import { createStores } from '../../lib/storage/stores.js';
import { databaseUri } from '../support/database.js';

/** Each query of Mongoose; operations by a model's collection make none. */
const queries = jest.spyOn(Mongoose.prototype.Query.prototype, 'exec');

/** Mongoose's debug function reports each operation: collection and method. */
async function openStores(plugin?: (schema: Schema) => unknown) {
  const mongoose = new Mongoose();
  const seen: string[] = [];
  mongoose.set('debug', (collection: string, method: string) => void seen.push(`${collection} ${method}`));
  if (plugin !== undefined) mongoose.plugin((schema) => void plugin(schema));
  const connection = await mongoose.createConnection(databaseUri(`unhooked_${process.pid}`)).asPromise();
  const stores = createStores(connection, { timeout: 5000 });
  await stores.ready();
  seen.length = 0;
  queries.mockClear();
  closing.push(async () => {
    await stores.close();
    await connection.dropDatabase();
    await connection.close();
  });
  return { stores, seen };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const grant: Grant = {
  grantId: 'g1',
  clientId: 'shop',
  grantType: 'client_credentials',
  authorization: { scopes: ['photos:read'], resources: [] },
  accessTokens: [],
  createdAt: new Date(),
  expiresAt: new Date(Date.now() + 60_000),
};

describe('the insert of a document', () => {
  test("an insert is one command that Mongoose's debug function sees", async () => {
    const { stores, seen } = await openStores();
    await stores.grants.insert(grant);
    expect(seen).toEqual(['oauth_grants insertOne']);
    expect(await stores.grants.findForGuard({ grantId: 'g1', hash: 'any' })).toMatchObject({
      clientId: 'shop',
    });
  });

  test('an insert calls the hooks of a plugin on insertMany', async () => {
    const hooked: unknown[] = [];
    const { stores, seen } = await openStores((schema) =>
      schema.pre('insertMany', (documents: unknown) => void hooked.push(documents)),
    );
    await stores.grants.insert(grant);
    expect(seen).toEqual(['oauth_grants insertMany']);
    expect(hooked).toEqual([[expect.objectContaining({ _id: 'g1' })]]);
  });

  test('an insert calls the insertMany of a plugin in the place of Mongoose’s', async () => {
    const { stores, seen } = await openStores((schema) =>
      schema.static('insertMany', function (documents: object[], options: object) {
        const stamped = documents.map((document) => ({ ...document, tenant: 'north' }));
        return Mongoose.prototype.Model.insertMany.call(this, stamped, options);
      }),
    );
    await stores.grants.insert(grant);
    expect(seen).toEqual(['oauth_grants insertMany']);
    expect(await stores.models.Grant.collection.findOne({})).toMatchObject({ tenant: 'north' });
  });
});

describe('the read of a document', () => {
  const read = async ({ stores, seen }: Awaited<ReturnType<typeof openStores>>) => {
    await stores.grants.insert(grant);
    seen.length = 0;
    return stores.grants.findForGuard({ grantId: 'g1', hash: 'any' });
  };
  const found = expect.objectContaining({ clientId: 'shop' });

  test("a read is one command that Mongoose's debug function sees", async () => {
    const opened = await openStores();
    expect(await read(opened)).toEqual(found);
    expect(opened.seen).toEqual(['oauth_grants findOne']);
    expect(queries).not.toHaveBeenCalled();
    expect(await opened.stores.grants.findForGuard({ grantId: 'another', hash: 'any' })).toBeNull();
  });

  test('a read calls the hooks of a plugin on findOne', async () => {
    const hooked: unknown[] = [];
    const opened = await openStores((schema) =>
      schema.post('findOne', function () {
        hooked.push(this.getFilter()._id);
      }),
    );
    expect(await read(opened)).toEqual(found);
    expect(opened.seen).toEqual(['oauth_grants findOne']);
    expect(hooked).toEqual(['g1']);
  });

  test('a read follows the schema if a plugin has added a field', async () => {
    const opened = await openStores(
      (schema) => schema.path('clientId') && schema.add({ note: { type: String, select: false } }),
    );
    await read(opened);
    const stored = opened.stores.models.Grant.collection;
    await stored.updateOne({}, { $set: { note: 'of the host' } });
    expect(await opened.stores.grants.find('g1')).toEqual(found);
    expect(await opened.stores.grants.find('g1')).not.toHaveProperty('note');
  });
});

describe('the update of a document', () => {
  const now = new Date();
  const rotated = {
    accessToken: { hash: 'a2', expiresAt: grant.expiresAt },
    refreshToken: { hash: 'r2', familyHash: undefined as never, expiresAt: grant.expiresAt },
    now,
    expiresAt: grant.expiresAt,
  };
  const refreshable = { ...grant, refreshToken: { hash: 'r1', expiresAt: grant.expiresAt } };
  const rotate = async ({ stores }: Awaited<ReturnType<typeof openStores>>) => {
    await stores.grants.insert(refreshable);
    return stores.grants.storeRefresh(refreshable, { hash: 'r1', familyHash: 'f' }, rotated);
  };

  test('an update is one command that debug sees, and does not store undefined', async () => {
    const opened = await openStores();
    expect(await rotate(opened)).toBe(true);
    expect(opened.seen).toEqual(['oauth_grants insertOne', 'oauth_grants updateOne']);
    expect(queries).not.toHaveBeenCalled();
    expect(await opened.stores.models.Grant.collection.findOne({})).toMatchObject({
      refreshToken: { hash: 'r2', expiresAt: grant.expiresAt },
      accessTokens: [rotated.accessToken],
      renewedAt: now,
    });
    const { refreshToken } = (await opened.stores.grants.find('g1')) ?? {};
    expect(refreshToken).not.toHaveProperty('familyHash');
    expect(await opened.stores.grants.storeRefresh(refreshable, { hash: 'r1' }, rotated)).toBe(false);
  });

  test('an update calls the hooks of a plugin on updateOne', async () => {
    const hooked: unknown[] = [];
    const opened = await openStores((schema) =>
      schema.pre('updateOne', { query: true, document: false }, function () {
        hooked.push(this.getFilter()._id);
      }),
    );
    expect(await rotate(opened)).toBe(true);
    expect(opened.seen).toEqual(['oauth_grants insertOne', 'oauth_grants updateOne']);
    expect(hooked).toEqual(['g1']);
  });

  test('an update follows the schema if a plugin has added a field', async () => {
    const opened = await openStores((schema) => schema.path('clientId') && schema.add({ note: String }));
    expect(await rotate(opened)).toBe(true);
    expect(queries).toHaveBeenCalledTimes(1);
  });

  test('an update calls the updateOne of a plugin in the place of Mongoose’s', async () => {
    const requested: unknown[] = [];
    const opened = await openStores((schema) =>
      schema.static('updateOne', function (filter: object, update: object, options: object) {
        requested.push(filter);
        return Mongoose.prototype.Model.updateOne.call(this, filter, update, options);
      }),
    );
    expect(await rotate(opened)).toBe(true);
    expect(requested).toEqual([expect.objectContaining({ _id: 'g1' })]);
  });
});
