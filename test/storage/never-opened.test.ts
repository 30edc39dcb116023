import { expect, test } from '@jest/globals';
import express from 'express';
import mongoose from 'mongoose';
import request from 'supertest';

import { authorizationServer } from '../../lib/index.js';
import { letLimitEnd } from '../support/clock.js';
import { SCOPES } from '../support/site.js';

/** Milliseconds in which the site may open its connection. */
const OPEN_TIME = 10_000;

function openNever() {
  const details: unknown[] = [];
  const oauth = authorizationServer({
    issuer: 'http://127.0.0.1:3000',
    connection: mongoose.createConnection(),
    scopes: SCOPES,
    login: '/login',
    onError: ({ detail }) => void details.push(detail),
  });
  return { oauth, details };
}

test('a connection that is never opened is reported at the start, and ready() rejects', async () => {
  letLimitEnd(OPEN_TIME, 'at once');
  const { oauth, details } = openNever();
  expect(await oauth.ready().catch(String)).toContain('the Mongoose connection was never opened');
  expect(details).toEqual([expect.stringContaining('the Mongoose connection was never opened')]);
  await oauth.close();
});

test('the log of a 503 names a connection that is never opened', async () => {
  const { oauth, details } = openNever();
  const { status } = await request(express().use(oauth.router))
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'authorization_code', client_id: 'a', code: 'b' });
  expect([status, details]).toEqual([
    503,
    [expect.stringContaining('the Mongoose connection was never opened: call mongoose.connect(…)')],
  ]);
  await oauth.close();
});
