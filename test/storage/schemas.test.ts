import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Model, Schema } from 'mongoose';

import { createUsers, UserError } from '../../lib/index.js';
import type { ExtendSchema } from '../../lib/settings/options/schema-options.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { register } from '../support/registration.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens } from '../support/tokens.js';

// as a host imports it from 'express-authorization-server'
declare module '../../lib/index.js' {
  interface CustomClientFields {
    readonly plan?: 'free' | 'paid';
    readonly contact?: { readonly email?: string };
  }
  interface CustomUserFields {
    readonly email?: string;
  }
}

const ofClients: ExtendSchema = (schema) =>
  schema.add({
    plan: { type: String, enum: ['free', 'paid'], default: 'free' },
    contact: { email: { type: String, match: [/@/, 'must be an e-mail address'], lowercase: true } },
  });

describe('fields of the host in clients', () => {
  const site = siteFor({ schemas: { client: ofClients }, registration: { open: true } });

  const create = (more: object) =>
    site.oauth.clients.create({ name: 'Printing shop', redirectUris: [REDIRECT_URI], ...more });

  test('fields of the host in clients are accepted, stored, cast and returned', async () => {
    const client = await site.oauth.clients.create({
      name: 'Printing shop',
      redirectUris: [REDIRECT_URI],
      ownerId: 'ada',
      plan: 'paid',
      contact: { email: 'Shop@Print.Example' },
    });
    const fields = { plan: 'paid', contact: { email: 'shop@print.example' } };
    expect(client).toMatchObject(fields);
    expect(await site.oauth.clients.find(client.clientId)).toMatchObject(fields);
    expect(await site.oauth.clients.listOfOwner('ada')).toEqual([expect.objectContaining(fields)]);
    expect(await site.oauth.models.Client.findById(client.clientId).lean()).toMatchObject(fields);
    expect((await callApi(site, (await obtainTokens(site, client)).access_token)).status).toBe(200);
  });

  test("fields of the host in clients have the schema's defaults, also after registration", async () => {
    const { clientId } = await create({});
    expect(await site.oauth.clients.find(clientId)).toMatchObject({ plan: 'free' });
    const { client_id: registered } = (await register(site).expect(201)).body as { client_id: string };
    expect(await site.oauth.clients.find(registered)).toMatchObject({ plan: 'free' });
  });

  test("an update changes and removes the host's fields in clients, and nothing else", async () => {
    const { clientId, clientSecret, ...before } = await create({ plan: 'paid', contact: { email: 'a@b' } });
    const { clients } = site.oauth;
    const updated = await clients.update(clientId, { plan: 'free' });
    expect(updated).toEqual({ clientId, ...before, plan: 'free', updatedAt: expect.any(Date) });
    expect(await clients.update(clientId, { name: 'Renamed' })).toMatchObject({
      plan: 'free',
      contact: { email: 'a@b' },
    });
    const without = await clients.update(clientId, { contact: undefined });
    expect(without).not.toHaveProperty('contact');
    expect(await clients.rotateSecret(clientId)).toMatchObject({ plan: 'free', name: 'Renamed' });
  });

  test.each<[object, RegExp]>([
    [{ plan: 'golden' }, /^plan: .*golden/],
    [{ contact: { email: 'nowhere' } }, /^contact\.email: must be an e-mail address$/],
    [{ plan: ['free', 'paid'] }, /^plan: /],
  ])("the host's fields in clients are validated: %j", async (fields, message) => {
    const refused = { error: 'invalid_client_metadata', description: expect.stringMatching(message) };
    await expect(create(fields)).rejects.toMatchObject(refused);
    const { clientId } = await create({});
    await expect(site.oauth.clients.update(clientId, fields)).rejects.toMatchObject(refused);
    expect(await site.oauth.clients.find(clientId)).toMatchObject({ plan: 'free' });
  });

  test('an unknown field in clients is refused with a suggestion', async () => {
    await expect(create({ plam: 'paid' })).rejects.toThrow(
      "clients.create: unknown option 'plam'; did you mean 'plan'?",
    );
  });
});

describe('a schema', () => {
  let database: TestDatabase;
  beforeEach(async () => void (database = await openDatabase()));
  afterEach(() => database.close());

  test('a schema is the same for all servers on a connection', async () => {
    const first = await openSite({ database, schemas: { client: ofClients } });
    const second = await openSite({ database, schemas: { client: ofClients }, issuer: first.url });
    expect(second.oauth.models.Client).toBe(first.oauth.models.Client);
    for (const schemas of [{ client: (schema: Schema) => schema.add({ a: String }) }, {}])
      await expect(openSite({ database, schemas, issuer: first.url })).rejects.toThrow(
        /^authorizationServer: the option schemas.client: there is a model of oauth_clients on this connection already, with other fields/,
      );
    for (const site of [first, second]) await site.close();
  });

  test('a schema cannot change a field of this package', async () => {
    const refused = openSite({ database, schemas: { client: (schema) => schema.add({ name: Number }) } });
    await expect(refused).rejects.toThrow(
      /^authorizationServer: the option schemas.client: the field name of oauth_clients is ours/,
    );
  });

  test('a schema of grants has defaults and validators for every grant', async () => {
    const site = await openSite({
      database,
      schemas: {
        grant: (schema) => schema.add({ tenant: { type: String, default: 'blue', required: true } }),
      },
    });
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect((await callApi(site, token)).status).toBe(200);
    const grants = await (site.oauth.models.Grant as unknown as Model<{ tenant: string }>).find().lean();
    expect(grants.map(({ tenant }) => tenant)).toEqual(['blue']);
    await site.close();
  });

  test('a schema of users adds fields with validators and unique values', async () => {
    const users = createUsers(database.connection, {
      rounds: 4,
      schema: (schema) =>
        schema.add({ email: { type: String, match: [/@/, 'Write an e-mail address.'], unique: true } }),
    });
    const ada = await users.create({ username: 'ada', password: 'a long password', email: 'ada@b.example' });
    expect(ada).toEqual({ id: ada.id, username: 'ada', name: 'ada', email: 'ada@b.example' });
    expect(await users.verify('ada', 'a long password')).toEqual(ada);
    expect(await users.findById(ada.id)).toEqual(ada);
    const refusal = async (email: string, username = 'grace') =>
      users.create({ username, password: 'a long password', email }).catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error;
        return [error.field, error.message];
      });
    expect(await refusal('nowhere')).toEqual(['email', 'Write an e-mail address.']);
    expect(await refusal('ada@b.example')).toEqual([
      'email',
      'There is another one with this value already.',
    ]);
    expect(await refusal('other@b.example', 'ADA')).toEqual(['username', 'This user name is taken already.']);
  });
});
