import { describe, expect, jest, test } from '@jest/globals';

import { aroundNext } from '../support/meanwhile.js';
import {
  codeQuery,
  createPerson,
  hiddenFields,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
} from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

const ROOT = '/oauth/applications';

describe('changes of a client at the same moment', () => {
  const site = siteFor({
    applications: {
      isAdministrator: ({ user }) => (user as unknown as { id: string } | undefined)?.id !== 'bob',
    },
    security: { rateLimits: false },
    registration: { open: true },
  });

  /** Does something between the next read of a client and the use of the result. */
  const afterNextLook = (happens: () => Promise<unknown>) =>
    aroundNext(site.oauth.models.Client as never, 'findOne', { after: happens });

  test('two updates of a client at once keep both changes', async () => {
    const { clientId } = await site.client({ introspection: true, accessTokenTtl: 60 });
    afterNextLook(() => site.oauth.clients.update(clientId, { introspection: false, accessTokenTtl: 30 }));
    await site.oauth.clients.update(clientId, { name: 'Renamed' });
    expect(await site.oauth.clients.find(clientId)).toMatchObject({
      name: 'Renamed',
      introspection: false,
      accessTokenTtl: 30,
    });
  });

  test('many updates of a client at once are all stored', async () => {
    const { clientId } = await site.client();
    await Promise.all([
      site.oauth.clients.update(clientId, { name: 'Renamed' }),
      site.oauth.clients.update(clientId, { accessTokenTtl: 30 }),
      site.oauth.clients.update(clientId, { refreshTokenTtl: 300 }),
      site.oauth.clients.update(clientId, { scopes: ['profile'] }),
      site.oauth.clients.update(clientId, { introspection: true }),
    ]);
    expect(await site.oauth.clients.find(clientId)).toMatchObject({
      name: 'Renamed',
      accessTokenTtl: 30,
      refreshTokenTtl: 300,
      scopes: ['profile'],
      introspection: true,
    });
  });

  test('an update of a client is checked against a change at the same moment', async () => {
    const { clientId } = await site.client({ introspection: true });
    afterNextLook(() => site.oauth.clients.update(clientId, { introspection: false }));
    await expect(site.oauth.clients.update(clientId, { resources: [site.url] })).rejects.toThrow(
      'it needs introspection: true',
    );
    expect((await site.oauth.clients.find(clientId))?.resources).toBeUndefined();
  });

  test('an update of a client that is deleted at the same moment does not bring it back', async () => {
    const { clientId } = await site.client();
    afterNextLook(() => site.oauth.clients.delete(clientId));
    expect(await site.oauth.clients.update(clientId, { name: 'Renamed' })).toBeNull();
    expect(await site.oauth.clients.find(clientId)).toBeNull();
  });

  test('a verification fails if the application changes after the page was opened', async () => {
    const { clientId } = await site.client({ ownerId: 'grace' });
    const person = await logInPerson(site);
    const page = await person.agent.get(`${ROOT}/${clientId}`).expect(200);
    // the request compares with what it reads first; after that read the owner changes it
    afterNextLook(() => site.oauth.clients.update(clientId, { redirectUris: ['https://evil.example/cb'] }));
    const answer = await postForm(person.agent, `${ROOT}/${clientId}/verify`, {
      ...hiddenFields(page),
      verified: 'true',
    });
    expect((await pageAfter(person.agent, answer)).text).toContain('so nothing was done');
    expect(await site.oauth.clients.find(clientId)).toMatchObject({
      redirectUris: ['https://evil.example/cb'],
    });
    expect((await site.oauth.clients.find(clientId))?.verified).not.toBe(true);
  });

  test('a client that the host verifies during its request cannot change or delete itself', async () => {
    for (const method of ['put', 'delete'] as const) {
      const { body: client } = await register(site);
      afterNextLook(() => site.oauth.clients.update(client.client_id, { verified: true }));
      const change = { ...METADATA, client_id: client.client_id, client_name: 'Another' };
      const answer = await manage(site, method, client, method === 'put' ? change : undefined);
      expect([method, answer.status]).toEqual([method, 401]);
      expect(await site.oauth.clients.find(client.client_id)).toMatchObject({
        name: METADATA.client_name,
        verified: true,
      });
    }
  });

  test('the form of an application is refused once the host has made it trusted', async () => {
    const { clientId } = await site.client({ ownerId: 'ada' });
    const person = await logInPerson(site);
    const page = await person.agent.get(`${ROOT}/${clientId}/edit`).expect(200);
    afterNextLook(() => site.oauth.clients.update(clientId, { trusted: true }));
    const answer = await postForm(person.agent, `${ROOT}/${clientId}/edit`, {
      ...hiddenFields(page),
      name: 'Printing shop',
      redirect_uris: 'https://evil.example/cb',
      scope: ['profile'],
      grant_type: ['authorization_code'],
    });
    expect((await pageAfter(person.agent, answer)).text).toContain('so nothing was done');
    expect(await site.oauth.clients.find(clientId)).toMatchObject({
      trusted: true,
      redirectUris: [REDIRECT_URI],
    });
  });

  const ELSEWHERE = 'https://evil.example/cb';
  const allowedBy = async (person: Person, clientId: string) => {
    await person.logIn('bob');
    await person.authorize(codeQuery(clientId));
  };
  const failToForget = () =>
    jest.spyOn(site.oauth.models.Consent, 'deleteMany').mockImplementationOnce(() => {
      throw new Error('not primary');
    });
  const isRequested = async (person: Person, clientId: string) =>
    (await person.openAuthorize({ response_type: 'code', client_id: clientId, redirect_uri: ELSEWHERE }))
      .status;

  test('a client cannot change its identity while its consents cannot be deleted', async () => {
    const metadata = { ...METADATA, client_name: 'Frame keeper' };
    const { body: client } = await register(site, metadata);
    const person = createPerson(site);
    await allowedBy(person, client.client_id);
    const change = { ...metadata, client_id: client.client_id, redirect_uris: [ELSEWHERE] };
    const spy = failToForget();
    expect((await manage(site, 'put', client, change)).status).toBe(500);
    spy.mockRestore();
    expect(await isRequested(person, client.client_id)).toBe(400);
    expect((await manage(site, 'put', client, change)).status).toBe(200);
    expect(await isRequested(person, client.client_id)).toBe(200);
  });

  test("an owner cannot change a client's identity while its consents cannot be deleted", async () => {
    const { clientId, name } = await site.client({ ownerId: 'bob' });
    const person = createPerson(site);
    await allowedBy(person, clientId);
    const edit = async () => {
      const page = await person.agent.get(`${ROOT}/${clientId}/edit`).expect(200);
      const form = { name, redirect_uris: ELSEWHERE, scope: ['profile'], grant_type: ['authorization_code'] };
      return postForm(person.agent, `${ROOT}/${clientId}/edit`, { ...hiddenFields(page), ...form });
    };
    const spy = failToForget();
    expect((await edit()).status).toBe(500);
    spy.mockRestore();
    expect(await isRequested(person, clientId)).toBe(400);
    expect((await edit()).status).toBe(303);
    expect(await isRequested(person, clientId)).toBe(200);
  });
});
