import { afterEach, describe, expect, test } from '@jest/globals';

import { createUsers } from '../../lib/index.js';
import { doEverything } from '../scale/everything.js';
import { openFullSite } from '../scale/full-site.js';
import { testHearing } from '../support/change-streams.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, obtainTokens, postToken, tokenRequest } from '../support/tokens.js';

describe('the settings of a connection for operations of the host', () => {
  let database: TestDatabase;
  let site: Site;
  afterEach(async () => {
    await site.close();
    await database.close();
  });

  test('promoteValues: false changes nothing in any function of a site', async () => {
    database = await openDatabase(undefined, undefined, { promoteValues: false });
    site = await openFullSite({ database });
    await doEverything(site);
    expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]);
  });

  testHearing('a call is accepted with guard.cache and promoteValues: false', async () => {
    database = await openDatabase(undefined, undefined, { promoteValues: false });
    site = await openSite({ database, guard: { cache: true } });
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect((await callApi(site, token)).status).toBe(200);
  });

  test('raw: true changes nothing in codes, tokens and limits', async () => {
    database = await openDatabase(undefined, undefined, { raw: true });
    site = await openSite({ database });
    const client = await site.client();
    const tokens = await obtainTokens(site, client);
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
    const { body } = await tokenRequest(site, client, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }).expect(200);
    for (let attempt = 0; attempt < 3; attempt += 1)
      await postToken(site, { grant_type: 'refresh_token', refresh_token: 'x' })
        .auth(client.clientId, 'a guess')
        .expect(401);
    await site.oauth.grants.revoke({ clientId: client.clientId });
    expect((await callApi(site, String(body.access_token))).status).toBe(401);
  });

  test.each([undefined, 'email'])(
    'raw: true keeps the field name of a duplicate value (%s)',
    async (email) => {
      database = await openDatabase(undefined, undefined, { raw: true });
      site = await openSite({ database });
      const users = createUsers(database.connection, {
        rounds: 4,
        ...(email && { schema: (schema) => void schema.add({ email: { type: String, unique: true } }) }),
      });
      const user = { password: 'correct horse', ...(email && { email: 'ada@example.org' }) } as const;
      await users.create({ ...user, username: 'ada' });
      await expect(users.create({ ...user, username: email ? 'grace' : 'ada' })).rejects.toMatchObject({
        name: 'UserError',
        field: email ?? 'username',
      });
    },
  );
});
