'use strict';
// A suite as a CommonJS site has it, run by Jest without flags, which can load no ESM.
const { once } = require('node:events');

const { afterAll, beforeAll, expect, test } = require('@jest/globals');
const express = require('express');
const { authorizationServer } = require('express-authorization-server');
const { bearerGuard, OAuthError } = require('express-authorization-server/guard');
const mongoose = require('mongoose');

let oauth;
let server;
let url;
beforeAll(async () => {
  const { connection } = await mongoose.connect(process.env.MONGODB_URI);
  const app = express();
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${server.address().port}`;
  oauth = authorizationServer({
    issuer: url,
    connection,
    scopes: { 'photos:read': 'See your photos' },
    login: '/login',
    // jose is loaded for them
    tokens: { accessTokenFormat: 'jwt' },
  });
  app.use(oauth.router);
  app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.clientId }));
  app.use(oauth.errorHandler);
});
afterAll(async () => {
  await oauth?.close();
  await mongoose.disconnect();
  server.close();
});

test('a client has a token, and the API answers to it and to nothing else', async () => {
  const { clientId, clientSecret } = await oauth.clients.create({
    name: 'Printing shop',
    grantTypes: ['client_credentials'],
  });
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = await response.json();
  const call = (headers) => fetch(`${url}/api/photos`, { headers });
  expect(await (await call({ Authorization: `Bearer ${token}` })).json()).toEqual({ photosOf: clientId });
  expect((await call({})).status).toBe(401);
});

test('the refusal of a misspelt option suggests the nearest one', () => {
  expect(() => authorizationServer({ isuer: url })).toThrow("did you mean 'issuer'");
});

test('both entry points have the same classes', () => {
  expect(typeof bearerGuard).toBe('function');
  expect(OAuthError).toBe(require('express-authorization-server').OAuthError);
});
