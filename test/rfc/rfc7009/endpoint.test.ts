import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { commandsDuring } from '../../support/commands.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { clientRequest, tokenRequest } from '../../support/tokens.js';

describe('RFC 7009: the revocation endpoint', () => {
  const site = siteFor({ advanced: { clientCacheTtl: 0 } });
  const client = fixture(() => site.client());

  const revoke = (token: string, at = site, by = client) => clientRequest(at, by, '/oauth/revoke', { token });

  test('§2 the metadata has an https: revocation_endpoint without a fragment [2-3] [2-4] [2-7]', async () => {
    await using deployed = await openSite({
      database: site.database,
      issuer: 'https://photos.example',
      before: (app) => app.set('trust proxy', 'loopback'),
    });
    const { body } = await request(deployed.server)
      .get('/.well-known/oauth-authorization-server')
      .set({ Host: 'photos.example', 'X-Forwarded-Proto': 'https' });
    expect(body.revocation_endpoint).toBe('https://photos.example/oauth/revoke');
  });

  test('§5 wrong credentials at the revocation and token endpoints count together [5-1]', async () => {
    await using limited = await openSite({ database: site.database, security: { rateLimits: { token: 3 } } });
    const wrong = { ...client, clientSecret: 'wrong' };
    for (let time = 0; time < 2; time += 1) expect((await revoke('x', limited, wrong)).status).toBe(401);
    expect((await tokenRequest(limited, wrong, { grant_type: 'client_credentials' })).status).toBe(401);
    expect((await revoke('x', limited, wrong)).status).toBe(429);
    // a correct random secret is accepted
    expect((await revoke('x', limited)).status).toBe(200);
  });

  test('§5 a malformed token costs one command, another token at most three, and a megabyte is not read [5-2]', async () => {
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
