import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mongoose from 'mongoose';

import { createPerson, type Person } from '../support/person.js';
import {} from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const FEW = 10;
const MANY = 1000;
const PER_PAGE = 25;
const CONNECTED = '/oauth/authorizations';
const APPLICATIONS = '/oauth/applications?list=all';

const site = siteFor({
  security: { rateLimits: false },
  advanced: {
    // generous, because the time depends on the machine
    databaseTimeout: 25_000,
  },
  applications: {
    isAdministrator: ({ user }) => (user as unknown as { id: string } | undefined)?.id === 'bob',
  },
});
const few = fixture(() => createPerson(site));
const many = fixture(() => createPerson(site));
beforeAll(async () => {
  await Promise.all([few.logIn('ada'), many.logIn('grace')]);
  await connect('ada', FEW);
});
afterAll(() => site.close(), 60_000);

/** As if somebody had allowed this many applications, and each had got tokens. */
async function connect(userId: string, count: number): Promise<void> {
  const [now, later] = [Date.now(), new Date(Date.now() + 3600_000)];
  const nameOf = (number: number) =>
    number % 100 === 0 ? `Café ${String(number)}` : `App ${String(number)}`;
  const insert = (name: string, make: (clientId: string, at: Date, number: number) => object) =>
    site.database
      .collection(name)
      .insertMany(
        Array.from({ length: count }, (_, index) =>
          make(`${userId}-${String(index)}`, new Date(now - index * 60_000), index),
        ),
      );
  await insert('oauth_clients', (_id, at, number) => ({
    _id,
    name: nameOf(number),
    type: 'public',
    redirectUris: ['https://print.example/callback'],
    scopes: ['profile'],
    grantTypes: ['authorization_code', 'refresh_token'],
    trusted: false,
    secrets: [],
    ownerId: `owner of ${_id}`,
    createdAt: at,
    updatedAt: at,
  }));
  await insert('oauth_consents', (clientId, at, number) => ({
    userId,
    clientId,
    clientName: nameOf(number),
    scopes: ['profile'],
    createdAt: at,
    updatedAt: at,
  }));
  await insert('oauth_grants', (clientId, at) => ({
    _id: `grant of ${clientId}`,
    clientId,
    userId,
    authorization: { scopes: ['profile'] },
    grantType: 'authorization_code',
    code: { hash: 'x'.repeat(43), expiresAt: at, usedAt: at },
    accessTokens: [{ hash: 'x'.repeat(43), expiresAt: later }],
    refreshToken: { hash: 'x'.repeat(43), familyHash: 'x'.repeat(43), expiresAt: later },
    createdAt: at,
    renewedAt: at,
    expiresAt: later,
  }));
}

/** The commands to the database, and its answers. */
interface Cost {
  readonly commands: readonly string[];
  readonly documents: number;
  readonly bytes: number;
}

interface Batch {
  readonly firstBatch?: readonly object[];
  readonly nextBatch?: readonly object[];
}

async function costOf({ agent }: Person, address: string): Promise<Cost> {
  const answers: { commandName: string; reply: { readonly cursor?: Batch } }[] = [];
  const note = (answer: object) => answers.push(answer as (typeof answers)[number]);
  const client = site.database.connection.getClient();
  client.on('commandSucceeded', note);
  await agent.get(address).expect(200);
  client.off('commandSucceeded', note);
  const batches = answers.flatMap(({ reply: { cursor } }) => cursor?.firstBatch ?? cursor?.nextBatch ?? []);
  return {
    commands: answers.map(({ commandName }) => commandName).sort(),
    documents: batches.length,
    bytes: batches.reduce((sum, batch) => sum + mongoose.mongo.BSON.calculateObjectSize(batch), 0),
  };
}

describe('1,000 connected apps and applications', () => {
  const costs = new Map<string, readonly [few: Cost, many: Cost]>();
  const ADDRESSES = [
    '',
    '?page=2',
    '?page=40',
    '?sort=since',
    '?sort=since&page=40',
    '?sort=name',
    '?q=app',
    '?q=cafe',
    '?q=nothing',
  ];
  beforeAll(async () => {
    const admin = createPerson(site);
    await admin.logIn('bob');
    const ofFew = await costOf(admin, APPLICATIONS);
    await connect('grace', MANY);
    for (const query of ADDRESSES)
      costs.set(query, [
        await costOf(few, `${CONNECTED}${query}`),
        await costOf(many, `${CONNECTED}${query}`),
      ]);
    costs.set('applications', [ofFew, await costOf(admin, APPLICATIONS)]);
  });
  const of = (query: string) => costs.get(query) as readonly [few: Cost, many: Cost];

  it.each([...ADDRESSES, 'applications'])('a list of 1,000 costs no more commands than ten: %j', (query) => {
    const [ten, thousand] = of(query);
    // no second read is needed if none of the ten has the name
    if (ten.documents >= FEW) expect(thousand.commands).toEqual(ten.commands);
    expect(thousand.commands.length).toBeLessThanOrEqual(6);
  });

  it.each([...ADDRESSES, 'applications'])(
    'a list of 1,000 loads one page of documents, and lists within one document: %j',
    (query) => {
      const [ten, { documents, commands }] = of(query);
      expect(commands).not.toContain('getMore');
      // the count works: documents are sent whenever one has the name
      if (query !== '?q=nothing') expect(ten.documents).toBeGreaterThan(3);
      // grant, consent and client of each, and up to three lists
      expect(documents).toBeLessThanOrEqual(3 * PER_PAGE + 3);
    },
  );

  it.each(ADDRESSES)('a list of 1,000 loads less than 200 bytes for each entry off the page: %j', (query) => {
    const [ten, thousand] = of(query);
    const displayed = (ten.bytes / FEW) * PER_PAGE;
    expect(thousand.bytes - displayed).toBeLessThan(200 * MANY);
  });
});
