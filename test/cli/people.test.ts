import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { createUsers, type EndedAccount } from '../../lib/index.js';
import { openAccountSite, placesOf } from '../support/account-life.js';
import { runCli } from '../support/cli.js';
import { KEY_SECRET, type Site } from '../support/site.js';
import { callApi } from '../support/tokens.js';

let site: Site;
beforeAll(async () => void (site = await openAccountSite()));
afterAll(() => site.close());

const run = (args: readonly string[], more: object = {}) =>
  runCli(args, { uri: site.database.uri, env: { KEY_SECRET }, ...more });

/** A user of `createUsers` with a token and an application; their ids, and the value of the token. */
async function makeUser(username: string) {
  const users = createUsers(site.database.connection, { rounds: 4 });
  const { id } = await users.create({ username, password: 'a long password' });
  const { clientId } = await site.client({ ownerId: id });
  const made = { userId: id, name: 'Backup', scopes: ['photos:read'] };
  const { token } = await site.oauth.personalAccessTokens.create(made);
  await site.oauth.audit.find();
  return { id, clientId, token, users };
}

describe('the command line', () => {
  test.each([
    ['people end', 'people', 'end', true],
    ['users delete', 'users', 'delete', false],
  ])('%s ends an account once its id is typed', async (name, command, verb, isUserLeft) => {
    const { id, clientId, token, users } = await makeUser(name);
    const refused = await run([command, verb, id], { isTerminal: true, input: 'no\n' });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was changed') });
    expect(await users.findById(id)).toMatchObject({ id });
    expect((await callApi(site, token)).status).toBe(200);
    const done = await run([command, verb, id], { isTerminal: true, input: `${id}\n` });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/applications blocked +1 +/) });
    expect(done.stdout.includes('oauth_users')).toBe(!isUserLeft);
    expect((await callApi(site, token)).status).toBe(401);
    expect((await site.oauth.clients.find(clientId))?.blocked).toBeDefined();
    expect((await users.findById(id)) !== null).toBe(isUserLeft);
    expect(await placesOf(site, id)).toEqual(isUserLeft ? ['oauth_users _id'] : []);
  });

  test('a dry run changes nothing, and a script needs --yes; the pseudonym is that of the site', async () => {
    const { id, clientId } = await makeUser('linus');
    const planned = await run(['people', 'end', id, '--dry-run', '--json', '--applications', 'delete']);
    expect((JSON.parse(planned.stdout) as EndedAccount).applications.deleted).toEqual([clientId]);
    expect(await run(['people', 'end', id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const ended = await run(['people', 'end', id, '--yes', '--json', '--transfer-to', 'grace']);
    const { pseudonym, applications } = JSON.parse(ended.stdout) as EndedAccount;
    expect(applications.transferred).toEqual([clientId]);
    expect(pseudonym).toBe((await site.oauth.people.end(id, { dryRun: true })).pseudonym);
    expect(await site.oauth.audit.find({ userId: pseudonym })).toContainEqual(
      expect.objectContaining({ type: 'account.ended', endpoint: 'command_line' }),
    );
  });

  test.each(['people', 'users'])('%s export writes what is stored about a user', async (command) => {
    const { id } = await makeUser(`of ${command}`);
    const { code, stdout } = await run([command, 'export', id]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      userId: id,
      records: {
        oauth_users: [{ username: `of ${command}` }],
        oauth_grants: [{ namedToken: { name: 'Backup' } }],
      },
    });
  });
});
