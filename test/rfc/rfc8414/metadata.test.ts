import { describe, expect, test } from '@jest/globals';
import express, { type Express, Router } from 'express';
import request from 'supertest';

import {
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
} from '../../../lib/index.js';
import { createTestKey, postAssertion, signAssertion } from '../../support/assertions.js';
import { connectionFor, openDatabase } from '../../support/database.js';
import { openSite, SCOPES } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { postToken, tokenRequest } from '../../support/tokens.js';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const ASSERTION_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

const database = fixture(() => openDatabase());

function start(options: Partial<AuthorizationServerOptions> = {}): AuthorizationServer {
  const issuer = options.issuer ?? 'https://photos.example';
  return authorizationServer({
    issuer,
    connection: connectionFor(issuer, database.connection),
    scopes: SCOPES,
    login: '/login',
    ...options,
  });
}

/** An app that mounts the server in a way of the test; metadata needs no session. */
function openApp(mount: (app: Express) => void): Express {
  const app = express();
  mount(app);
  return app;
}

async function metadataAt(app: Express, path: string) {
  const response = await request(app).get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.body as Record<string, unknown>;
}

describe('§2 the content of the metadata', () => {
  test('§2 the metadata of a server with default options is complete [2-1] [2-2] [2-3] [2-4] [2-6] [2-7] [2-8] [2-9] [2-10] [2-11] [2-12] [2-13] [2-14]', async () => {
    expect(
      await metadataAt(
        openApp((app) => app.use(start().router)),
        WELL_KNOWN,
      ),
    ).toEqual({
      issuer: 'https://photos.example',
      authorization_endpoint: 'https://photos.example/oauth/authorize',
      token_endpoint: 'https://photos.example/oauth/token',
      revocation_endpoint: 'https://photos.example/oauth/revoke',
      introspection_endpoint: 'https://photos.example/oauth/introspect',
      request_uri_parameter_supported: false,
      scopes_supported: ['photos:read', 'photos:write', 'profile'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
        'private_key_jwt',
      ],
      revocation_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
        'private_key_jwt',
      ],
      introspection_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ],
      token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
      ui_locales_supported: ['en', 'de', 'es', 'fr', 'ja', 'ar'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  test('§2 the metadata has the enabled old grant types and extension grants', async () => {
    const oauth = start({
      grantTypes: [
        'authorization_code',
        'implicit',
        'password',
        { grantType: 'urn:example:gift-card', parameters: [], handle: () => ({}) },
      ],
      people: { authenticate: () => Promise.resolve(null) },
      basePath: '/a/b',
    });
    expect(
      await metadataAt(
        openApp((app) => app.use(oauth.router)),
        WELL_KNOWN,
      ),
    ).toMatchObject({
      authorization_endpoint: 'https://photos.example/a/b/authorize',
      token_endpoint: 'https://photos.example/a/b/token',
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: ['authorization_code', 'implicit', 'password', 'urn:example:gift-card'],
    });
  });

  test('§2 the metadata has no authorization_endpoint without a grant type that redirects', async () => {
    const metadata = await metadataAt(
      openApp((app) => app.use(start({ grantTypes: ['client_credentials'] }).router)),
      WELL_KNOWN,
    );
    expect(metadata).not.toHaveProperty('authorization_endpoint');
    // §2 requires the list, even if it is empty
    expect(metadata.response_types_supported).toEqual([]);
  });

  test('§3.2 empty optional lists of the metadata are omitted [3.2-2]', async () => {
    const metadata = await metadataAt(
      openApp((app) => app.use(start({ grantTypes: ['client_credentials'], scopes: {} }).router)),
      WELL_KNOWN,
    );
    expect(metadata).not.toHaveProperty('response_modes_supported');
    expect(metadata).not.toHaveProperty('scopes_supported');
  });
});

describe('§2 the metadata and the server', () => {
  const site = siteFor(() => ({
    database,
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
  }));
  const metadata = fixture(
    async () => (await request(site.server).get(WELL_KNOWN)).body as Record<string, string & string[]>,
  );

  test('§2 each endpoint is at its address in the metadata', async () => {
    const path = (name: string) => String(metadata[name]).slice(site.url.length);
    expect(metadata.issuer).toBe(site.url);
    expect((await request(site.server).get(path('authorization_endpoint'))).status).toBe(400);
    for (const name of ['token_endpoint', 'revocation_endpoint', 'introspection_endpoint']) {
      expect([name, (await request(site.server).post(path(name)).type('form').send({})).body.error]).toEqual([
        name,
        'invalid_request',
      ]);
    }
  });

  test.each([
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])('§2 the grant type %s is supported only if the metadata lists the type', async (grantType) => {
    const { body } = await tokenRequest(site, await site.client(), { grant_type: grantType });
    expect(body.error !== 'unsupported_grant_type').toBe(metadata.grant_types_supported?.includes(grantType));
  });

  test('§2 each authentication method of the metadata is supported', async () => {
    const client = await site.client();
    const publicClient = await site.client({ type: 'public' });
    const key = await createTestKey();
    const keyClient = await site.client({ jwks: { keys: [key.publicJwk] } });
    const requests: Record<string, () => Promise<{ body: { error?: string } }>> = {
      client_secret_basic: async () => tokenRequest(site, client, { grant_type: 'client_credentials' }),
      client_secret_post: async () =>
        postToken(site, {
          grant_type: 'client_credentials',
          client_id: client.clientId,
          client_secret: client.clientSecret,
        }),
      none: async () =>
        postToken(site, { grant_type: 'authorization_code', client_id: publicClient.clientId, code: 'x' }),
      private_key_jwt: async () => postAssertion(site, await signAssertion(site, keyClient.clientId, key)),
    };
    expect(metadata.token_endpoint_auth_methods_supported).toEqual(Object.keys(requests));
    for (const [method, send] of Object.entries(requests))
      expect([method, (await send()).body.error]).toEqual([
        method,
        method === 'none' ? 'invalid_grant' : undefined,
      ]);
  });

  test('§2 each language of the metadata is available on the pages', async () => {
    for (const locale of metadata.ui_locales_supported ?? []) {
      expect(
        (await request(site.server).get(`/oauth/authorize?ui_locales=${locale}`)).headers['content-language'],
      ).toBe(locale);
    }
    const oauth = start({
      pages: { locales: ['de', 'pt-BR'], messages: { 'pt-BR': { 'login.title': 'Entrar' } } },
    });
    expect(
      (
        await metadataAt(
          openApp((app) => app.use(oauth.router)),
          WELL_KNOWN,
        )
      ).ui_locales_supported,
    ).toEqual(['de', 'pt-BR']);
  });

  test('§2 each scope of the metadata can be requested', async () => {
    const { body } = await tokenRequest(site, await site.client(), {
      grant_type: 'client_credentials',
      scope: metadata.scopes_supported?.join(' '),
    });
    expect(body.scope.split(' ')).toEqual(metadata.scopes_supported);
  });
});

describe('§3 the address of the metadata', () => {
  const issuer = 'https://photos.example/auth/v1';

  test('§3.1 an issuer with a path has its metadata at both well-known addresses of the site [3-1] [3-3] [3.3-1]', async () => {
    const app = openApp((at) => at.use(start({ issuer }).wellKnown));
    for (const path of [`${WELL_KNOWN}/auth/v1`, `/auth/v1${WELL_KNOWN}`])
      expect((await metadataAt(app, path)).issuer).toBe(issuer);
    expect((await request(app).get(WELL_KNOWN)).status).toBe(404);
  });

  test('§3.1 the path of an issuer may have characters with a meaning in routes', async () => {
    const odd = 'https://photos.example/a(b)/:c/d*';
    const app = openApp((at) => at.use(start({ issuer: odd }).wellKnown));
    expect((await metadataAt(app, `${WELL_KNOWN}/a(b)/:c/d*`)).issuer).toBe(odd);
    expect((await request(app).get(`${WELL_KNOWN}/ab/x/dd`)).status).toBe(404);
  });

  test('§3.1 the router may be mounted at a sub-path', async () => {
    const app = openApp((at) => at.use('/auth/v1', start({ issuer }).router));
    expect(await metadataAt(app, `/auth/v1${WELL_KNOWN}`)).toMatchObject({
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
    });
    expect((await request(app).post('/auth/v1/oauth/token').type('form').send({})).body.error).toBe(
      'invalid_request',
    );
  });

  test('§3.1 the router may be mounted inside other routers', async () => {
    const [outer, inner] = [Router(), Router()];
    inner.use('/v1', start({ issuer }).router);
    outer.use('/auth', inner);
    expect(
      (
        await metadataAt(
          openApp((at) => at.use(outer)),
          `/auth/v1${WELL_KNOWN}`,
        )
      ).issuer,
    ).toBe(issuer);
  });

  test('§3.1 the metadata has the public URLs of the issuer behind a proxy, whatever the headers [3.3-1]', async () => {
    const app = openApp((at) => at.set('trust proxy', true).use(start({ issuer }).router));
    const headers = {
      Host: 'internal:3000',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Prefix': '/evil',
    };
    const { body } = await request(app).get(WELL_KNOWN).set(headers);
    expect(body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
    });
  });

  test('§3.1 the metadata router may be mounted separately', async () => {
    const app = openApp((at) => at.use('/somewhere', start().endpoints.metadata));
    expect((await metadataAt(app, '/somewhere')).issuer).toBe('https://photos.example');
  });

  test('§3 two servers in one site have separate metadata', async () => {
    const app = openApp((at) => {
      for (const path of ['/one', '/two'])
        at.use(path, start({ issuer: `https://photos.example${path}` }).router);
    });
    for (const path of ['/one', '/two'])
      expect((await metadataAt(app, `${path}${WELL_KNOWN}`)).issuer).toBe(`https://photos.example${path}`);
  });
});

describe('§3.1, §3.2 the response', () => {
  const app = () => openApp((at) => at.use(start().router));

  test('§3.2 the metadata is JSON that any origin may read [3.2-1]', async () => {
    const response = await request(app()).get(WELL_KNOWN).set('Origin', 'https://app.example');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
    expect(response.headers).not.toHaveProperty('set-cookie');
  });

  test('§3.1 a query of a metadata request is ignored', async () => {
    expect((await request(app()).get(`${WELL_KNOWN}?issuer=https://evil.example&%zz`)).body.issuer).toBe(
      'https://photos.example',
    );
  });

  test('§3.1 HEAD of the metadata is answered like GET', async () => {
    const response = await request(app()).head(WELL_KNOWN);
    expect(response.status).toBe(200);
    expect(response.text).toBeUndefined();
  });

  test.each(['post', 'put', 'delete', 'patch'] as const)('§3.1 the metadata refuses %s', async (method) => {
    const response = await request(app())[method](WELL_KNOWN);
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('GET, HEAD');
  });

  test('endpoints with pages or sessions have no CORS headers', async () => {
    await using site = await openSite({ database });
    const origin = { Origin: 'https://evil.example' };
    const preflight = { ...origin, 'Access-Control-Request-Method': 'POST' };
    const responses = await Promise.all([
      request(site.server).get('/oauth/authorize').set(origin),
      request(site.server).options('/oauth/authorize').set(preflight),
      request(site.server).post('/oauth/authorize').type('form').send({}).set(origin),
      request(site.server).get('/oauth/applications').set(origin),
      request(site.server).options('/oauth/applications').set(preflight),
      request(site.server).options('/oauth/introspect').set(preflight),
      request(site.server).get('/api/me').set(origin),
    ]);
    for (const response of responses)
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test('endpoints for clients in browsers allow any origin, without cookies', async () => {
    await using site = await openSite({ database });
    const origin = { Origin: 'https://app.example' };
    const answers = await Promise.all(
      ['/oauth/token', '/oauth/revoke'].map((path) =>
        request(site.server).post(path).type('form').send({}).set(origin),
      ),
    );
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });
});
