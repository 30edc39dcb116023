import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { BCRYPT_PATIENCE } from '../../../lib/shared/limits/bcrypt-queues.js';
import { letLimitEnd } from '../../support/clock.js';
import { siteFor } from '../../support/site-for.js';
import { basic, postToken, tokenRequest } from '../../support/tokens.js';

const LIMIT = 4;

let client: ClientWithSecret;

const site = siteFor({
  grantTypes: ['client_credentials', 'password'],
  security: { rateLimits: { token: LIMIT, login: LIMIT } },
  people: {
    // asynchronous, like a password hash
    authenticate: async (username, password) => {
      await new Promise(setImmediate);
      return password === `password of ${username}` ? username : null;
    },
  },
});
// a new client for each test, because failures are counted by client
beforeEach(async () => {
  client = await site.client({ redirectUris: [] });
});

function guessSecret(clientId = client.clientId): Promise<Response> {
  return postToken(site, { grant_type: 'client_credentials' })
    .set('Authorization', basic(clientId, 'a guess'))
    .then();
}

function guessPassword(username: string, password = 'a guess'): Promise<Response> {
  return tokenRequest(site, client, { grant_type: 'password', username, password }).then();
}

async function repeat(times: number, attempt: () => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await attempt()).status);
  return statuses;
}

describe('§2.3.1 guessing the secret of a client', () => {
  test('§2.3.1 wrong client secrets are answered 429 after some failures [2.3.1-6] [10.10-1] [10.10-3]', async () => {
    client = await site.client({ clientSecret: 'chosen by a person', redirectUris: [] });
    expect(await repeat(LIMIT + 2, () => guessSecret())).toEqual([401, 401, 401, 401, 429, 429]);
  });

  test('§2.3.1 wrong client secrets in the body and in the header count together [2.3.1-6]', async () => {
    const inBody = () =>
      postToken(site, {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: 'a guess',
      }).then();
    expect(await repeat(LIMIT + 1, inBody)).toEqual([401, 401, 401, 401, 429]);
    expect((await guessSecret()).status).toBe(429);
  });

  test('§2.3.1 a correct client secret that a person chose is refused after too many failures [2.3.1-6]', async () => {
    client = await site.client({ clientSecret: 'chosen by a person', redirectUris: [] });
    await repeat(LIMIT, () => guessSecret());
    const response = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    expect(response.status).toBe(429);
    expect(response.headers['retry-after']).toMatch(/^\d+$/);
    expect(response.headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(response.body).toMatchObject({ error: 'temporarily_unavailable' });
  });

  test('§2.3.1 a generated client secret is accepted after too many failures, so that nobody locks out the client', async () => {
    expect(await repeat(LIMIT + 2, () => guessSecret())).toEqual([401, 401, 401, 401, 429, 429]);
    expect((await tokenRequest(site, client, { grant_type: 'client_credentials' })).status).toBe(200);
  });

  test('§2.3.1 failures of one client do not affect other clients', async () => {
    const other = await site.client({ redirectUris: [] });
    await repeat(LIMIT + 1, () => guessSecret());
    expect((await tokenRequest(site, other, { grant_type: 'client_credentials' })).status).toBe(200);
  });

  test('§2.3.1 concurrent wrong client secrets are counted one by one [2.3.1-6]', async () => {
    client = await site.client({ clientSecret: 'chosen by a person', redirectUris: [] });
    // the guesses wait for one another, on a busy machine for longer than that
    letLimitEnd(BCRYPT_PATIENCE, 'by hand');
    const answers = await Promise.all(Array.from({ length: 5 * LIMIT }, () => guessSecret()));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4 * LIMIT);
  });
});

describe('§4.3.2 guessing the password of a person', () => {
  test('§4.3.2 a correct password is refused after too many wrong passwords [4.3.2-8] [10.10-1] [10.10-3]', async () => {
    expect(await repeat(LIMIT + 1, () => guessPassword('ada'))).toEqual([400, 400, 400, 400, 429]);
    expect((await guessPassword('ada', 'password of ada')).status).toBe(429);
  });

  test('§4.3.2 wrong passwords of a person count for all clients together [4.3.2-8]', async () => {
    await repeat(LIMIT, () => guessPassword('bob'));
    client = await site.client({ redirectUris: [] });
    expect((await guessPassword('bob')).status).toBe(429);
  });

  test('§4.3.2 wrong passwords of one person do not affect other people', async () => {
    expect(await repeat(LIMIT + 1, () => guessPassword('carol'))).toContain(429);
    expect((await guessPassword('dave', 'password of dave')).status).toBe(200);
  });
});
