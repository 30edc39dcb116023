import { setTimeout } from 'node:timers/promises';

import { describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';

import { createTestKey, JWT_BEARER, signAssertion } from '../../support/assertions.js';
import { DEVICE_URI, openDocumentServer } from '../../support/client-documents.js';
import { letPass } from '../../support/clock.js';
import { logInPerson } from '../../support/person.js';
import { openSite, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, postToken } from '../../support/tokens.js';

let count = 0;

const documents = fixture(() => openDocumentServer());
const site = siteFor({
  clientIdMetadataDocuments: { allowLoopback: true, trust: { verified: ['localhost'] } },
  security: { rateLimits: false },
});
const ada = fixture(() => logInPerson(site));

/** A redirect URI at the web server of the client, where the server remembers consent. */
const webUri = () => `https://127.0.0.1:${documents.port}/callback`;
const isConsented = async (clientId: string) =>
  (await open(clientId, { redirect_uri: webUri() })).headers.location?.includes('code=') === true;
const nextPath = () => `/client-${(count += 1)}.json`;
const stored = (clientId: string) =>
  site.database
    .collection<{ _id: string; updatedAt?: Date; document?: { fetchedAt: Date } }>('oauth_clients')
    .findOne({ _id: clientId });
const queryFor = (clientId: string, query: Readonly<Record<string, string>> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: DEVICE_URI,
  scope: 'photos:read',
  state: 'xyz',
  ...pkce.challenge,
  ...query,
});
const pkce = createPkce();
const open = (clientId: string, query = {}) => ada.openAuthorize(queryFor(clientId, query));
const allow = async (clientId: string, query = {}) => {
  const code = (await ada.authorize(queryFor(clientId, query))).searchParams.get('code');
  if (code === null) throw new Error('no code');
  return code;
};
const redeem = (clientId: string, code: string, fields = {}) =>
  postToken(site, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: DEVICE_URI,
    code_verifier: pkce.code_verifier,
    ...fields,
  });
const refresh = (clientId: string, token: string) =>
  postToken(site, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });

