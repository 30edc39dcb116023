import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard } from '../../../lib/guard.js';
import { openSite, type SiteOptions } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { tokenRequest } from '../../support/tokens.js';

const API = 'https://api.photos.example';
const ALBUMS = 'https://photos.example/albums/v1';
const OTHER = 'https://other.example';

describe('RFC 9728: protected resource metadata', () => {
  const site = siteFor({
    resources: { [API]: { scopes: ['photos:read'], name: 'Photo archive' }, [ALBUMS]: {}, [OTHER]: {} },
  });

  beforeAll(() => {
    site.app.get('/photos', site.oauth.guard({ resource: API, scopes: ['photos:read'] }), (req, res) =>
      res.json(req.auth),
    );
    site.app.get('/albums', site.oauth.guard({ resource: ALBUMS }), (req, res) => res.json(req.auth));
    site.app.use(site.oauth.errorHandler);
  });

  const metadata = (path = '', host = 'api.photos.example') =>
    request(site.server).get(`/.well-known/oauth-protected-resource${path}`).set('Host', host);

  test('§2, §3.2 the metadata of a resource has its authorization server, scopes and bearer methods [2-1] [2-4] [3.2-1]', async () => {
    const response = await metadata();
    expect(response).toMatchObject({
      status: 200,
      body: {
        resource: API,
        authorization_servers: [site.url],
        scopes_supported: ['photos:read'],
        bearer_methods_supported: ['header'],
      },
    });
    expect(response.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'access-control-allow-origin': '*',
    });
  });

  test('§2 the metadata has a resource_name if the option has a name [2-6] [2.1-5]', async () => {
    expect((await metadata()).body.resource_name).toBe('Photo archive');
    expect((await metadata('/albums/v1', 'photos.example')).body).not.toHaveProperty('resource_name');
  });

  test('§2 the metadata of a resource lists whether DPoP is supported or required [2-1] [3.2-3]', async () => {
    const binding = /^dpop_/;
    const said = async (options: SiteOptions) => {
      const other = await openSite(options);
      const { body } = await request(other.server).get('/.well-known/oauth-protected-resource');
      await other.close();
      return Object.entries(body as object).filter(([name]) => binding.test(name));
    };
    const algorithms = ['dpop_signing_alg_values_supported', expect.arrayContaining(['ES256', 'PS256'])];
    expect(await said({})).toEqual([]);
    expect(await said({ dpop: true })).toEqual([algorithms]);
    const required = [algorithms, ['dpop_bound_access_tokens_required', true]];
    expect(await said({ dpop: { required: true } })).toEqual(required);
    const guard = bearerGuard({ issuer: site.url, resource: API, dpop: { required: true } });
    const { body } = await request(express().use(guard.wellKnown))
      .get('/.well-known/oauth-protected-resource')
      .set('Host', 'api.photos.example');
    expect(Object.entries(body as object).filter(([name]) => binding.test(name))).toEqual(required);
  });

  test('§3.1 the well-known path comes before the path of the resource [3-1] [3-2]', async () => {
    expect((await metadata('/albums/v1', 'photos.example')).body).toMatchObject({
      resource: ALBUMS,
      scopes_supported: ['photos:read', 'photos:write', 'profile'],
    });
    for (const path of ['/albums', '/albums/v1/', '/elsewhere'])
      expect((await metadata(path, 'photos.example')).status).toBe(404);
  });

  test('§3.3 the metadata of a resource is chosen by the host, port and path of the request, or is answered 404 [3.3-1]', async () => {
    expect((await metadata('', 'other.example')).body.resource).toBe(OTHER);
    expect((await metadata('/albums/v1', 'other.example')).status).toBe(404);
    expect((await metadata('/albums/v1', 'somewhere.example')).status).toBe(404);
    expect((await metadata('', 'photos.example')).status).toBe(404);
    expect((await metadata('?tenant=a', 'other.example')).status).toBe(404);
    const { host } = new URL(site.url);
    expect((await metadata('', host)).body.resource).toBe(site.url);
    // a proxy may not pass on the public name
    expect((await metadata('', 'upstream:3000')).body.resource).toBe(site.url);
  });

  test('§3.3 a resource at another port of the same host has separate metadata [3.3-1]', async () => {
    await using other = await openSite({ resources: { 'http://127.0.0.1:4402': {} } });
    const at = (host: string) =>
      request(other.server).get('/.well-known/oauth-protected-resource').set('Host', host);
    expect((await at(new URL(other.url).host)).body.resource).toBe(other.url);
    expect((await at('127.0.0.1:4402')).body.resource).toBe('http://127.0.0.1:4402');
  });

  test('§3.3 the host behind a proxy is the host that Express trusts [3.3-1]', async () => {
    const requested = () => metadata('', 'upstream:3000').set('X-Forwarded-Host', 'other.example');
    expect((await requested()).body.resource).toBe(site.url);
    site.app.set('trust proxy', true);
    const { body } = await requested();
    site.app.set('trust proxy', false);
    expect(body.resource).toBe(OTHER);
  });

  test('§3.3 Vary lists the headers that choose the metadata of a resource [3.3-1] [3.3-5]', async () => {
    const varyOf = async () => {
      const { status, headers } = await metadata('', 'upstream:3000').set(
        'X-Forwarded-Host',
        'other.example',
      );
      return [status, headers['cache-control'], headers.vary];
    };
    expect(await varyOf()).toEqual([200, 'public, max-age=300', 'Host']);
    site.app.set('trust proxy', true);
    const behindProxy = await varyOf();
    site.app.set('trust proxy', false);
    expect(behindProxy).toEqual([200, 'public, max-age=300', 'Host, X-Forwarded-Host']);
  });

  test('§2, §5.1 the API of the site has metadata by default, and its challenge has the address', async () => {
    await using plain = await openSite({ siteName: 'Lantern Photos' });
    const { headers } = await request(plain.server).get('/api/photos');
    const url = `${plain.url}/.well-known/oauth-protected-resource`;
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="${new URL(plain.url).host}", scope="photos:read", resource_metadata="${url}"`,
    );
    expect((await request(plain.url).get('/.well-known/oauth-protected-resource')).body).toEqual({
      resource: plain.url,
      authorization_servers: [plain.url],
      scopes_supported: ['photos:read', 'photos:write', 'profile'],
      bearer_methods_supported: ['header'],
      resource_name: 'Lantern Photos',
    });
  });

  test('a client may request the API of the site as a resource', async () => {
    const client = await site.client();
    const body = { grant_type: 'client_credentials', resource: site.url };
    const { access_token: token } = (await tokenRequest(site, client, body)).body;
    const called = await request(site.server).get('/api/me').set('Authorization', `Bearer ${token}`);
    expect(called.status).toBe(200);
    const elsewhere = await request(site.server).get('/albums').set('Authorization', `Bearer ${token}`);
    expect(elsewhere.status).toBe(401);
  });

  test('§5.1 the challenge of a guard has the address of the metadata of its resource', async () => {
    expect((await request(site.server).get('/photos')).headers['www-authenticate']).toBe(
      `Bearer realm="${new URL(site.url).host}", scope="photos:read", resource_metadata="https://api.photos.example/.well-known/oauth-protected-resource"`,
    );
    const refused = await request(site.server).get('/albums').set('Authorization', 'Bearer nonsense');
    expect(refused.headers['www-authenticate']).toContain(
      'resource_metadata="https://photos.example/.well-known/oauth-protected-resource/albums/v1"',
    );
  });

  test('§4 the authorization server metadata lists its resources', async () => {
    expect(
      (await request(site.server).get('/.well-known/oauth-authorization-server')).body.protected_resources,
    ).toEqual([API, ALBUMS, OTHER, site.url]);
  });

  test('§3.2 the metadata of a resource without scopes has no scopes_supported [3.2-3]', async () => {
    const guard = bearerGuard({ issuer: 'https://photos.example', resource: API, scopes: [] });
    const { body } = await request(express().use(guard.wellKnown)).get(
      '/.well-known/oauth-protected-resource',
    );
    expect(body).toEqual({
      resource: API,
      authorization_servers: ['https://photos.example'],
      bearer_methods_supported: ['header'],
    });
  });

  test('bearerGuard publishes the metadata of its resource', async () => {
    const guard = bearerGuard({
      issuer: 'https://photos.example',
      resource: ALBUMS,
      scopes: ['photos:read'],
      name: 'Albums',
    });
    const app = express()
      .use(guard.wellKnown)
      .get('/albums/v1', guard('photos:read'), (_req, res) => void res.end());
    expect((await request(app).get('/.well-known/oauth-protected-resource/albums/v1')).body).toEqual({
      resource: ALBUMS,
      authorization_servers: ['https://photos.example'],
      scopes_supported: ['photos:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Albums',
    });
    expect((await request(app).get('/albums/v1')).headers['www-authenticate']).toContain(
      'resource_metadata="https://photos.example/.well-known/oauth-protected-resource/albums/v1"',
    );
  });
});
