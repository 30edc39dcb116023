import { randomUUID } from 'node:crypto';

import { expect, test } from '@jest/globals';

import { recordCommands } from '../support/commands.js';
import { logInPerson, type Person } from '../support/person.js';
import { siteFor } from '../support/site-for.js';

const site = siteFor({ security: { rateLimits: false } });

/** A person with this many applications. */
async function developerOf(name: string, count: number): Promise<Person> {
  const { clientId } = await site.client({ ownerId: name });
  const clients = site.database.collection<{ _id: string }>('oauth_clients');
  const { _id, ...template } = (await clients.findOne({ _id: clientId }))!;
  const copies = Array.from({ length: count - 1 }, (_each, index) => ({
    ...template,
    _id: randomUUID(),
    createdAt: new Date(Date.now() - index * 60_000),
  }));
  await clients.insertMany(copies);
  const person = await logInPerson(site, name);
  return person;
}

interface Reply {
  readonly reply: {
    readonly cursor?: {
      readonly ns: string;
      readonly firstBatch?: unknown[];
      readonly nextBatch?: unknown[];
    };
  };
}

/** The cost of the list: its commands, the number of their stages, and the documents of each collection. */
async function costOf({ agent }: Person) {
  const database = site.database.connection.getClient();
  const documents: Record<string, number> = {};
  const count = ({ reply: { cursor } }: Reply) => {
    const name = cursor?.ns.split('.').at(-1);
    if (name !== undefined)
      documents[name] = (documents[name] ?? 0) + (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
  };
  // the first request fills caches
  await agent.get('/oauth/applications').expect(200);
  database.on('commandSucceeded', count as never);
  const commands = await recordCommands(site.database, () => agent.get('/oauth/applications').expect(200));
  database.off('commandSucceeded', count as never);
  const stages = commands.map(({ command }) => ((command.pipeline ?? []) as unknown[]).length);
  return { commands: commands.map(({ name, collection }) => `${name} ${collection}`), stages, documents };
}

test('the list of 200 applications costs as much as the list of 20', async () => {
  const [few, many] = [await developerOf('ada', 20), await developerOf('grace', 200)];
  const [ofFew, ofMany] = [await costOf(few), await costOf(many)];
  expect(ofMany.commands).toEqual(ofFew.commands);
  expect(ofMany.stages).toEqual(ofFew.stages);
  // One command reads all clients of the owner, 200 at most, because the page shows their number and its search covers
  // them. The expensive part is the use of each application, which is read only for the 20 on the page.
  const { oauth_clients: clientsOfFew, ...othersOfFew } = ofFew.documents;
  const { oauth_clients: clientsOfMany, ...othersOfMany } = ofMany.documents;
  expect([clientsOfFew, clientsOfMany]).toEqual([20, 200]);
  expect(othersOfMany).toEqual(othersOfFew);
});
