import { afterEach, describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import request from 'supertest';

import { bearerGuard } from '../../lib/guard.js';
import type { OpenApiOptions } from '../../lib/index.js';
import { openSite, SCOPES, type Site, type SiteOptions } from '../support/site.js';

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

let site: Site | undefined;
afterEach(() => site?.close());

/** The document of a site's API, as a client reads it. */
async function documentOf(options: SiteOptions = {}, given: OpenApiOptions = {}) {
  site = await openSite(options);
  const { app, oauth, server } = site;
  const { guard } = oauth;
  const guards = {
    '/read': guard('photos:read'),
    '/both': guard('photos:read', 'photos:write'),
    '/either': guard.any('photos:read', 'photos:write'),
    '/open': guard({ scopes: ['photos:read'], optional: true }),
    '/apps': guard({ kinds: ['app'] }),
    '/service': guard({ kinds: ['service'] }),
    '/valid': guard(),
  };
  const paths = Object.entries(guards).map(([path, { openapi }]) => {
    const responses = { ...openapi.responses, 200: { description: 'Done' } };
    return [path, { get: { ...openapi, responses } }];
  });
  app.get('/openapi.json', (_req, res) => {
    res.json({
      openapi: `${given.version ?? '3.1'}.0`,
      info: { title: 'Photos', version: '1' },
      paths: Object.fromEntries(paths),
      components: oauth.openapi(given),
    });
  });
  const { body } = await request(server).get('/openapi.json');
  return body;
}

describe('oauth.openapi()', () => {
  test.each(['3.0', '3.1', '3.2'] as const)(
    'oauth.openapi() makes components of a valid document of OpenAPI %s',
    async (version) => {
      const grantTypes = [
        'authorization_code',
        'client_credentials',
        'refresh_token',
        'implicit',
        DEVICE_CODE,
      ] as const;
      const document = await documentOf({ grantTypes, personalAccessTokens: true }, { version });
      expect(await new Validator().validate(document)).toEqual({ valid: true });
    },
  );

  test('oauth.openapi() describes flows by the URLs of the metadata, and scopes in words', async () => {
    const document = await documentOf();
    const { body: metadata } = await request(site!.server).get('/.well-known/oauth-authorization-server');
    const urls = { tokenUrl: metadata.token_endpoint };
    expect(document.components.securitySchemes.oauth2.flows).toEqual({
      authorizationCode: {
        authorizationUrl: metadata.authorization_endpoint,
        ...urls,
        refreshUrl: metadata.token_endpoint,
        scopes: SCOPES,
      },
      clientCredentials: { ...urls, scopes: SCOPES },
    });
  });

  test('oauth.openapi() adds the site’s resource to the authorization URL if required', async () => {
    const resources = { 'https://photos.example/mcp': {} };
    const queryOf = async (options: SiteOptions) => {
      const document = await documentOf({ resources, ...options });
      const { authorizationUrl, tokenUrl } =
        document.components.securitySchemes.oauth2.flows.authorizationCode;
      await site!.close();
      // the token endpoint takes no parameters in its URL (RFC 6749 §3.2)
      expect(new URL(tokenUrl).search).toBe('');
      return new URL(authorizationUrl).searchParams.getAll('resource');
    };
    expect(await queryOf({})).toEqual([]);
    expect(await queryOf({ security: { requireResource: true } })).toEqual([site!.url]);
    expect(await queryOf({ security: { requireResource: true }, resources: {} })).toEqual([]);
  });

  test('oauth.openapi() has no flow for a grant type that is off, and no unusable refreshUrl', async () => {
    const { components } = await documentOf({ grantTypes: ['authorization_code'] });
    const { flows } = components.securitySchemes.oauth2;
    expect(Object.keys(flows)).toEqual(['authorizationCode']);
    expect(flows.authorizationCode).not.toHaveProperty('refreshUrl');
  });

  test('oauth.openapi() has the device flow and the metadata URL for OpenAPI 3.2 alone', async () => {
    const grantTypes = ['authorization_code', DEVICE_CODE] as const;
    const old = await documentOf({ grantTypes });
    expect(old.components.securitySchemes.oauth2.flows).not.toHaveProperty('deviceAuthorization');
    await site?.close();
    const { components } = await documentOf({ grantTypes }, { version: '3.2' });
    const { body: metadata } = await request(site!.server).get('/.well-known/oauth-authorization-server');
    const { flows, oauth2MetadataUrl } = components.securitySchemes.oauth2;
    expect(flows.deviceAuthorization).toEqual({
      deviceAuthorizationUrl: metadata.device_authorization_endpoint,
      tokenUrl: metadata.token_endpoint,
      scopes: SCOPES,
    });
    expect(oauth2MetadataUrl).toBe(`${metadata.issuer}/.well-known/oauth-authorization-server`);
  });

  test('oauth.openapi() describes scopes in the first language of the pages, or else in any', async () => {
    const scopes = { 'photos:read': { description: { de: 'Deine Fotos', en: 'Your photos' } } };
    const read = async (pages?: { readonly locales: readonly string[] }) => {
      await using one = await openSite({ scopes, pages });
      const { oauth2 } = one.oauth.openapi().securitySchemes as {
        oauth2: { flows: { authorizationCode: { scopes: Record<string, string> } } };
      };
      return oauth2.flows.authorizationCode.scopes['photos:read'];
    };
    expect(await read()).toBe('Your photos');
    expect(await read({ locales: ['de', 'en'] })).toBe('Deine Fotos');
    expect(await read({ locales: ['fr'] })).toBe('Deine Fotos');
  });

  test.each([
    [{ version: '2.0' }, /^openapi: the option version must be '3.0', '3.1' or '3.2', not '2.0'$/],
    [{ versions: '3.1' }, /did you mean 'version'/],
  ])('oauth.openapi() refuses %j', async (given, message) => {
    site = await openSite();
    expect(() => site!.oauth.openapi(given as never)).toThrow(message);
  });
});

describe('the openapi of a guard', () => {
  const needs = (document: { paths: object }) =>
    Object.fromEntries(
      Object.entries(document.paths).map(([path, { get }]) => [
        path,
        [get.security, Object.keys(get.responses)],
      ]),
    );

  test('the openapi of a guard has the scopes of its route, and its refusals', async () => {
    expect(needs(await documentOf())).toMatchObject({
      '/read': [[{ oauth2: ['photos:read'] }], ['200', '401', '403']],
      '/both': [[{ oauth2: ['photos:read', 'photos:write'] }], ['200', '401', '403']],
      '/either': [
        [{ oauth2: ['photos:read'] }, { oauth2: ['photos:write'] }],
        ['200', '401', '403'],
      ],
      '/open': [
        [{ oauth2: ['photos:read'] }, {}],
        ['200', '401', '403'],
      ],
      '/valid': [[{ oauth2: [] }], ['200', '401']],
    });
  });

  test('the openapi of a guard lists personal access tokens only at routes that accept them', async () => {
    expect(needs(await documentOf({ personalAccessTokens: true }))).toMatchObject({
      '/read': [
        [{ oauth2: ['photos:read'] }, { accessToken: [] }],
        ['200', '401', '403'],
      ],
      '/apps': [[{ oauth2: [] }], ['200', '401', '403']],
      '/service': [[{ accessToken: [] }], ['200', '401', '403']],
    });
  });

  test('the openapi of a guard works for an API in another process', () => {
    const guard = bearerGuard({ issuer: 'https://photos.example', resource: 'https://api.photos.example' });
    expect(guard('photos:read').openapi.security).toEqual([{ oauth2: ['photos:read'] }]);
  });
});
