import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { openSite, type Site } from '../support/site.js';
import { postToken } from '../support/tokens.js';

const ORIGIN = 'https://app.example';

describe('clients in browsers (RFC 9700 §2.6)', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site.close());

  test.each(['/oauth/token', '/oauth/revoke', '/.well-known/oauth-authorization-server'])(
    'may ask before they call %s',
    async (path) => {
      const response = await request(site.server)
        .options(path)
        .set('Origin', ORIGIN)
        .set('Access-Control-Request-Method', 'POST')
        .set('Access-Control-Request-Headers', 'authorization');
      expect(response.status).toBe(204);
      expect(response.headers['access-control-allow-origin']).toBe('*');
      expect(response.headers['access-control-allow-headers']).toMatch(/authorization/i);
      expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  test('read the answer of the token endpoint, an error too', async () => {
    const response = await postToken(site, { grant_type: 'authorization_code', client_id: 'nobody' }).set(
      'Origin',
      ORIGIN,
    );
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  test.each(['/oauth/authorize?client_id=nobody', '/oauth/applications', '/oauth/introspect'])(
    'have no way to read %s',
    async (path) => {
      for (const method of ['get', 'post', 'options'] as const) {
        const response = await request(site.server)[method](path).set('Origin', ORIGIN);
        expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      }
    },
  );
});
