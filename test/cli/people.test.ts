import { describe, expect, test } from '@jest/globals';

import { createUsers, type EndedAccount } from '../../lib/index.js';
import { openAccountSite, placesOf } from '../support/account-life.js';
import { runCli } from '../support/cli.js';
import { exitWith } from '../support/refusal.js';
import { KEY_SECRET } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';

const site = fixture(() => openAccountSite());

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

describe('the commands people and users', () => {
  test.each([
    ['people end', 'people', 'end', true],
    ['users delete', 'users', 'delete', false],
  ])('the command %s ends an account once its id is typed', async (name, command, verb, isUserLeft) => {
    const { id, clientId, token, users } = await makeUser(name);
    const refused = await run([command, verb, id], { isTerminal: true, input: 'no\n' });
    expect(refused).toMatchObject(exitWith(1, 'nothing was changed'));
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

  test('people end --dry-run changes nothing, and a script needs --yes', async () => {
    const { id, clientId } = await makeUser('linus');
    const planned = await run(['people', 'end', id, '--dry-run', '--json', '--applications', 'delete']);
    expect((JSON.parse(planned.stdout) as EndedAccount).applications.deleted).toEqual([clientId]);
    expect(await run(['people', 'end', id])).toMatchObject(exitWith(2, '--yes'));
    const ended = await run(['people', 'end', id, '--yes', '--json', '--transfer-to', 'grace']);
    expect(ended.stderr).toContain("see that 'grace' is one of them");
    const { pseudonym, applications } = JSON.parse(ended.stdout) as EndedAccount;
    expect(applications.transferred).toEqual([clientId]);
    expect(pseudonym).toBe((await site.oauth.people.end(id, { dryRun: true })).pseudonym);
    expect(await site.oauth.audit.find({ userId: pseudonym })).toContainEqual(
      expect.objectContaining({ type: 'account.ended', endpoint: 'command_line' }),
    );
  });

  test('users delete and users export take a name, unless it is the id of another user', async () => {
    const { id, token, users } = await makeUser('Grete');
    const other = await users.create({ username: id, password: 'a long password' });
    const exported = await run(['users', 'export', 'grete']);
    expect(JSON.parse(exported.stdout)).toMatchObject({ userId: id });
    expect(JSON.parse((await run(['users', 'export', id])).stdout)).toMatchObject({ userId: id });
    const done = await run(['users', 'delete', 'grete'], { isTerminal: true, input: `${id}\n` });
    expect(done).toMatchObject(exitWith(0, `the id of grete is ${id}`));
    expect((await callApi(site, token)).status).toBe(401);
    expect([await users.findById(id), await users.findById(other.id)]).toEqual([null, other]);
  });

  test.each([
    ['users delete', ['--yes']],
    ['users delete', ['--dry-run']],
    ['users export', []],
    ['people end', ['--yes']],
    ['people export', []],
  ])('%s %j says that an unknown id has no data', async (command, flags) => {
    const { code, stderr } = await run([...command.split(' '), 'nobody', ...flags]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("nothing is stored about 'nobody'"),
    });
    expect(stderr).toContain(command.startsWith('users') ? 'user name' : 'people.id');
  });

  test('users delete ends the remaining access of a deleted user', async () => {
    const { id, token } = await makeUser('half');
    await site.database.collection('oauth_users').deleteOne({ _id: id as never });
    expect(await run(['users', 'delete', id, '--yes'])).toMatchObject({ code: 0 });
    expect((await callApi(site, token)).status).toBe(401);
  });

  test.each([
    [['--applications', 'delete', '--transfer-to', 'grace'], 2, 'cannot be used with'],
    [['--transfer-to', 'nobody', '--yes'], 2, "there is no user 'nobody'"],
  ])('users delete refuses %j and changes nothing', async (flags, code, message) => {
    const { id, users } = await makeUser(message);
    const refused = await run(['users', 'delete', id, ...flags]);
    expect(refused).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(await users.findById(id)).toMatchObject({ id });
  });

  test.each(['people', 'users'])('%s export prints everything stored about a user', async (command) => {
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
