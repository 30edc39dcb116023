import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';

import { databaseUri } from '../support/database.js';
import type { Client } from './client.js';
import { countBatches, fillWithGrants } from './fill.js';

describe('filling a database with grants', () => {
  let mongo: MongoClient;
  let database: Db;
  let uri: string;

  beforeEach(async () => {
    uri = databaseUri(`fill_${randomUUID().slice(0, 8)}`);
    mongo = await new MongoClient(uri).connect();
    database = mongo.db();
    await database.collection<{ _id: string }>('clients').insertOne({ _id: 'c'.repeat(22) });
    await database.collection('consents').insertMany([
      { userId: 'ada', clientId: 'c'.repeat(22) },
      { userId: 'bob', clientId: 'c'.repeat(22) },
    ]);
  });
  afterEach(async () => {
    await database.dropDatabase();
    await mongo.close();
  });

  /** Its flow leaves a grant in one collection and its token in another. */
  const client = (leaves = true) =>
    ({
      site: { userId: 'ada' },
      authorize: () => Promise.resolve('code'),
      async redeem() {
        if (!leaves) return {};
        await database
          .collection<{ _id: string }>('grants')
          .insertOne({ _id: 'g'.repeat(22), userId: 'ada', clientId: 'c'.repeat(22) } as never);
        await database
          .collection<{ _id: string }>('tokens')
          .insertOne({ _id: 't'.repeat(43), grantId: 'g'.repeat(22) } as never);
        return {};
      },
    }) as unknown as Client;

  it('stores as many copies as asked for, each with its own id and its own token, and tells how far it is', async () => {
    const reported: number[] = [];
    await fillWithGrants(uri, client(), {
      count: 50,
      batch: 15,
      stored: (grants) => void reported.push(grants),
    });
    const grants = await database.collection('grants').find().toArray();
    const tokens = await database.collection('tokens').find().toArray();
    expect(grants).toHaveLength(51);
    expect(new Set(tokens.map(({ grantId }) => String(grantId)))).toEqual(
      new Set(grants.map(({ _id }) => String(_id))),
    );
    expect(new Set(grants.map(({ clientId }) => String(clientId)))).toEqual(new Set(['c'.repeat(22)]));
    expect(new Set(grants.map(({ userId }) => String(userId))).size).toBe(51);
    expect(reported).toHaveLength(4);
    expect(reported.at(-1)).toBe(50);
  });

  it('knows how often it will tell', () => {
    expect([1, 1000, 1001, 1_000_000].map(countBatches)).toEqual([1, 1, 2, 1000]);
  });

  it('stores the consent of each person with it, and nothing of others', async () => {
    await fillWithGrants(uri, client(), { count: 20, stored: () => undefined });
    const people = (await database.collection('grants').find().toArray()).map(({ userId }) => String(userId));
    const consents = await database.collection('consents').find().toArray();
    expect(consents.map(({ userId }) => String(userId)).sort()).toEqual([...people, 'bob'].sort());
    expect(new Set(consents.map(({ clientId }) => String(clientId)))).toEqual(new Set(['c'.repeat(22)]));
  });

  it('refuses where a flow leaves nothing to copy', async () => {
    await expect(fillWithGrants(uri, client(false), { count: 10, stored: () => undefined })).rejects.toThrow(
      /nothing to copy/,
    );
  });
});