describe('§5 unregistered clients', () => {
  test('§5, §4.2 a client with a metadata document gets tokens at a redirect URI of the document [5-1] [4.2-1] [3-5]', async () => {
    const clientId = documents.publish(nextPath());
    const { body, status } = await redeem(clientId, await allow(clientId));
    expect(status).toBe(200);
    const me = await request(site.server).get('/api/me').set('Authorization', `Bearer ${body.access_token}`);
    expect(me.body).toMatchObject({ clientId, userId: 'ada', scopes: ['photos:read'] });
    const refreshed = await refresh(clientId, body.refresh_token);
    expect(refreshed.status).toBe(200);
  });

  test('§4.2 a client is not redirected to a URI outside its metadata document [4.2-1]', async () => {
    const clientId = documents.publish(nextPath());
    const page = await open(clientId, { redirect_uri: 'http://127.0.0.1:7777/other' });
    expect([page.status, page.headers.location]).toEqual([400, undefined]);
  });

  test('a client with a metadata document is stored only after a person allows it', async () => {
    const clientId = documents.publish(nextPath());
    const page = await open(clientId);
    expect(page.status).toBe(200);
    expect(await stored(clientId)).toBeNull();
    await ada.choose(page, { decision: 'deny' });
    expect(await stored(clientId)).toBeNull();
    await allow(clientId);
    expect(await stored(clientId)).toMatchObject({
      name: new URL(clientId).host,
      expiresAt: expect.any(Date),
    });
  });

  test('the consent page shows the host and the client_id of an unverified client, not its client_name [8.5-1] [8.5-3]', async () => {
    const clientId = documents.publish(nextPath(), { client_name: 'Photo Site Support' });
    const { text } = await open(clientId);
    expect(text).toContain(new URL(clientId).host);
    expect(text).toContain(`<code>${clientId}</code>`);
    expect(text).not.toContain('Photo Site Support');
    expect(text).toContain('id="client-unverified"');
  });

  test('the consent page shows the client_name of a client from a verified domain', async () => {
    const clientId = documents.publish(nextPath(), {}, { host: 'localhost' });
    const { text } = await open(clientId);
    expect(text).toContain('Inkwell Printing');
    expect(text).toContain('id="client-verified"');
    await allow(clientId);
    // verification is an option, so the client is not stored as verified
    expect(await stored(clientId)).not.toHaveProperty('verified');
  });

  test('the consent page shows the host again once the domain of a client is no longer verified', async () => {
    const clientId = documents.publish(nextPath(), {}, { host: 'localhost' });
    await allow(clientId);
    await using later = await openSite({
      database: site.database,
      issuer: site.url,
      clientIdMetadataDocuments: { allowLoopback: true },
    });
    const person = await logInPerson(later);
    const { text } = await person.openAuthorize(queryFor(clientId));
    expect(text).toContain(new URL(clientId).host);
    expect(text).not.toContain('Inkwell Printing');
  });

  test('a client with a metadata document is refused once the site no longer accepts such documents', async () => {
    const clientId = documents.publish(nextPath());
    const { body } = await redeem(clientId, await allow(clientId));
    await using later = await openSite({ database: site.database, issuer: site.url });
    const person = await logInPerson(later);
    expect((await person.openAuthorize(queryFor(clientId))).status).toBe(400);
    const token = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token };
    expect((await postToken(later, token)).body.error).toBe('invalid_client');
  });

  test('the consent page warns of a redirect URI on the device', async () => {
    const clientId = documents.publish(nextPath());
    expect((await open(clientId)).text).toContain('id="client-on-device"');
    const web = documents.publish(nextPath(), { redirect_uris: [webUri()] });
    const page = await open(web, { redirect_uri: webUri() });
    expect([page.status, page.text.includes('id="client-on-device"')]).toEqual([200, false]);
  });

  test('§8.8 the consent page loads the logo of a client from this site, not from the server of the client [8.8-1]', async () => {
    const logo = { logo_uri: documents.url('/logo.png') };
    const clientId = documents.publish(nextPath(), logo, { host: 'localhost' });
    const { text } = await open(clientId);
    expect(text).toContain('<img src="/oauth/client-logo?');
    expect(text).not.toContain('logo.png');
    expect(documents.requests).not.toContain('/logo.png');
  });

  test('a person can see and disconnect a connected client while its server is unreachable', async () => {
    const path = nextPath();
    const clientId = documents.publish(path);
    const { body } = await redeem(clientId, await allow(clientId));
    documents.answer(path, (_req, res) => res.destroy());
    letPass(1000);
    const page = await ada.agent.get(`/oauth/authorizations/${encodeURIComponent(clientId)}`);
    expect([page.status, page.text.includes(clientId)]).toEqual([200, true]);
    await site.oauth.grants.revoke({ userId: 'ada', clientId });
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('a client that an administrator has blocked is refused and stays in the database', async () => {
    const clientId = documents.publish(nextPath());
    const { body } = await redeem(clientId, await allow(clientId));
    await site.oauth.clients.block(clientId);
    expect((await open(clientId)).status).toBe(400);
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('unauthorized_client');
    expect(await stored(clientId)).not.toHaveProperty('expiresAt');
  });

  test('§7.2 the client document of a client_id that the site has registered itself is not fetched [7.2-1]', async () => {
    const clientId = documents.publish(nextPath());
    await site.client({ clientId, type: 'public', name: 'Registered', redirectUris: [DEVICE_URI] });
    const before = documents.requests.length;
    expect((await open(clientId)).text).toContain('Registered');
    expect(documents.requests).toHaveLength(before);
  });

  test('§6 the metadata has client_id_metadata_document_supported only if the site accepts documents [6-1]', async () => {
    const metadataOf = async ({ server }: Site) =>
      (await request(server).get('/.well-known/oauth-authorization-server')).body as object;
    expect(await metadataOf(site)).toMatchObject({ client_id_metadata_document_supported: true });
    await using without = await openSite();
    expect(await metadataOf(without)).not.toHaveProperty('client_id_metadata_document_supported');
    const person = await logInPerson(without);
    const before = documents.requests.length;
    expect((await person.openAuthorize(queryFor(documents.publish(nextPath())))).status).toBe(400);
    expect(documents.requests).toHaveLength(before);
  });

  test('§7.1 a generated client_id is not a URL [7.1-1]', async () => {
    expect((await site.client()).clientId).not.toMatch(/^https?:/);
  });
});

describe('§8.2 a client with keys', () => {
  const keyed = async () => {
    const key = await createTestKey();
    const path = nextPath();
    const clientId = documents.publish(path, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key.publicJwk] },
    });
    return { key, path, clientId };
  };
  const proof = async (clientId: string, key: Awaited<ReturnType<typeof createTestKey>>) => ({
    client_assertion_type: JWT_BEARER,
    client_assertion: await signAssertion(site, clientId, key),
  });

  test('a client with keys in its document authenticates with these keys, and is refused otherwise [8.2-2]', async () => {
    const { clientId, key } = await keyed();
    const code = await allow(clientId);
    expect((await redeem(clientId, code)).body.error).toBe('invalid_client');
    const other = await createTestKey();
    expect((await redeem(clientId, code, await proof(clientId, other))).body.error).toBe('invalid_client');
    expect((await redeem(clientId, code, await proof(clientId, key))).status).toBe(200);
  });

  test('§8.4.1 a client authenticates with a new key once its document is fetched again', async () => {
    const { clientId, path } = await keyed();
    await allow(clientId);
    const next = await createTestKey();
    documents.publish(path, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [next.publicJwk] },
    });
    letPass(400);
    await ada.logIn();
    const code = await allow(clientId);
    const { body } = await redeem(clientId, code, await proof(clientId, next));
    expect(body).toHaveProperty('access_token');
  });

  test('a client with keys and without token_endpoint_auth_method has to use its keys', async () => {
    const key = await createTestKey();
    const clientId = documents.publish(nextPath(), {
      token_endpoint_auth_method: undefined,
      jwks: { keys: [key.publicJwk] },
    });
    const code = await allow(clientId);
    expect((await redeem(clientId, code)).body.error).toBe('invalid_client');
  });
});

