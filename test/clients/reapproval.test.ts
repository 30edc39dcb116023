import { beforeAll, describe, expect, test } from '@jest/globals';

import type { NewClient } from '../../lib/index.js';
import { editApplication } from '../support/applications.js';
import { createTestKey } from '../support/assertions.js';
import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { letPass } from '../support/clock.js';
import { DEVICE_CODE } from '../support/device.js';
import { hiddenFields, logInPerson, pageAfter, type Person, postForm } from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const OTHER_URI = 'https://other.example/callback';
const key = await createTestKey();

describe('with the option applications.approval', () => {
  const ROOT = '/oauth/applications';
  const people = {} as Record<'ada' | 'eve' | 'grace', Person>;
  /** Happens between the read and the write of a client that changes itself. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  const site = siteFor({
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE],
    people: { findByName: (text) => Promise.resolve({ id: text, name: text }) },
    applications: {
      approval: true,
      isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace',
    },
    registration: {
      open: true,
      grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE],
      async verifySoftwareStatement(statement) {
        await meanwhile?.();
        return { software_id: statement };
      },
    },
    openid: { claims: () => ({}) },
    pushedRequests: true,
    dpop: true,
    security: { rateLimits: false },
  });
  beforeAll(async () => {
    for (const name of ['ada', 'eve', 'grace'] as const) {
      people[name] = await logInPerson(site, name);
    }
  });

  const find = async (clientId: string) => (await site.oauth.clients.find(clientId))!;
  const isPending = async (clientId: string) => (await find(clientId)).awaitsApprovalSince !== undefined;
  const SELF = {
    ...METADATA,
    scope: 'profile photos:read',
    token_endpoint_auth_method: 'client_secret_basic',
  };
  /** A client that registered itself and was approved, with its way to change itself. */
  async function approvedSelf(metadata: object = SELF) {
    const registered = await register(site, metadata).expect(201);
    const clientId = registered.body.client_id as string;
    await site.oauth.clients.approve(clientId);
    let last = registered.body;
    return {
      clientId,
      put: async (changes: object) => {
        const answer = await manage(site, 'put', last, {
          ...metadata,
          client_id: clientId,
          ...changes,
        }).expect(200);
        last = { ...answer.body, client_id: clientId };
      },
    };
  }

  test.each([
    ['more scopes', { scope: 'profile photos:read photos:write' }],
    ['more grant types', { grant_types: [...METADATA.grant_types, DEVICE_CODE] }],
    ['a new name', { client_name: 'Other' }],
    ['one more redirect URI', { redirect_uris: [REDIRECT_URI, OTHER_URI] }],
    ['keys', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.publicJwk] } }],
    ['a jwks_uri', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://k.example/' }],
    ['another authentication method', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a logout redirect URI', { post_logout_redirect_uris: ['https://other.example/bye'] }],
    ['a logout URI', { backchannel_logout_uri: 'https://other.example/out' }],
    ['a login URI', { initiate_login_uri: 'https://other.example/in' }],
    ['another subject type', { subject_type: 'public' }],
    ['a duty of pushed requests', { require_pushed_authorization_requests: true }],
  ])('a client that gives itself %s awaits approval again (RFC 7592 §2.2)', async (_what, changes) => {
    const { clientId, put } = await approvedSelf();
    await put({});
    expect(await isPending(clientId)).toBe(false);
    await put(changes);
    expect(await isPending(clientId)).toBe(true);
    expect((await find(clientId)).changedSinceReview).not.toHaveLength(0);
    await site.oauth.clients.approve(clientId);
    expect((await find(clientId)).changedSinceReview).toBeUndefined();
  });

  test.each([
    ['fewer scopes', { scope: 'profile' }],
    ['fewer grant types', { grant_types: ['authorization_code'] }],
    ['scopes in another order', { scope: 'photos:read profile' }],
    ['grant types in another order', { grant_types: [...METADATA.grant_types].reverse() }],
    ['another algorithm', { id_token_signed_response_alg: 'RS256' }],
  ])('a client that gives itself %s keeps its approval', async (_what, changes) => {
    const { clientId, put } = await approvedSelf();
    await put(changes);
    await put({});
    expect(await isPending(clientId)).toBe(false);
  });

  test('a change by the host counts as new when the client next changes itself', async () => {
    const { clientId, put } = await approvedSelf();
    await site.oauth.clients.update(clientId, { redirectUris: [OTHER_URI] });
    expect(await isPending(clientId)).toBe(false);
    await put({});
    expect(await isPending(clientId)).toBe(true);
  });

  test('an approval in the middle of a change does not cover the changed fields', async () => {
    const registered = await register(site, { ...SELF, software_statement: 'one' }).expect(201);
    const clientId = registered.body.client_id as string;
    meanwhile = async () => {
      meanwhile = undefined;
      await site.oauth.clients.approve(clientId);
    };
    await manage(site, 'put', registered.body, {
      ...SELF,
      software_statement: 'one',
      client_id: clientId,
      scope: 'profile photos:write',
    }).expect(200);
    expect(await isPending(clientId)).toBe(true);
  });

  test('a client approved before digests existed awaits approval after its next change only', async () => {
    const { clientId, put } = await approvedSelf();
    await site.database.update('oauth_clients', clientId, { $unset: { review: 1 } });
    await put({ scope: 'profile' });
    expect(await isPending(clientId)).toBe(false);
    await put({ scope: 'profile photos:write' });
    expect(await isPending(clientId)).toBe(true);
    expect((await find(clientId)).changedSinceReview).toEqual(['scopes']);
  });

  const FIELDS = { scope: ['profile'], grant_type: ['authorization_code', 'refresh_token'] };
  async function edit(name: keyof typeof people, clientId: string, changes: object) {
    const { agent } = people[name];
    const form = await agent.get(`${ROOT}/${clientId}/edit`).expect(200);
    const answer = await editApplication(agent, clientId, { ...FIELDS, ...changes });
    expect(answer.status).toBe(303);
    return { form, page: await pageAfter(agent, answer) };
  }
  const owned = async (given: Partial<NewClient> = {}) =>
    (
      await site.client({
        ownerId: 'ada',
        scopes: ['profile'],
        grantTypes: FIELDS.grant_type,
        ...given,
      })
    ).clientId;

  test.each([
    ['scopes', { scope: ['profile', 'photos:read'] }, 'May ask for'],
    ['grant types', { grant_type: [...FIELDS.grant_type, DEVICE_CODE] }, 'Gets access by'],
    ['keys', { authentication: 'jwks', jwks: JSON.stringify({ keys: [key.publicJwk] }) }, 'Keys'],
    ['its description', { description: 'The official one' }, 'Description'],
    ['a logo elsewhere', { logo_uri: 'https://elsewhere.example/logo.png' }, 'Logo'],
  ])(
    'an owner reads that new %s end the verification, and an administrator reads the difference',
    async (_what, changes, label) => {
      const clientId = await owned({
        verified: true,
        scopes: ['profile', 'photos:read'],
        grantTypes: [...FIELDS.grant_type, DEVICE_CODE],
      });
      // a removal ends nothing
      await edit('ada', clientId, {});
      expect(await find(clientId)).toMatchObject({ verified: true, scopes: ['profile'] });
      await site.oauth.clients.update(clientId, { verified: true });
      const { form, page } = await edit('ada', clientId, changes);
      expect(form.text).toContain('id="application-verification-ends"');
      expect(form.text).toContain('id="application-approval-ends"');
      expect(page.text).toContain('The application waits for approval again');
      expect(page.text).not.toContain('application-changed');
      expect(await find(clientId)).toMatchObject({ verified: false });
      expect(await isPending(clientId)).toBe(true);
      const seen = (await people.grace.agent.get(`${ROOT}/${clientId}`)).text;
      expect(seen).toMatch(new RegExp(`last looked at it:[^\\n]*<bdi>${label}</bdi>`));
      expect((await people.ada.agent.get(`${ROOT}/${clientId}/edit`)).text).not.toContain('approval-ends');
    },
  );

  test('a change by an administrator leaves the client verified', async () => {
    const clientId = await owned({ verified: true });
    const { form } = await edit('grace', clientId, { scope: ['profile', 'photos:read'] });
    expect(form.text).not.toContain('approval-ends');
    expect(await find(clientId)).toMatchObject({ verified: true });
    expect(await isPending(clientId)).toBe(false);
  });

  async function accept(clientId: string, as: 'owner' | 'transfer') {
    const { agent } = people.ada;
    const page = await agent.get(`${ROOT}/${clientId}`);
    expect(page.text).toContain('As soon as somebody accepts, the application waits for approval again.');
    await postForm(agent, `${ROOT}/${clientId}/invite`, { ...hiddenFields(page), person: 'eve', as }).expect(
      303,
    );
    const requested = await people.eve.agent.get(`${ROOT}/${clientId}/invitation`);
    expect(requested.text).toContain(
      'As soon as somebody accepts, the application waits for approval again.',
    );
    await postForm(people.eve.agent, `${ROOT}/${clientId}/accept`, hiddenFields(requested)).expect(303);
  }

  test.each(['owner', 'transfer'] as const)('a new owner, as %s, ends the verification', async (as) => {
    const clientId = await owned({ verified: true });
    await accept(clientId, as);
    expect(await find(clientId)).toMatchObject({ verified: false });
    expect(await isPending(clientId)).toBe(true);
  });

  test('an owner whom the host adds, or who leaves, leaves the client verified', async () => {
    const clientId = await owned({ verified: true });
    await site.oauth.clients.addOwner(clientId, 'eve');
    await postForm(people.eve.agent, `${ROOT}/${clientId}/remove-owner`, {
      ...hiddenFields(await people.eve.agent.get(`${ROOT}/${clientId}`)),
      owner: 'eve',
    }).expect(303);
    expect(await find(clientId)).toMatchObject({ ownerId: 'ada', verified: true });
    expect(await isPending(clientId)).toBe(false);
  });
});

