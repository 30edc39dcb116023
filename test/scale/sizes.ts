import mongoose, { type Connection, type Schema } from 'mongoose';

import { createUsers } from '../../lib/index.js';
import { createTestKey, postAssertion, signAssertion } from '../support/assertions.js';
import { DEVICE_GRANT_TYPES, deviceClient, startDevice } from '../support/device.js';
import { createPerson } from '../support/person.js';
import { register } from '../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { createPkce, redeem, tokenRequest } from '../support/tokens.js';

/** A document made by real requests. */
export interface MeasuredDocument {
  readonly what: string;
  readonly collection: string;
  /** As BSON, before MongoDB compresses it. */
  readonly bytes: number;
  /** The size of its entries in all indexes of the collection, estimated. */
  readonly indexBytes: number;
}

/** After how many refreshes a grant is measured. */
export const REFRESHES = [1, 10, 100];
/** The id of a person as MongoDB would give it. */
const USER_ID = '64b7f0c2a1d3e4f5a6b7c8d9';

/** A typical site, with ids of the usual length. */
export function openDefaultSite(): Promise<Site> {
  return openSite({
    grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials'],
    registration: { open: true },
    audit: { ttl: 86_400 },
    people: { id: () => USER_ID },
    security: { rateLimits: false },
  });
}

/** Makes one of each document, by requests, and measures it. */
export async function measureDocuments(site: Site): Promise<MeasuredDocument[]> {
  const client = await site.client({ ownerId: USER_ID, scopes: ['photos:read', 'photos:write'] });
  const measured = [await measure(site, 'a client', 'oauth_clients', { _id: client.clientId })];
  measured.push(...(await measureGrants(site, client)));
  measured.push(await measure(site, 'a consent', 'oauth_consents', {}));

  await tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200);
  measured.push(
    await measure(site, 'a grant of client_credentials', 'oauth_grants', { grantType: 'client_credentials' }),
  );
  const { body: registered } = await register(site).expect(201);
  measured.push(
    await measure(site, 'a client that registered itself', 'oauth_clients', { _id: registered.client_id }),
  );
  await startDevice(site, await deviceClient(site));
  measured.push(
    await measure(site, 'a grant that waits for a person', 'oauth_grants', { device: { $exists: true } }),
    await measure(site, 'a user code', 'oauth_user_codes', {}),
  );
  const key = await createTestKey();
  const { clientId } = await site.client({ jwks: { keys: [key.publicJwk] } });
  await postAssertion(site, await signAssertion(site, clientId, key)).expect(200);
  measured.push(await measure(site, 'a used assertion', 'oauth_assertion_ids', {}));
  await site.oauth.audit.find();
  measured.push(
    await measure(site, 'an event of the audit', 'oauth_audit', { type: 'token.issued', userId: USER_ID }),
  );
  await createUsers(site.database.connection, { rounds: 4 }).create({
    username: 'ada.lovelace',
    password: 'a long password',
    name: 'Ada Lovelace',
  });
  measured.push(await measure(site, 'a user of the bundled login', 'oauth_users', {}));
  return measured;
}

async function measureGrants(
  site: Site,
  client: Awaited<ReturnType<Site['client']>>,
): Promise<MeasuredDocument[]> {
  const person = createPerson(site);
  await person.logIn();
  const { challenge, code_verifier } = createPkce();
  const location = await person.authorize({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    state: 'x',
    ...challenge,
  });
  const grant = (what: string) => measure(site, what, 'oauth_grants', { clientId: client.clientId });
  const measured = [await grant('a grant, just authorized')];
  const { body } = await redeem(site, client, location.searchParams.get('code') ?? '', {
    code_verifier,
  }).expect(200);
  measured.push(await grant('a grant with tokens'));
  let refreshToken = body.refresh_token as string;
  for (let count = 1; count <= Math.max(...REFRESHES); count += 1) {
    ({
      body: { refresh_token: refreshToken },
    } = await tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: refreshToken }).expect(
      200,
    ));
    if (REFRESHES.includes(count))
      measured.push(await grant(`a grant after ${count} ${count === 1 ? 'refresh' : 'refreshes'}`));
  }
  return measured;
}

async function measure(
  { database: { connection } }: Site,
  what: string,
  collection: string,
  filter: object,
): Promise<MeasuredDocument> {
  const document = await connection.collection(collection).findOne(filter);
  if (document === null) throw new Error(`there is no ${what}`);
  return {
    what,
    collection,
    bytes: mongoose.mongo.BSON.calculateObjectSize(document),
    indexBytes: indexBytesOf(connection, collection, document),
  };
}

/** What an index entry has in addition to its values: the place of the document, and its own length. */
const ENTRY = 8;

function indexBytesOf(
  connection: Connection,
  collection: string,
  document: Readonly<Record<string, unknown>>,
): number {
  const { schema } = Object.values(connection.models).find(
    (model) => model.collection.name === collection,
  ) as unknown as { schema: Schema };
  const indexes: [object, { partialFilterExpression?: object }][] = [
    [{ _id: 1 }, {}],
    ...(schema.indexes() as [object, object][]),
  ];
  return indexes
    .filter(([, { partialFilterExpression = {} }]) =>
      Object.keys(partialFilterExpression).every((path) => valueAt(document, path) !== undefined),
    )
    .reduce(
      (sum, [key]) =>
        sum +
        ENTRY +
        Object.keys(key).reduce((bytes, path) => bytes + keyBytesOf(valueAt(document, path)), 0),
      0,
    );
}

function valueAt(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}

/** Type, value, and for text its end. */
function keyBytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (value instanceof Date || typeof value === 'number') return 9;
  return value === undefined ? 1 : 13;
}