describe('§5.2 the cache of documents', () => {
  const fetchesOf = (path: string) => documents.requests.filter((url) => url === path).length;

  test.each([
    ['is cached as long as its max-age', { 'cache-control': 'max-age=1000' }, 900, 1],
    ['is fetched again after its max-age', { 'cache-control': 'max-age=1000' }, 1100, 2],
    ['is cached for five minutes despite no-store', { 'cache-control': 'no-store' }, 200, 1],
    ['is fetched again after five minutes with no-store', { 'cache-control': 'no-store' }, 301, 2],
    ['is cached for a day if its max-age is longer', { 'cache-control': 'max-age=31536000' }, 86_000, 1],
    ['is fetched again after a day at the latest', { 'cache-control': 'max-age=31536000' }, 86_401, 2],
  ])('§5.2, §9.1 a document %s [5.2-1] [5.2-2] [5-2] [9.1-1]', async (_name, headers, seconds, fetches) => {
    const path = nextPath();
    const clientId = documents.publish(path, {}, { headers });
    await open(clientId);
    letPass(seconds);
    await ada.logIn();
    await open(clientId);
    expect(fetchesOf(path)).toBe(fetches);
  });

  test('§5.2 a failed fetch of a client document is not cached [5.2-3]', async () => {
    const path = nextPath();
    const clientId = documents.publish(path, {}, { status: 503 });
    expect((await open(clientId)).status).toBe(400);
    documents.publish(path);
    expect((await open(clientId)).status).toBe(200);
  });

  test('§5.2 an invalid client document is not cached [5.2-4]', async () => {
    const path = nextPath();
    const clientId = documents.publish(path, { redirect_uris: 'none' });
    expect((await open(clientId)).status).toBe(400);
    documents.publish(path);
    expect((await open(clientId)).status).toBe(200);
  });

  test('concurrent requests fetch a client metadata document once', async () => {
    const path = nextPath();
    const clientId = documents.publish(path);
    await Promise.all(Array.from({ length: 8 }, () => open(clientId)));
    expect(fetchesOf(path)).toBe(1);
  });

  test('a client document that another process has stored is not fetched again', async () => {
    const path = nextPath();
    const clientId = documents.publish(path);
    await allow(clientId);
    await using second = await openSite({
      database: site.database,
      issuer: site.url,
      clientIdMetadataDocuments: { allowLoopback: true },
    });
    const person = await logInPerson(second);
    expect((await person.openAuthorize(queryFor(clientId))).status).toBe(200);
    expect(fetchesOf(path)).toBe(1);
  });
});

