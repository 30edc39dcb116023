import { createServer } from 'node:http';

import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { Passport } from 'passport';

import { sendRaw } from '../support/raw-http.js';
import { siteFor } from '../support/site-for.js';

/** Request targets other than a path (RFC 9112 §3.2): a client may send them, and none causes an error of the server. */
const METHODS = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'];

// as the documentation says: the client endpoints come before the session
const clientRouter: RequestHandler = (req, res, next) => site.oauth.clientRouter(req, res, next);
const site = siteFor({ before: (app) => app.use(clientRouter) });

test('OPTIONS * is answered with 204 and nothing else (RFC 9110 §9.3.7)', async () => {
  const { status, body } = await sendRaw(site.server, { method: 'OPTIONS', target: '*' });
  expect([status, body]).toEqual([204, '']);
});

test('OPTIONS * is answered by oauth.wellKnown at a site that mounts the endpoints itself', async () => {
  const server = createServer(express().use(site.oauth.wellKnown).use(new Passport().session())).listen(0);
  expect((await sendRaw(server, { method: 'OPTIONS', target: '*' })).status).toBe(204);
  server.close();
});

test.each(METHODS.slice(1))('%s * is answered 400 (RFC 9112 §3.2.4)', async (method) => {
  expect((await sendRaw(site.server, { method, target: '*' })).status).toBe(400);
});

describe.each([
  'http://photos.example',
  'http://photos.example/oauth/token',
  'https://photos.example/oauth/authorize?client_id=unknown',
  'http://photos.example/.well-known/oauth-authorization-server',
  'http://photos.example/oauth/authorizations',
  'http://photos.example/api/photos',
  'photos.example:443',
  'urn:example:photos',
  'http://[',
  '*?query',
  '*/oauth/token',
  '//oauth/token',
])('the target %s', (target) => {
  test.each(METHODS)(`the target ${target} causes no server error by %s`, async (method) => {
    expect((await sendRaw(site.server, { method, target })).status).toBeLessThan(500);
  });
});

test('an absolute URL as the target is answered as its path (RFC 9112 §3.2.2)', async () => {
  const { status, body } = await sendRaw(site.server, {
    target: `${site.url}/.well-known/oauth-authorization-server`,
  });
  expect([status, JSON.parse(body).issuer]).toEqual([200, site.url]);
});
