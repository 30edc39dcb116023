import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { commandsDuring } from '../../support/commands.js';
import { openSite, type Site } from '../../support/site.js';
import { basic, callApi, obtainTokens, tokenRequest } from '../../support/tokens.js';

describe('RFC 7009: the revocation endpoint', () => {
  let site: Site;
  let client: ClientWithSecret;

  beforeAll(async () => {
    site = await openSite({ advanced: { clientCacheTtl: 0 } });
    client = await site.client();
  });
  afterAll(() => site.close());

  const revoke = (token: string, at = site, by = client) =>
    request(at.server)
      .post('/oauth/revoke')
      .type('form')
      .set('Authorization', basic(by.clientId, by.clientSecret ?? ''))
      .send({ token });

  test('§2 its URL, as published, is https: and has no fragment [2-3] [2-4] [2-7]', async () => {
    const deployed = await openSite({
      database: site.database,
      issuer: 'https://photos.example',
      before: (app) => app.set('trust proxy', 'loopback'),
    });
    try {
      const { body } = await request(deployed.server)
        .get('/.well-known/oauth-authorization-server')
        .set({ Host: 'photos.example', 'X-Forwarded-Proto': 'https' });
      expect(body.revocation_endpoint).toBe('https://photos.example/oauth/revoke');
    } finally {
      await deployed.close();
    }
  });

  test('§2 without TLS it refuses, and the token lives on [2-5]', async () => {
    const tokens = await obtainTokens(site, client);
    const response = await revoke(tokens.access_token).set('Host', 'photos.example');
    expect(response).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: expect.stringContaining('TLS') },
    });
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
  });

  test('§5 whoever was wrong too often is refused, here and at the token endpoint together [5-1]', async () => {
    const limited = await openSite({ database: site.database, security: { rateLimits: { token: 3 } } });
    try {
      const wrong = { ...client, clientSecret: 'wrong' };
      for (let time = 0; time < 2; time += 1) expect((await revoke('x', limited, wrong)).status).toBe(401);
      expect((await tokenRequest(limited, wrong, { grant_type: 'client_credentials' })).status).toBe(401);
      expect((await revoke('x', limited, wrong)).status).toBe(429);
      // the right random secret cannot be a guess
      expect((await revoke('x', limited)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('§5 a token that cannot be one costs the look-up of the client, any other one or two commands more; a megabyte is not read [5-2]', async () => {
    const cost = async (token: string) =>
      (
        await commandsDuring(site.database, () =>
          revoke(token).then(({ status }) => expect(status).toBe(200)),
        )
      ).length;
    // the signing keys are read once in the life of a process
    await cost('a.b.c');
    expect(await cost('nonsense')).toBe(1);
    expect(await cost('a.b.c')).toBe(1);
    expect(await cost(`eas_at_${'A'.repeat(65)}`)).toBeLessThanOrEqual(3);
    expect((await revoke('x'.repeat(1024 * 1024))).status).toBe(413);
  });
});
