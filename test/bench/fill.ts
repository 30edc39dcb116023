import { randomBytes } from 'node:crypto';

import { MongoClient } from 'mongodb';

import type { Client } from './client.js';

const BATCH = 1000;

/**
 * Stores that many grants of people of their own, with their consents: copies of what one whole flow at our server has
 * left in the database.
 *
 * @throws Error if the flow has left nothing
 */
export async function fillWithGrants(
  databaseUri: string,
  client: Pick<Client, 'authorize' | 'redeem' | 'site'>,
  { count, stored }: { readonly count: number; readonly stored: (grants: number) => void },
): Promise<void> {
  const mongo = await new MongoClient(databaseUri).connect();
  try {
    await client.redeem(await client.authorize());
    const { userId } = client.site;
    const templates = [];
    for (const name of ['oauth_grants', 'oauth_consents']) {
      const collection = mongo.db().collection(name);
      const template = await collection.findOne({ userId });
      if (template === null) throw new Error(`a whole flow has left nothing in ${name}`);
      templates.push({ collection, template });
    }
    for (let done = 0; done < count; stored((done = Math.min(done + BATCH, count)))) {
      const people = Array.from({ length: Math.min(BATCH, count - done) }, () => randomBytes(16));
      for (const { collection, template } of templates)
        await collection.insertMany(
          people.map((person) => ({
            ...template,
            _id: person.toString('base64url') as never,
            userId: `user-${person.toString('hex')}`,
          })),
          { ordered: false },
        );
    }
  } finally {
    await mongo.close();
  }
}

/** How often `fillWithGrants` reports progress. */
export function countBatches(grants: number): number {
  return Math.ceil(grants / BATCH);
}
