import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { DEVICE_CODE } from '../support/device.js';
import { openid } from '../support/openid.js';
import { siteFor } from '../support/site-for.js';
import { postToken } from '../support/tokens.js';

const ORIGIN = 'https://app.example';

describe('clients in browsers (RFC 9700 §2.6)', () => {
  const site = siteFor();

  test('a client in a browser can read the answer of the token endpoint, even an error', async () => {
    const response = await postToken(site, { grant_type: 'authorization_code', client_id: 'nobody' }).set(
      'Origin',
      ORIGIN,
    );
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  test.each(['/oauth/authorize?client_id=nobody', '/oauth/applications', '/oauth/introspect'])(
    'a client in a browser cannot read %s',
    async (path) => {
      for (const method of ['get', 'post', 'options'] as const) {
        const response = await request(site.server)[method](path).set('Origin', ORIGIN);
        expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      }
    },
  );
});

describe('preflights of clients in browsers', () => {
  const RESOURCE = 'https://api.example/mcp';
  /** The headers of programs beside the usual ones. */
  const CLIENTS = [
    ['Swagger UI', 'authorization,x-requested-with'],
    ['axios, without a cache', 'cache-control,content-type,expires,pragma'],
    ['OpenTelemetry', 'baggage,traceparent,tracestate'],
    ['Sentry', 'baggage,sentry-trace'],
    ['Angular', 'ngsw-bypass,x-xsrf-token'],
    ['an agent that asks for metadata', 'mcp-protocol-version'],
    ['the MCP inspector', 'authorization,content-type,last-event-id,mcp-session-id,x-custom-auth'],
    ['a client with DPoP', 'authorization,content-type,dpop'],
    ['gRPC-web and Datadog', 'x-datadog-trace-id,x-grpc-web,x-user-agent'],
  ] as const;
  const site = siteFor({
    openid,
    pushedRequests: true,
    dpop: true,
    registration: { open: true },
    grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE],
    resources: { [RESOURCE]: {} },
  });
  beforeAll(() => {
    const handle = (_req: unknown, res: { json: (body: object) => void }) => res.json({});
    site.app.use('/mcp', site.oauth.mcp({ resource: RESOURCE, handle }));
    const origins = ['https://inspector.example'];
    site.app.use('/closed', site.oauth.mcp({ resource: RESOURCE, handle, origins }));
  });
  const preflight = (path: string, headers: string, origin = ORIGIN) =>
    request(site.server)
      .options(path)
      .set('Origin', origin)
      .set('Access-Control-Request-Method', 'POST')
      .set('Access-Control-Request-Headers', headers);

  test.each([
    '/oauth/token',
    '/oauth/revoke',
    '/oauth/register',
    '/oauth/par',
    '/oauth/device_authorization',
    '/oauth/userinfo',
    '/oauth/jwks',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
    '/mcp',
  ])('a preflight of %s allows the requested headers, without credentials', async (path) => {
    for (const [client, headers] of CLIENTS) {
      const { status, headers: answer } = await preflight(path, headers);
      expect([client, status, answer['access-control-allow-headers']]).toEqual([client, 204, headers]);
      expect(answer['access-control-allow-origin']).toBe('*');
      expect(answer).not.toHaveProperty('access-control-allow-credentials');
      expect(answer.vary).toMatch(/access-control-request-headers/i);
    }
  });

  test('a preflight of oauth.mcp with origins allows these alone', async () => {
    const named = await preflight('/closed', 'mcp-session-id', 'https://inspector.example');
    expect(named.headers['access-control-allow-origin']).toBe('https://inspector.example');
    expect(named.headers['access-control-allow-headers']).toBe('mcp-session-id');
    const other = await preflight('/closed', 'mcp-session-id');
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  test('a preflight with a list of headers that could fill a proxy does not repeat it', async () => {
    const { status, headers } = await preflight('/oauth/token', `x-${'a'.repeat(7000)}`);
    expect([status, headers['access-control-allow-headers']]).toEqual([
      204,
      'Authorization,Content-Type,DPoP',
    ]);
  });
});
