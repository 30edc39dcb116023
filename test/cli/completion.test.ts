import { execFileSync, spawnSync } from 'node:child_process';

import { describe, expect, test } from '@jest/globals';

import { runCli } from '../support/cli.js';

/** What the shell would offer after these words, with this completion script. */
const ASK: Readonly<Record<string, (script: string, terms: readonly string[]) => string>> = {
  bash: (script, terms) =>
    execFileSync('bash', [
      '-c',
      `${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _express_authorization_server; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...terms,
    ]).toString(),
  // zsh itself keeps only those that begin with the last word
  zsh: (script, terms) =>
    execFileSync('zsh', [
      '-fc',
      `compdef() { }; compadd() { shift; for one in "$@"; do [[ $one == "$last"* ]] && print -r -- "$one"; done }
last=\${@[-1]} words=("$@") CURRENT=$#\n${script}\n_express_authorization_server; true`,
      'zsh',
      ...terms,
    ]).toString(),
  fish: (script, terms) =>
    execFileSync('fish', ['--no-config', '-c', `${script}\ncomplete -C '${terms.join(' ')}'`])
      .toString()
      .replaceAll(/\t.*$/gm, ''),
};

describe.each(Object.keys(ASK))('express-authorization-server completion %s', (shell) => {
  const isThere = spawnSync(shell, ['-c', 'true']).error === undefined;
  const offered = async (...terms: string[]) => {
    const { code, stdout } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    return ASK[shell]!(stdout, ['express-authorization-server', ...terms])
      .split('\n')
      .filter(Boolean)
      .sort();
  };

  (isThere ? test : test.skip)('offers the commands, their options and the values of those', async () => {
    expect(await offered('cl')).toEqual(['clients']);
    expect(await offered('clients', 'r')).toEqual(['remove-owner', 'rotate-secret']);
    expect(await offered('clients', 'add')).toEqual(['add-owner']);
    expect(await offered('clients', 'create', '--type', '')).toEqual(['confidential', 'public']);
    expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'fish', 'zsh']));
    expect(await offered('keys', 'rotate', '--alg')).toEqual(['--algorithm']);
    expect(await offered('clients', 'delete', 'some-id', '--y')).toEqual(['--yes']);
    // the value of an option is not a command
    expect(await offered('clients', 'list', '--limit', '5', '--aft')).toEqual(['--after']);
  });
});

test('an unknown shell is refused with those that there are', async () => {
  expect(await runCli(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});
