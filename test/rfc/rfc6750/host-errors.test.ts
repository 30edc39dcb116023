import { createRequire } from 'node:module';

import { beforeAll, describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import request from 'supertest';

import { OAuthError } from '../../../lib/index.js';
import { siteFor } from '../../support/site-for.js';
import { tokenRequest } from '../../support/tokens.js';

const express4 = createRequire(import.meta.url)('express4') as typeof express;

let token: string;
let reached: number;

const site = siteFor();

beforeAll(async () => {
  token = (
    await tokenRequest(site, await site.client(), { grant_type: 'client_credentials', scope: 'profile' })
  ).body.access_token;
});

/** Another app of the host, with a guarded route and only the error handler given. */
function openApi(create: typeof express = express, onError?: ErrorRequestHandler): Express {
  reached = 0;
  const app = create();
  // otherwise Express's final handler would write to the log of the tests
  app.set('env', 'test');
  app.get('/photos', site.oauth.guard('photos:read'), (_req, res) => {
    reached += 1;
    res.json({});
  });
  if (onError) app.use(onError);
  return app;
}

/** A whole challenge, which always ends with the address of the resource's metadata (RFC 9728 §5.1). */
const challenge = (what = '') =>
  `Bearer realm="${new URL(site.url).host}"${what}, resource_metadata="${site.url}/.well-known/oauth-protected-resource"`;

describe.each([
  ['5', express],
  ['4', express4],
])('§3 without an error handler, by the final one of Express %s', (_version, create) => {
  test('§3.1 no token: 401 and the challenge [3-1] [3.1-4]', async () => {
    const response = await request(openApi(create)).get('/photos');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(challenge(', scope="photos:read"'));
    expect(reached).toBe(0);
  });

  test('§3.1 two: 400 and the challenge [3-1] [3.1-1]', async () => {
    const two = ['Bearer one', 'Bearer two'] as never;
    const response = await request(openApi(create)).get('/photos').set('Authorization', two);
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']).toContain('error="invalid_request"');
  });

  test('§3.1 a wrong one: 401 and the challenge [3-1] [3.1-2]', async () => {
    const response = await request(openApi(create)).get('/photos').set('Authorization', 'Bearer abc');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('§3.1 too few scopes: 403 and the challenge [3-1] [3.1-3]', async () => {
    const response = await request(openApi(create)).get('/photos').set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(403);
    expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(reached).toBe(0);
  });
});

describe('§3 rendered by the host', () => {
  const render: ErrorRequestHandler = (error, _req, res, _next) => {
    if (!(error instanceof OAuthError)) throw error;
    res.status(error.status).set(error.headers).type('text').send(`${error.error}: ${error.description}`);
  };

  test('§3.1 next(error) has status, headers, code and description [3-1] [3.1-3]', async () => {
    const response = await request(openApi(express, render))
      .get('/photos')
      .set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(403);
    expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(response.text).toBe('insufficient_scope: the access token needs the scope photos:read');
  });

  test('the private half is there for the host’s handler, and not in the text', async () => {
    let seen: unknown;
    const keep: ErrorRequestHandler = (error, req, res, next) => {
      seen = error;
      render(error, req, res, next);
    };
    const response = await request(openApi(express, keep))
      .get('/photos')
      .set('Authorization', `Bearer ${token}`);
    expect(seen).toMatchObject({ detail: 'it has profile', statusCode: 403 });
    expect(response.text).not.toContain('it has profile');
  });

  test('the answer carries the id under which the host was told', async () => {
    const response = await request(openApi(express, render)).get('/photos');
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(site.errors.at(-1)).toMatchObject({
      requestId: response.headers['x-request-id'],
      endpoint: 'guard',
    });
  });

  test('our handler leaves what is not ours to the next one', async () => {
    const app = express();
    app.get('/broken', () => {
      throw new Error('of the host');
    });
    app.use(site.oauth.errorHandler);
    const last: ErrorRequestHandler = (error: Error, _req, res, _next) =>
      void res.status(418).send(error.message);
    app.use(last);
    const response = await request(app).get('/broken');
    expect(response.status).toBe(418);
    expect(response.text).toBe('of the host');
  });
});
