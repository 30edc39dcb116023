import { describe, expect, test } from '@jest/globals';

import { createTestKey, postAssertion, signAssertion } from '../support/assertions.js';
import { openDocumentServer } from '../support/client-documents.js';
import { register } from '../support/registration.js';
import { type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const PRIVATE = 'https://10.255.255.1/admin';
const NOT_REQUESTED = 'is not on the public internet';
const BY_KEYS = { tokenEndpointAuthMethod: 'private_key_jwt' };
const KEYS = { token_endpoint_auth_method: 'private_key_jwt', redirect_uris: ['https://print.example/cb'] };

/**
 * A host may let its clients use addresses in its network; clients that nobody there has registered may not. Their
 * sectors and requests are in attacks/fetches-of-strangers.
 */
describe('addresses from a stranger', () => {
  const options = {
    clientAuthentication: { allowPrivateAddresses: true },
    registration: { open: true, maxClients: 100 },
    openid: { claims: () => ({}), pairwiseSalt: 'a salt of the test site, long enough to be one' },
    signedRequests: { byReference: true },
    security: { rateLimits: false },
  } as const;
  const documents = fixture(openDocumentServer);
  const key = fixture(() => createTestKey());
  const site = siteFor({ ...options, clientIdMetadataDocuments: { allowLoopback: true } });
  const open = siteFor({ ...options, issuer: 'https://photos.example' });

  const send = async (at: Site, clientId: string) => {
    const claims = { aud: at === open ? 'https://photos.example' : at.url };
    const assertion = await signAssertion(at, clientId, key, { claims });
    const { body } = await postAssertion(at, assertion);
    return [(body as { error: string }).error, at.errors.at(-1)?.detail];
  };

  test('keys of a metadata document at a private address are not fetched [8.6-1]', async () => {
    const clientId = documents.publish('/private.json', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: PRIVATE,
    });
    expect(await send(site, clientId)).toEqual(['invalid_client', expect.stringContaining(NOT_REQUESTED)]);
  });

  test('keys of a self-registered client at a private address need a verified client', async () => {
    const { body } = await register(site, { ...KEYS, jwks_uri: PRIVATE });
    expect(await send(site, body.client_id)).toEqual([
      'invalid_client',
      expect.stringContaining(NOT_REQUESTED),
    ]);
    await site.oauth.clients.update(body.client_id, { verified: true });
    expect((await send(site, body.client_id))[1]).not.toContain(NOT_REQUESTED);
  });

  test("keys of a self-registered client on the site's machine are not fetched", async () => {
    const jwks_uri = `https://127.0.0.1:${documents.port}/keys`;
    const { body } = await register(open, { ...KEYS, jwks_uri });
    expect((await send(open, body.client_id))[1]).toContain(NOT_REQUESTED);
    const own = await open.client({ jwksUri: jwks_uri });
    expect((await send(open, own.clientId))[1]).not.toContain(NOT_REQUESTED);
    // a failure for a stranger does not affect the host's client, nor the other way round
    expect((await send(open, body.client_id))[1]).toContain(NOT_REQUESTED);
  });

  test("keys of a developer's client at a private address need a verified client", async () => {
    const own = await site.client({ ownerId: 'eve', jwksUri: PRIVATE, ...BY_KEYS });
    expect(await send(site, own.clientId)).toEqual([
      'invalid_client',
      expect.stringContaining(NOT_REQUESTED),
    ]);
    await site.oauth.clients.update(own.clientId, { verified: true });
    expect((await send(site, own.clientId))[1]).not.toContain(NOT_REQUESTED);
  });
});
