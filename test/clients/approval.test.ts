import { describe, expect, test } from '@jest/globals';

import { clientIdIn, editApplication, registerApplication, ROOT, secretIn } from '../support/applications.js';
import { DEVICE_CODE, deviceRequest, personOf, poll, startDevice, typeCode } from '../support/device.js';
import {
  codeQuery,
  createPerson,
  hiddenFields,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
} from '../support/person.js';
import { asClient, manage, METADATA, register } from '../support/registration.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { obtainTokens, tokenRequest } from '../support/tokens.js';

const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  DEVICE_CODE,
] as const;
const site = siteFor({
  grantTypes: GRANT_TYPES,
  applications: {
    approval: true,
    grantTypes: [...GRANT_TYPES],
    isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace',
  },
  registration: { open: true },
  security: { rateLimits: false },
});

const logIn = (name: string): Promise<Person> => logInPerson(site, name);
const FIELDS = { scope: ['photos:read', 'profile'], grant_type: [...GRANT_TYPES] };

/** An application that a person has registered on the page, with its secret. */
async function registerOnPage(name = 'ada') {
  const { agent } = await logIn(name);
  const page = await registerApplication(agent, FIELDS);
  const client = await site.oauth.clients.find(clientIdIn(page));
  if (client === null) throw new Error('it is not registered');
  return { ...client, clientSecret: secretIn(page) ?? '' };
}
const queryOf = (clientId: string, more = {}) =>
  codeQuery(clientId, { scope: 'profile', state: 'xyz', ...more });
const isPending = async (clientId: string) =>
  (await site.oauth.clients.find(clientId))?.awaitsApprovalSince !== undefined;

