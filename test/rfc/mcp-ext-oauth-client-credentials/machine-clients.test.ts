import { beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import request from 'supertest';

import { siteFor } from '../../support/site-for.js';
import { postToken } from '../../support/tokens.js';

const MCP = 'https://photos.example/mcp';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

describe('MCP extension: OAuth client credentials', () => {
  let byKey: { clientId: string };
  let bySecret: { clientId: string; clientSecret?: string };
  let privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  const site = siteFor({ agents: true, resources: { [MCP]: { scopes: ['photos:read'] } } });

  beforeAll(async () => {
    site.app.use(
      '/mcp',
      site.oauth.mcp({ resource: MCP, scopes: ['photos:read'], handle: (req, res) => res.json(req.auth) }),
    );
    const pair = await generateKeyPair('ES256');
    privateKey = pair.privateKey;
    const machine = { grantTypes: ['client_credentials'], redirectUris: [] };
    byKey = await site.client({
      ...machine,
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), alg: 'ES256', kid: 'one' } as never] },
    });
    bySecret = await site.client(machine);
  });

  const assertion = (audience = site.url) =>
    new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(byKey.clientId)
      .setSubject(byKey.clientId)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('2m')
      .sign(privateKey);
  const ask = (fields: object) =>
    postToken(site, { grant_type: 'client_credentials', resource: MCP, scope: 'photos:read', ...fields });
  const call = (token: string, path = '/mcp') =>
    request(site.server).post(path).set('Authorization', `Bearer ${token}`).send({});

  test('§2.2 a client assertion without client_id gets an access token without a person [1.2-1] [2.2-1] [2.2-2]', async () => {
    const { body } = await ask({
      client_assertion_type: ASSERTION,
      client_assertion: await assertion(),
    }).expect(200);
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'photos:read' });
    expect(body).not.toHaveProperty('refresh_token');
    const answer = await call(body.access_token).expect(200);
    expect(answer.body).toMatchObject({ clientId: byKey.clientId, resource: MCP });
    expect(answer.body).not.toHaveProperty('userId');
    expect((await call(body.access_token, '/api/photos')).status).toBeGreaterThanOrEqual(401);
  });

  test('§2.2 a client may send its secret in the request body [2.2-1]', async () => {
    const { body } = await ask({ client_id: bySecret.clientId, client_secret: bySecret.clientSecret }).expect(
      200,
    );
    expect((await call(body.access_token)).status).toBe(200);
  });

  test('§2.3 the metadata lists the authentication methods and the JWT algorithms [2.3-1] [2.3-2]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body.token_endpoint_auth_methods_supported).toEqual(
      expect.arrayContaining(['private_key_jwt', 'client_secret_basic']),
    );
    expect(body.token_endpoint_auth_signing_alg_values_supported).toContain('ES256');
    expect(body.grant_types_supported).toContain('client_credentials');
  });

  test('§1.2, §2.4 a call without a token gets the metadata address, and a token request needs a resource [1.2-2]', async () => {
    const refused = await request(site.server).post('/mcp').send({});
    expect(refused.headers['www-authenticate']).toContain(
      'resource_metadata="https://photos.example/.well-known/oauth-protected-resource/mcp"',
    );
    const answer = await ask({
      resource: '',
      client_id: bySecret.clientId,
      client_secret: bySecret.clientSecret,
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_target']);
  });
});