describe('a client that describes itself', () => {
  const documents = fixture(() => openDocumentServer());
  const site = siteFor({
    clientIdMetadataDocuments: { allowLoopback: true, trust: { verified: ['localhost'] } },
    security: { rateLimits: false },
  });
  const ada = fixture(() => logInPerson(site, 'ada'));
  const queryOf = (client_id: string) => ({
    response_type: 'code',
    client_id,
    redirect_uri: DEVICE_URI,
    scope: 'profile',
    state: 'xyz',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const given = { scope: 'profile photos:read' };

  test.each([
    ['/scopes.json', { scope: 'profile photos:read photos:write' }],
    ['/keys.json', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.publicJwk] } }],
    ['/page.json', { client_uri: 'https://elsewhere.example/' }],
  ])('a client verified by an administrator loses that once its document changes: %s', async (path, more) => {
    const clientId = documents.publish(path, given);
    await ada.authorize(queryOf(clientId));
    await site.oauth.clients.update(clientId, { verified: true });
    letPass(400);
    await ada.logIn('ada');
    expect((await ada.openAuthorize(queryOf(clientId))).text).toContain('>Verified<');
    documents.publish(path, { ...given, ...more });
    letPass(400);
    await ada.logIn('ada');
    expect((await ada.openAuthorize(queryOf(clientId))).text).not.toContain('>Verified<');
    expect(await site.oauth.clients.find(clientId)).toMatchObject({ verified: false });
  });

  test('a client of a verified host stays verified when its document changes', async () => {
    const clientId = documents.publish('/of-host.json', given, { host: 'localhost' });
    await ada.authorize(queryOf(clientId));
    documents.publish('/of-host.json', { scope: 'photos:write profile' }, { host: 'localhost' });
    letPass(400);
    await ada.logIn('ada');
    expect((await ada.openAuthorize(queryOf(clientId))).text).toContain('>Verified<');
  });
});
