import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { letPass } from '../../support/clock.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainCode, obtainTokens, redeem, tokenRequest } from '../../support/tokens.js';

const site = siteFor();
/** The same site where an access token soon expires. */
const hasty = siteFor(() => ({ database: site.database, lifetimes: { accessToken: 1 } }));
const client = fixture(() => site.client());

async function tokenFor(scope: string, at = site): Promise<string> {
  const { body } = await tokenRequest(at, client, { grant_type: 'client_credentials', scope });
  return body.access_token;
}

describe('§7 the guard', () => {
  test('§7 a valid token is let through, and the route learns whose it is [7-1]', async () => {
    const { access_token: token } = await obtainTokens(site, client, {
      query: { scope: 'photos:read' },
      as: 'grace',
    });
    const response = await callApi(site, token, '/api/photos');
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      userId: 'grace',
      clientId: client.clientId,
      scopes: ['photos:read'],
    });
  });

  test('§7 no token, no resource [7-1] [7.2-1]', async () => {
    const response = await request(site.server).get('/api/photos');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Bearer /);
  });

  test('§7 a token that was never issued is refused, and the client is told [7-1] [7.2-1] [10.3-4]', async () => {
    const token = await tokenFor('photos:read');
    const another = await tokenFor('photos:read');
    const split = 'eas_at_'.length + 22;
    // the grant of one with the secret of the other, and single characters changed in every part
    const forged = [
      `${token.slice(0, split)}${another.slice(split)}`,
      ...[7, 20, 28, 29, 50, -1].map((index) => changeAt(token, index)),
    ];
    for (const each of forged) {
      const response = await callApi(site, each, '/api/photos');
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(response.body).toMatchObject({ error: 'invalid_token' });
    }
    expect((await callApi(site, token, '/api/photos')).status).toBe(200);
  });

  test('§7 an expired token is refused [7-1] [7.2-1]', async () => {
    const token = await tokenFor('photos:read', hasty);
    letPass(1.1);
    for (const at of [hasty, site]) {
      const response = await callApi(at, token, '/api/photos');
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
    }
  });

  test('§7 a revoked token is refused [7-1]', async () => {
    const code = await obtainCode(site, client);
    const { body } = await redeem(site, client, code);
    await redeem(site, client, code);
    expect((await callApi(site, body.access_token, '/api/photos')).status).toBe(401);
  });

  test('§7 a token whose scope does not cover the resource is refused [7-1] [7.2-1]', async () => {
    const token = await tokenFor('profile');
    const response = await callApi(site, token, '/api/photos');
    expect(response.status).toBe(403);
    expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(response.headers['www-authenticate']).toContain('scope="photos:read profile"');
    expect((await callApi(site, token)).status).toBe(200);
  });

  test('§7 where two scopes are needed, one is not enough [7-1]', async () => {
    const post = async (scope: string) =>
      request(site.server)
        .post('/api/photos')
        .set('Authorization', `Bearer ${await tokenFor(scope)}`);
    expect((await post('photos:read')).status).toBe(403);
    expect((await post('photos:write')).status).toBe(403);
    expect((await post('photos:read photos:write')).status).toBe(201);
  });
});

function changeAt(token: string, index: number): string {
  const at = index < 0 ? token.length + index : index;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}
