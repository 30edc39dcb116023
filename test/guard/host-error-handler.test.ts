import { expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import request from 'supertest';

import { siteFor } from '../support/site-for.js';

const site = siteFor();

it("an error handler of the host answers with the guard's challenge (RFC 6750 §3)", async () => {
  const answerAll: ErrorRequestHandler = (_error, _req, res, _next) => {
    res.status(401).json({ message: 'Please authenticate' });
  };
  const app = express()
    .get('/api/photos', site.oauth.guard('photos:read'), (_req, res) => void res.json([]))
    .use(answerAll);
  const missing = await request(app).get('/api/photos').expect(401);
  expect(missing.body).toEqual({ message: 'Please authenticate' });
  expect(missing.headers['www-authenticate']).toMatch(/^Bearer realm="[^"]+", scope="photos:read"/);
  const wrong = await request(app).get('/api/photos').set('Authorization', 'Bearer wrong');
  expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"');
});
