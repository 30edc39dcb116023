import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard } from '../../lib/guard.js';
import { authorizationServer, type ClientWithSecret } from '../../lib/index.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { takeApart } from '../support/jwt.js';
import { type Processes, startProcesses } from '../support/processes.js';
import { basic } from '../support/tokens.js';
import { until } from '../support/until.js';

/** Enough that a token is always under way; the rotations decide how long this takes. */
const WORKERS = 2;
/** Milliseconds between two tokens of one worker; more tokens would not find more. */
const PAUSE = 20;

/**
 * Two processes issue and verify, a third verifies with just the published keys, while keys rotate by schedule and
 * command.
 */
let database: TestDatabase;
let processes: Processes;
let client: ClientWithSecret;

beforeAll(async () => {
  database = await openDatabase();
  processes = await startProcesses(2, database.uri, {
    tokens: { accessTokenFormat: 'jwt' },
    signingKeys: { publishAhead: 2, rotationInterval: 3 },
  });
  const oauth = authorizationServer({
    issuer: processes.issuer,
    connection: database.connection,
    scopes: { profile: 'See your name' },
    login: '/login',
  });
  client = await oauth.clients.create({ name: 'Load', grantTypes: ['client_credentials'] });
});
afterAll(async () => {
  await processes.close();
  await database.close();
});

test('no token is refused while keys rotate', async () => {
  const guard = bearerGuard({ issuer: processes.issuer, keysCooldown: 0.5 });
  const api = express()
    .get('/', guard(), (_req, res) => void res.json({}))
    .listen(0, '127.0.0.1');
  const kids = new Set<unknown>();
  const tokens: string[] = [];
  const refused: string[] = [];
  const check = async (token: string) => {
    const authorization = `Bearer ${token}`;
    const answers = await Promise.all([
      ...processes.urls.map((url) => fetch(`${url}/api/me`, { headers: { authorization } })),
      request(api).get('/').set('Authorization', authorization),
    ]);
    const statuses = answers.map(({ status }) => status);
    if (statuses.some((status) => status !== 200))
      refused.push(`${String(takeApart(token).header.kid)}: ${statuses.join(' ')}`);
  };
  const issueAndVerify = async () => {
    const response = await fetch(`${processes.issuer}/oauth/token`, {
      method: 'POST',
      headers: { authorization: basic(client.clientId, client.clientSecret ?? '') },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    kids.add(takeApart(token).header.kid);
    tokens.push(token);
    await check(token);
    // an older one, whose key may be retired by now
    await check(tokens[Math.floor(Math.random() * tokens.length)] ?? token);
  };
  let done = false;
  const workers = Array.from({ length: WORKERS }, async () => {
    while (!done) {
      await issueAndVerify();
      await delay(PAUSE);
    }
  });
  await until(() => kids.size >= 2);
  const rotated = await processes.rotate();
  await until(() => kids.size >= 4 && rotated.every((kid) => kids.has(kid)));
  done = true;
  await Promise.all(workers);
  await Promise.all(tokens.filter((_token, index) => index % 20 === 0).map(check));
  api.close();

  expect(refused).toEqual([]);
  expect(new Set(rotated).size).toBe(1);
  const generations = await database.connection
    .collection('oauth_signing_keys')
    .find()
    .sort({ _id: 1 })
    .toArray();
  expect(generations.map(({ _id }) => Number(_id))).toEqual(generations.map((_key, index) => index + 1));
  if (process.env.SHOW_FIGURES)
    process.stderr.write(
      `rotation under load: ${tokens.length} tokens by ${kids.size} keys, ${refused.length} refused\n`,
    );
});