describe('with the option applications.approval', () => {
  test('a developer’s new application awaits approval, and its owner can try it', async () => {
    const client = await registerOnPage();
    expect(client.awaitsApprovalSince).toEqual(client.createdAt);
    expect((await obtainTokens(site, client, { query: { scope: 'profile' } })).access_token).toBeDefined();
    expect((await (await logIn('ada')).agent.get(`${ROOT}/${client.clientId}`)).text).toContain(
      'id="application-awaits-approval"',
    );
  });

  test.each([{}, { prompt: 'none' }, { scope: 'bogus' }])(
    'a client that awaits approval is a page for other users, without a redirect (%j)',
    async (more) => {
      const { clientId } = await registerOnPage();
      const page = await (await logIn('grace')).openAuthorize(queryOf(clientId, more));
      expect(page.status).toBe(400);
      expect(page.headers.location).toBeUndefined();
      expect(page.text).toContain('This app is not approved yet');
      expect(page.text).toContain('Printing shop');
    },
  );

  test('a client that awaits approval is a page after the login; prompt=none never redirects', async () => {
    const { clientId } = await registerOnPage();
    const stranger = createPerson(site);
    expect((await stranger.openAuthorize(queryOf(clientId))).headers.location).toMatch(/^\/login/);
    const silent = await stranger.openAuthorize(queryOf(clientId, { prompt: 'none' }));
    expect(silent.status).toBe(400);
    expect(silent.headers.location).toBeUndefined();
  });

  test('an open consent page decides nothing once its client awaits approval again', async () => {
    const client = await registerOnPage();
    await site.oauth.clients.approve(client.clientId);
    const grace = await logIn('grace');
    const page = await grace.openAuthorize(queryOf(client.clientId));
    expect(page.status).toBe(200);
    await makePending(client.clientId);
    const answer = await grace.choose(page);
    expect(answer.status).toBe(400);
    expect(answer.headers.location).toBeUndefined();
  });

  test('a client that awaits approval gets tokens for its owner only', async () => {
    const client = await registerOnPage();
    const refused = { status: 400, body: { error: 'unauthorized_client' } };
    expect(await tokenRequest(site, client, { grant_type: 'client_credentials' })).toMatchObject(refused);
    const password = (username: string) =>
      tokenRequest(site, client, {
        grant_type: 'password',
        username,
        password: `password of ${username}`,
        scope: 'profile',
      });
    expect(await password('grace')).toMatchObject(refused);
    expect((await password('ada')).status).toBe(200);
    await expect(
      site.oauth.grants.create({ clientId: client.clientId, userId: 'grace', scopes: ['profile'] }),
    ).rejects.toMatchObject({ error: 'unauthorized_client' });
    await site.oauth.clients.approve(client.clientId);
    expect((await tokenRequest(site, client, { grant_type: 'client_credentials' })).status).toBe(200);
    expect((await password('grace')).status).toBe(200);
  });

  test('a device of a client that awaits approval is allowed by its owner alone', async () => {
    const client = await registerOnPage();
    const authorization = await startDevice(site, client, { scope: 'profile' });
    const theirs = await typeCode(await personOf(site, 'grace'), authorization.user_code);
    expect(theirs.status).toBe(400);
    expect(theirs.text).toContain('not approved yet');
    const own = await typeCode(await personOf(site, 'ada'), authorization.user_code);
    expect(own.status).toBe(200);
    expect(own.text).toContain('Printing shop');
    expect((await poll(site, client, authorization)).body.error).toBe('authorization_pending');
    expect((await deviceRequest(site, client)).status).toBe(200);
  });

  test('an approval fails if the application has changed since the page', async () => {
    const { clientId } = await registerOnPage();
    const { agent } = await logIn('grace');
    const before = hiddenFields(await agent.get(`${ROOT}/${clientId}`));
    await site.oauth.clients.update(clientId, { name: 'Another name' });
    const late = await postForm(agent, `${ROOT}/${clientId}/approve`, before).expect(303);
    expect((await pageAfter(agent, late)).text).toContain('so nothing was done');
    expect(await isPending(clientId)).toBe(true);
    const form = hiddenFields(await agent.get(`${ROOT}/${clientId}`));
    const done = await postForm(agent, `${ROOT}/${clientId}/approve`, form).expect(303);
    const page = await agent.get(String(done.headers.location));
    expect(page.text).toContain('The application is approved.');
    expect(page.text).not.toContain('id="application-approve"');
    expect(await isPending(clientId)).toBe(false);
    await postForm(agent, `${ROOT}/${clientId}/approve`, form).expect(303);
    expect(
      (await (await logIn('grace')).authorize(queryOf(clientId))).searchParams.get('code'),
    ).not.toBeNull();
  });

  test('an owner who is an administrator cannot approve that application', async () => {
    const { clientId } = await registerOnPage();
    const { agent } = await logIn('ada');
    const page = await agent.get(`${ROOT}/${clientId}`);
    expect(page.text).not.toContain('application-approve');
    const seen = (await site.oauth.clients.find(clientId))?.updatedAt.toISOString();
    const form = { ...hiddenFields(page), seen };
    await postForm(agent, `${ROOT}/${clientId}/approve`, form).expect(404);
    expect(await isPending(clientId)).toBe(true);
  });

  test('an application awaits approval again after a new redirect URI, not after a new name', async () => {
    const { clientId } = await registerOnPage();
    await site.oauth.clients.approve(clientId);
    const { agent } = await logIn('ada');
    const edit = async (fields: object) => {
      expect((await editApplication(agent, clientId, { ...FIELDS, ...fields })).status).toBe(303);
    };
    await edit({ scope: ['profile'] });
    expect(await isPending(clientId)).toBe(false);
    await edit({ redirect_uris: 'https://other.example/callback' });
    expect(await isPending(clientId)).toBe(true);
  });

  test('applications by code, by administrators or of verified clients await no approval', async () => {
    expect((await site.client({ ownerId: 'ada' })).awaitsApprovalSince).toBeUndefined();
    expect((await registerOnPage('grace')).awaitsApprovalSince).toBeUndefined();
    for (const word of [{ verified: true }, { trusted: true }]) {
      const { clientId } = await registerOnPage();
      await site.oauth.clients.update(clientId, { name: 'Another name' });
      expect(await isPending(clientId)).toBe(true);
      await site.oauth.clients.update(clientId, word);
      expect(await isPending(clientId)).toBe(false);
    }
    expect(await site.oauth.clients.approve('nobody')).toBeNull();
  });

  test('a client that registered itself awaits approval, again after a change (RFC 7592 §2.2)', async () => {
    const { body } = await register(site).expect(201);
    const client = await asClient(site, body);
    expect(client.awaitsApprovalSince).toBeDefined();
    for (const name of ['ada', 'grace'])
      expect((await (await logIn(name)).openAuthorize(queryOf(client.clientId))).status).toBe(400);
    await site.oauth.clients.approve(client.clientId);
    expect((await (await logIn('ada')).openAuthorize(queryOf(client.clientId))).status).toBe(200);
    const put = (of: typeof body, more = {}) =>
      manage(site, 'put', of, { ...METADATA, client_id: client.clientId, ...more }).expect(200);
    const same = await put(body);
    expect(await isPending(client.clientId)).toBe(false);
    const other = await put(same.body, { redirect_uris: ['https://other.example/callback'] });
    expect(await isPending(client.clientId)).toBe(true);
    // the change back is a change, too
    await put(other.body);
    expect(await isPending(client.clientId)).toBe(true);
  });

  /** The state after its owner's change of a redirect URI. */
  async function makePending(clientId: string): Promise<void> {
    await site.database.update('oauth_clients', clientId, { $set: { awaitsApprovalSince: new Date() } });
  }
});

test('without applications.approval no client awaits approval', async () => {
  await using open = await openSite({ registration: { open: true } });
  const { body } = await register(open).expect(201);
  expect((await open.oauth.clients.find(body.client_id))?.awaitsApprovalSince).toBeUndefined();
});
