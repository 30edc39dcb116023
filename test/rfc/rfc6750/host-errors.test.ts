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

/** Another app with a guarded route, and with the error handler of the test, if there is one. */
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
])('§3 the final error handler of Express %s', (_version, create) => {
  test('§3.1 a request without a token gets 401 and a challenge [3-1] [3.1-4]', async () => {
    const response = await request(openApi(create)).get('/photos');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(challenge(', scope="photos:read"'));
    expect(reached).toBe(0);
  });

  test('§3.1 a request with two tokens gets 400 and a challenge [3-1] [3.1-1]', async () => {
    const two = ['Bearer one', 'Bearer two'] as never;
    const response = await request(openApi(create)).get('/photos').set('Authorization', two);
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']).toContain('error="invalid_request"');
  });

  test('§3.1 a wrong token gets 401 and a challenge [3-1] [3.1-2]', async () => {
    const response = await request(openApi(create)).get('/photos').set('Authorization', 'Bearer abc');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  test('§3.1 a token with too few scopes gets 403 and a challenge [3-1] [3.1-3]', async () => {
    const response = await request(openApi(create)).get('/photos').set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(403);
    expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(reached).toBe(0);
  });
});

describe('§3 an error handler of the site', () => {
  const render: ErrorRequestHandler = (error, _req, res, _next) => {
    if (!(error instanceof OAuthError)) throw error;
    res.status(error.status).set(error.headers).type('text').send(`${error.error}: ${error.description}`);
  };

  test('§3.1 the error of the guard has status, headers, code and description [3-1] [3.1-3]', async () => {
    const response = await request(openApi(express, render))
      .get('/photos')
      .set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(403);
    expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(response.text).toBe('insufficient_scope: the access token needs the scope photos:read');
  });

  test('the detail of an error reaches the error handler, and is not in the description', async () => {
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

  test('the response has the request id of the reported error', async () => {
    const response = await request(openApi(express, render)).get('/photos');
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(site.errors.at(-1)).toMatchObject({
      requestId: response.headers['x-request-id'],
      endpoint: 'guard',
    });
  });

  test('oauth.errorHandler passes other errors to the next error handler', async () => {
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
