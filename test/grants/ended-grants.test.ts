import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { codeQuery, hiddenFields, locationOf, logInPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { clientRequest, obtainCode, obtainTokens, redeem, refreshTokens } from '../support/tokens.js';

/** The number of calls of onRefresh, and whether the choice still holds. */
let hookCalls = 0;
let holds = true;
/** The reasons of ended grants, in order. */
const ends: string[] = [];
let client: ClientWithSecret;
const site = siteFor({
  resources: { 'https://photos.example': {} },
  policy: { onRefresh: () => void (hookCalls += 1) },
  choices: {
    album: {
      label: 'Album',
      scopes: ['photos:write'],
      list: () => [{ value: 'a', label: 'A' }],
      holds: () => holds,
    },
  },
});
beforeAll(async () => {
  site.oauth.events.on('grant.revoked', ({ reason }) => void ends.push(reason));
  client = await readingClient({ tokensPerHour: 3 });
});
afterEach(() => {
  holds = true;
  ends.length = 0;
  hookCalls = 0;
});

const readingClient = (more = {}) => site.client({ scopes: ['photos:read'], ...more });
const refresh = (of: ClientWithSecret, refreshToken: string) => refreshTokens(site, of, refreshToken);
const revoke = (of: ClientWithSecret, token: string) => clientRequest(site, of, '/oauth/revoke', { token });

describe('a refresh token of a grant that has ended', () => {
  test('a refresh token of an ended grant is invalid_grant each time, without hooks or quota', async () => {
    const { refresh_token } = await obtainTokens(site, client);
    await site.oauth.grants.revoke({ userId: 'ada' });
    for (let tries = 0; tries < 4; tries += 1) {
      const { status, body } = await refresh(client, refresh_token);
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
    expect(hookCalls).toBe(0);
    const other = await obtainTokens(site, client);
    expect((await refresh(client, other.refresh_token)).status).toBe(200);
  });

  test('a refresh token whose choice was lost ends its grant only once', async () => {
    const own = await site.client({ scopes: ['photos:write'] });
    const person = await logInPerson(site);
    const query = codeQuery(own);
    const page = await person.openAuthorize(query);
    const sent = { granted_scope: 'photos:write', 'choice-album': 'a', decision: 'allow' };
    const location = locationOf(await person.sendForm({ ...hiddenFields(page), ...sent }));
    const { body } = await redeem(site, own, String(location.searchParams.get('code')));
    holds = false;
    for (let tries = 0; tries < 3; tries += 1)
      expect((await refresh(own, body.refresh_token)).status).toBe(400);
    expect(ends).toEqual(['choice_lost']);
  });

  test('a client revokes a refresh token once, and further requests are 200 (RFC 7009 §2.2)', async () => {
    const own = await readingClient();
    const { refresh_token } = await obtainTokens(site, own);
    for (let tries = 0; tries < 3; tries += 1) expect((await revoke(own, refresh_token)).status).toBe(200);
    expect(ends).toEqual(['refresh_token_revoked']);
  });
});

test('resource, which may be repeated, is refused in the URL of a token request', async () => {
  const own = await readingClient();
  const code = await obtainCode(site, own, { query: { resource: 'https://photos.example' } });
  const { status, body } = await clientRequest(site, own, '/oauth/token?resource=https://photos.example', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
  });
  expect([status, body.error]).toEqual([400, 'invalid_request']);
});
