import { describe, expect, test } from '@jest/globals';

import { createUsers } from '../../lib/index.js';
import { type CliOptions, runCli } from '../support/cli.js';
import { openDatabase } from '../support/database.js';
import { exitWith } from '../support/refusal.js';
import { fixture } from '../support/site-for.js';

const PASSWORD = 'correct-horse-battery';

describe('express-authorization-server users create', () => {
  const database = fixture(() => openDatabase());

  const create = (username: string, options: CliOptions, ...args: string[]) =>
    runCli(['users', 'create', '--username', username, ...args], { uri: database.uri, ...options });
  const users = () => createUsers(database.connection);

  test('users create asks twice for a hidden password, and the user can log in', async () => {
    const { code, stdout, stderr } = await create(
      'ada',
      { isTerminal: true, input: `${PASSWORD}\n${PASSWORD}\n` },
      '--name',
      'Ada Lovelace',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Password: \nThe same again: \n' });
    expect(stdout).toContain('Ada Lovelace');
    expect(stdout).not.toContain(PASSWORD);
    expect(await users().verify('ada', PASSWORD)).toMatchObject({ username: 'ada', name: 'Ada Lovelace' });
    expect(await users().verify('ada', `${PASSWORD}!`)).toBeNull();
  });

  test('users create refuses two different passwords', async () => {
    const { code, stderr } = await create('eve', { isTerminal: true, input: `${PASSWORD}\n${PASSWORD}x\n` });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('the two passwords differ'),
    });
    expect(stderr).not.toContain(PASSWORD);
    expect(await users().verify('eve', PASSWORD)).toBeNull();
  });

  test.each([
    ['Ctrl-C', `${PASSWORD}\u0003`],
    ['the end of the input', `${PASSWORD}\n`],
  ])('users create makes no user after %s', async (_how, input) => {
    const { code, stderr } = await create('eve', { isTerminal: true, input });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('nothing was stored') });
    expect(await users().verify('eve', PASSWORD)).toBeNull();
  });

  test('users create --password-stdin reads the password without a terminal', async () => {
    const made = await create('grace', { input: `${PASSWORD}\n` }, '--password-stdin', '--json');
    const user = await users().verify('grace', PASSWORD);
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toEqual({ id: user!.id, username: 'grace', name: 'grace' });
    expect(made.stdout + made.stderr).not.toContain(PASSWORD);
    expect(await create('nobody', { input: PASSWORD })).toMatchObject(exitWith(2, '--password-stdin'));
  });

  test('users create refuses a password as an argument and does not repeat it', async () => {
    const { code, stderr } = await create('eve', {}, '--password', PASSWORD);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--password'");
    expect(stderr).not.toContain(PASSWORD);
  });

  test.each([
    ['an existing name in another case', 'ADA', PASSWORD, 'This user name is taken already.'],
    ['a short password', 'eve', 'short', 'The password has fewer than 8 characters.'],
    ['an invisible character in the name', 'e\u200bve', PASSWORD, 'invisible'],
  ])('users create refuses %s', async (_title, username, password, terms) => {
    const { code, stdout, stderr } = await create(username, { input: password }, '--password-stdin');
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(terms) });
    expect(stderr).not.toContain(PASSWORD);
  });
});
