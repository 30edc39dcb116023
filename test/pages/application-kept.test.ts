import { beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { startAdministeredApp } from '../support/pages-app.js';
import { hiddenFields, pageAfter, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

/** Redirect URIs of earlier servers; not all of them can be registered here. */
const OLD_URIS = ['http://print.example/callback', 'https://print.example/*', 'https://print.example/ok'];

let ownerId: string;
const app = fixture(startAdministeredApp);

beforeAll(async () => void (ownerId = await app.idOf('ada')));

/** A client with values that can no longer be registered: migrated, or from before the options changed. */
async function oldClient(set: object): Promise<ClientWithSecret> {
  const client = await app.clients.create({
    name: 'Prints',
    ownerId,
    redirectUris: ['https://print.example/ok'],
    scopes: ['photos:read'],
    grantTypes: ['authorization_code'],
  });
  await app.database.update('oauth_clients', client.clientId, { $set: set });
  return client;
}

/** Opens the form, changes the name, and sends everything else unchanged. */
async function rename(as: 'ada' | 'grace', { clientId }: ClientWithSecret, changes: object = {}) {
  const agent = await app.personOf(as);
  const path = `/oauth/applications/${clientId}/edit`;
  const page = await agent.get(path).expect(200);
  const boxes = (name: string) =>
    [
      ...page.text.matchAll(
        new RegExp(`<input type="checkbox"[^>]* name="${name}" value="([^"]*)" [^>]*checked`, 'g'),
      ),
    ].map(([, value]) => value);
  const uris = /<textarea[^>]* name="redirect_uris"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? '';
  const sent = await postForm(agent, path, {
    ...hiddenFields(page),
    name: 'Prints anew',
    redirect_uris: uris,
    scope: boxes('scope'),
    grant_type: boxes('grant_type'),
    ...changes,
  });
  return { sent, after: await pageAfter(agent, sent), client: await app.clients.find(clientId) };
}

describe.each(['ada', 'grace'] as const)(
  'the form of a change, sent by %s (its owner, an administrator)',
  (as) => {
    test('a change of the name leaves migrated redirect URIs unchanged', async () => {
      const { client } = await rename(as, await oldClient({ redirectUris: OLD_URIS }));
      expect(client).toMatchObject({ name: 'Prints anew', redirectUris: OLD_URIS });
    });

    test('an invalid redirect URI is refused beside migrated ones', async () => {
      const { after, client } = await rename(as, await oldClient({ redirectUris: OLD_URIS }), {
        redirect_uris: [...OLD_URIS, 'http://print.example/another'].join('\n'),
      });
      expect(after.status).toBe(422);
      expect(after.text).toContain('problem-summary');
      expect(after.text.match(/http:\/\/print\.example\/callback: /g)).toBeNull();
      expect(client).toMatchObject({ name: 'Prints', redirectUris: OLD_URIS });
    });

    test('a change of the name leaves scopes and grant types that the site no longer has', async () => {
      const old = {
        scopes: ['photos:read', 'faces'],
        grantTypes: ['authorization_code', 'urn:example:gift'],
      };
      const { client } = await rename(as, await oldClient(old));
      expect(client).toMatchObject({ name: 'Prints anew', ...old });
    });

    test('a scope that the site no longer has can be unticked, and no other client gets it', async () => {
      const old = { scopes: ['photos:read', 'faces'] };
      const { client } = await rename(as, await oldClient(old), { scope: 'photos:read' });
      expect(client).toMatchObject({ name: 'Prints anew', scopes: ['photos:read'] });
      const { after } = await rename(as, await oldClient({}), { scope: ['photos:read', 'faces'] });
      expect([after.status, after.text.includes('faces')]).toEqual([422, true]);
    });
  },
);

test('code can rename a client with an unknown scope, and cannot add a second unknown scope', async () => {
  const { clientId } = await oldClient({ scopes: ['faces'], redirectUris: OLD_URIS });
  expect(await app.clients.update(clientId, { name: 'By code' })).toMatchObject({
    name: 'By code',
    scopes: ['faces'],
    redirectUris: OLD_URIS,
  });
  await expect(app.clients.update(clientId, { scopes: ['faces', 'hands'] })).rejects.toThrow('hands');
});
