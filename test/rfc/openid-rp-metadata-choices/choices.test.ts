import { describe, expect, test } from '@jest/globals';

import { createTestKey } from '../../support/assertions.js';
import { openDocumentServer } from '../../support/client-documents.js';
import { openid } from '../../support/openid.js';
import { register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { postToken } from '../../support/tokens.js';

const documents = fixture(() => openDocumentServer());
const site = siteFor({
  openid: { ...openid, algorithms: ['ES256', 'EdDSA'] },
  signedResponses: true,
  signedRequests: true,
  registration: { open: true },
  clientIdMetadataDocuments: { allowLoopback: true },
  security: { rateLimits: false },
});

const jwks = fixture(async () => ({ keys: [(await createTestKey('ES256', 'one')).publicJwk] }));

type Body = Readonly<Record<string, unknown>>;
const registered = async (metadata: object): Promise<Body> => {
  const { status, body } = await register(site, { redirect_uris: [REDIRECT_URI], ...metadata });
  return { status, ...(body as Body) };
};

describe('§2 lists of capabilities', () => {
  test.each<[string, object, string, unknown]>([
    [
      'the default ID token algorithm, if the client lists it too,',
      { id_token_signing_alg_values_supported: ['ES256', 'RS256'] },
      'id_token_signed_response_alg',
      'RS256',
    ],
    [
      'the first algorithm of the server in the list, if the default is not listed,',
      { id_token_signing_alg_values_supported: ['PS512', 'HS256', 'EdDSA', 'ES256'] },
      'id_token_signed_response_alg',
      'EdDSA',
    ],
    ['a subject type', { subject_types_supported: ['pairwise', 'public'] }, 'subject_type', 'public'],
    [
      'the algorithm of signed responses',
      { authorization_signing_alg_values_supported: ['ES256'] },
      'authorization_signed_response_alg',
      'ES256',
    ],
    [
      'an authentication method',
      { token_endpoint_auth_methods_supported: ['tls_client_auth', 'client_secret_post'] },
      'token_endpoint_auth_method',
      'client_secret_post',
    ],
    [
      'a method without keys, if the client has no keys,',
      { token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] },
      'token_endpoint_auth_method',
      'none',
    ],
    [
      'no algorithm, if the default is no signature,',
      { userinfo_signing_alg_values_supported: ['ES256'] },
      'userinfo_signed_response_alg',
      undefined,
    ],
  ])('%s is chosen [2-1] [4-3]', async (_what, metadata, single, chosen) => {
    const answer = await registered(metadata);
    expect([answer.status, answer[single]]).toEqual([201, chosen]);
    expect(Object.keys(answer).filter((name) => name.endsWith('_supported'))).toEqual([]);
  });

  test('an unsupported metadata value is replaced by a value of its list [4-2]', async () => {
    const answer = await registered({
      id_token_signed_response_alg: 'PS512',
      id_token_signing_alg_values_supported: ['PS512', 'ES256'],
      userinfo_signed_response_alg: 'ES384',
      userinfo_signing_alg_values_supported: ['ES384', 'EdDSA'],
      id_token_encrypted_response_alg: 'RSA1_5',
      id_token_encryption_alg_values_supported: ['RSA1_5', 'ECDH-ES'],
      id_token_encryption_enc_values_supported: ['A512XYZ', 'A256GCM'],
      jwks,
    });
    expect(answer).toMatchObject({
      status: 201,
      id_token_signed_response_alg: 'ES256',
      userinfo_signed_response_alg: 'EdDSA',
      id_token_encrypted_response_alg: 'ECDH-ES',
      id_token_encrypted_response_enc: 'A256GCM',
    });
  });

  test('a supported metadata value is chosen, wherever its list has the value', async () => {
    const answer = await registered({
      id_token_signed_response_alg: 'EdDSA',
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      token_endpoint_auth_method: 'client_secret_post',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
    expect(answer).toMatchObject({
      id_token_signed_response_alg: 'EdDSA',
      token_endpoint_auth_method: 'client_secret_post',
    });
  });

  test.each([
    [{ id_token_signed_response_alg: 'ES256', id_token_signing_alg_values_supported: ['RS256'] }],
    [
      {
        token_endpoint_auth_method: 'client_secret_post',
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      },
    ],
  ])('%j is refused because the list lacks the value [2-2]', async (metadata) => {
    expect(await registered(metadata)).toMatchObject({ status: 400, error: 'invalid_client_metadata' });
  });

  test.each([
    [{ id_token_signing_alg_values_supported: ['PS512', 'none'] }],
    [{ id_token_signing_alg_values_supported: [] }],
    [{ id_token_signing_alg_values_supported: 'RS256' }],
    [{ id_token_signing_alg_values_supported: [7] }],
    [{ subject_types_supported: ['pairwise'] }],
    [{ token_endpoint_auth_methods_supported: ['tls_client_auth'] }],
    [
      {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg_values_supported: ['none', 'XX1'],
        jwks: 'given',
      },
    ],
  ])('%j is refused because no value is supported [4-3]', async (metadata) => {
    const given = 'jwks' in metadata ? { ...metadata, jwks } : metadata;
    expect(await registered(given)).toMatchObject({ status: 400, error: 'invalid_client_metadata' });
  });

  test('metadata lists of disabled or unknown features are ignored', async () => {
    const answer = await registered({
      introspection_signing_alg_values_supported: ['XX1'],
      backchannel_authentication_request_signing_alg_values_supported: ['XX1'],
      id_token_signing_alg_values_supported: null,
    });
    expect(answer.status).toBe(201);
  });

  test('a client metadata document gets a method without a secret from its list', async () => {
    const url = documents.publish('/agent', {
      redirect_uris: ['http://127.0.0.1:7777/callback'],
      token_endpoint_auth_method: 'client_secret_basic',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const { body } = await postToken(site, {
      grant_type: 'refresh_token',
      client_id: url,
      refresh_token: 'nothing',
    });
    // the client exists and is public, but the token is unknown
    expect(body.error).toBe('invalid_grant');
  });
});