describe('§8.4 a document that changes', () => {
  test('people are asked for consent again after a client document adds a redirect URI', async () => {
    const path = nextPath();
    const clientId = documents.publish(path, { redirect_uris: [webUri()] });
    await allow(clientId, { redirect_uri: webUri() });
    expect(await isConsented(clientId)).toBe(true);
    documents.publish(path, { redirect_uris: [webUri(), DEVICE_URI] });
    letPass(400);
    await ada.logIn();
    expect(await isConsented(clientId)).toBe(false);
    expect(await stored(clientId)).toMatchObject({ redirectUris: [webUri(), DEVICE_URI] });
  });

  /** An allowed client that then changes the redirect URI in its document. */
  const changed = async () => {
    const path = nextPath();
    const clientId = documents.publish(path, { redirect_uris: [webUri()] });
    await allow(clientId, { redirect_uri: webUri() });
    const redirect_uri = documents.url('/elsewhere').replace('http:', 'https:');
    documents.publish(path, { redirect_uris: [redirect_uri] });
    letPass(400);
    await ada.logIn();
    return { clientId, redirect_uri };
  };

  test('each of many concurrent requests asks for consent after a redirect URI has changed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { clientId, redirect_uri } = await changed();
      const answers = await Promise.all(
        Array.from({ length: 12 }, async (_each, index) => {
          await setTimeout(2 * index);
          return open(clientId, { redirect_uri });
        }),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
  });

  test('a changed client document is not stored if earlier consents cannot be deleted', async () => {
    const { clientId, redirect_uri } = await changed();
    const spy = jest.spyOn(site.oauth.models.Consent, 'deleteMany').mockImplementationOnce(() => {
      throw new Error('not primary');
    });
    expect((await open(clientId, { redirect_uri })).status).toBe(500);
    spy.mockRestore();
    expect((await open(clientId, { redirect_uri })).status).toBe(200);
  });

  test('a changed redirect URI voids earlier consents even if the stored client expired before', async () => {
    const { clientId, redirect_uri } = await changed();
    const bob = await logInPerson(site, 'bob');
    const query = queryFor(clientId, { redirect_uri });
    const consents = site.database.collection('oauth_consents');
    const { _id, ...before } = (await consents.findOne({ clientId }))!;
    await consents.insertOne({ ...before, userId: 'bob' });
    // like the TTL index on expiresAt
    await site.database.collection<{ _id: string }>('oauth_clients').deleteOne({ _id: clientId });
    expect((await open(clientId, { redirect_uri })).status).toBe(200);
    await ada.authorize({ ...query, scope: 'photos:write' });
    expect((await ada.openAuthorize({ ...query, scope: 'photos:write' })).status).toBe(302);
    // earlier consents of this person and of others are void
    expect((await open(clientId, { redirect_uri })).status).toBe(200);
    expect((await bob.openAuthorize(query)).status).toBe(200);
  });

  test('people are not asked again after a client document is fetched without changes', async () => {
    const path = nextPath();
    const clientId = documents.publish(path, { redirect_uris: [webUri()] });
    await allow(clientId, { redirect_uri: webUri() });
    const before = await stored(clientId);
    letPass(400);
    await ada.logIn();
    expect(await isConsented(clientId)).toBe(true);
    const after = await stored(clientId);
    expect(after?.document?.fetchedAt.getTime()).toBeGreaterThan(
      before?.document?.fetchedAt.getTime() ?? Infinity,
    );
    expect(after?.updatedAt).toEqual(before?.updatedAt);
  });

  test('a decision is not accepted if the client document has changed since the consent page', async () => {
    const path = nextPath();
    const clientId = documents.publish(path, { client_name: 'One name' }, { host: 'localhost' });
    const page = await open(clientId);
    documents.publish(path, { client_name: 'Another name' }, { host: 'localhost' });
    letPass(400);
    await ada.logIn();
    const answer = await ada.choose(page);
    expect(answer.headers.location).toBeUndefined();
    expect(await stored(clientId)).toBeNull();
  });

  test('settings that the site has changed for a client survive a new client document', async () => {
    const path = nextPath();
    const clientId = documents.publish(path);
    await allow(clientId);
    await site.oauth.clients.update(clientId, { scopes: ['photos:read'], accessTokenTtl: 60 });
    documents.publish(path, { client_uri: `https://127.0.0.1/`, scope: 'photos:read photos:write' });
    letPass(400);
    await ada.logIn();
    await open(clientId);
    expect(await stored(clientId)).toMatchObject({ scopes: ['photos:read'], accessTokenTtl: 60 });
  });

  test('a client whose document is gone gets no new authorization, and loses its grants after a day [5.1-1]', async () => {
    const path = nextPath();
    const clientId = documents.publish(path);
    const first = await redeem(clientId, await allow(clientId));
    documents.answer(path, (_req, res) => res.writeHead(404).end());
    letPass(400);
    await ada.logIn();
    const page = await open(clientId);
    expect([page.status, page.text.includes('could not be fetched')]).toEqual([400, true]);
    const second = await refresh(clientId, first.body.refresh_token);
    expect(second.status).toBe(200);
    letPass(86_400);
    expect((await refresh(clientId, second.body.refresh_token)).body.error).toBe('invalid_client');
  });
});
