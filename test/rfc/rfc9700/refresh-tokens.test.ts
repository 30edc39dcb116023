import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { openSite, type Site } from '../../support/site.js';
import { callApi, type Fields, obtainTokens, tokenRequest } from '../../support/tokens.js';

const PHOTOS = 'https://photos.example/api';
const ALBUMS = 'https://albums.example/api';

let site: Site;
let client: ClientWithSecret;
beforeAll(async () => {
  site = await openSite({
    resources: { [PHOTOS]: { scopes: ['photos:read', 'photos:write'] }, [ALBUMS]: { scopes: ['profile'] } },
  });
  client = await site.client();
  site.app.get('/photos', site.oauth.guard({ resource: PHOTOS }), (req, res) => res.json(req.auth));
});
afterAll(() => site.close());

describe('§4.14.2 what a refresh token is for', () => {
  const refresh = (token: string, fields: Fields) =>
    tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: token, ...fields });

  test('§4.14.2 a refresh token gives no scope and no resource but those that the person has allowed, and is used up by no such try [4.14.2-2]', async () => {
    const { refresh_token: token } = await obtainTokens(site, client, {
      query: { resource: PHOTOS, scope: 'photos:read photos:write' },
      choice: { scopes: ['photos:read'] },
    });
    for (const [fields, error] of [
      [{ resource: ALBUMS }, 'invalid_target'],
      [{ resource: site.url }, 'invalid_target'],
      [{ scope: 'photos:read photos:write' }, 'invalid_scope'],
      [{ scope: 'profile' }, 'invalid_scope'],
    ] as const) {
      const { status, body } = await refresh(token, fields);
      expect([fields, status, body.error]).toEqual([fields, 400, error]);
    }
    const { body } = await refresh(token, {});
    expect(body.scope).toBe('photos:read');
    expect((await callApi(site, body.access_token, '/photos')).body).toMatchObject({
      scopes: ['photos:read'],
    });
    expect((await callApi(site, body.access_token)).status).toBe(401);
  });
});
