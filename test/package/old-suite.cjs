'use strict';
/*
 * A suite as sites have kept it since 2020, run by Jest 26: it has neither the prefix `node:` nor `exports` of a
 * package.json, and gives a suite few of the globals that Node has.
 */
const http = require('http');

const express = require('express');
const { authorizationServer } = require('express-authorization-server');
const mongoose = require('mongoose');

/* global afterAll, beforeAll, expect, test */

let oauth;
let server;
beforeAll(async () => {
  const { connection } = await mongoose.connect(process.env.MONGODB_URI);
  const app = express();
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  oauth = authorizationServer({
    issuer: `http://127.0.0.1:${server.address().port}`,
    connection,
    scopes: { 'photos:read': 'See your photos' },
    login: '/login',
  });
  app.use(oauth.router);
  app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.clientId }));
  app.use(oauth.errorHandler);
});
afterAll(async () => {
  await oauth.close();
  await mongoose.disconnect();
  server.close();
});

const ask = (path, { method = 'GET', headers = {}, body = '' } = {}) =>
  new Promise((resolve, reject) => {
    const { port } = server.address();
    const request = http.request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    request.on('error', reject).end(body);
  });

test('a client has a token, and the API answers to it and to nothing else', async () => {
  const { clientId, clientSecret } = await oauth.clients.create({
    name: 'Printing shop',
    grantTypes: ['client_credentials'],
  });
  const { body } = await ask('/oauth/token', {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const headers = { Authorization: `Bearer ${body.access_token}` };
  expect(await ask('/api/photos', { headers })).toEqual({ status: 200, body: { photosOf: clientId } });
  expect((await ask('/api/photos')).status).toBe(401);
});
