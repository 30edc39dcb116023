import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The files that another process has loaded after `program`. */
async function loadedBy(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['-e', `${program}; console.log(JSON.stringify(Object.keys(require.cache)))`],
    { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '' } },
  );
  return (JSON.parse(stdout) as string[]).map((file) => relative(ROOT, file));
}

const ofPackages = (files: readonly string[]) => [
  ...new Set(files.flatMap((file) => /node_modules\/((@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])),
];

test('an error of a second copy of the package is an OAuthError of the first copy', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '-e',
      `const { OAuthError } = require('./dist/guard.cjs');
      for (const file of Object.keys(require.cache)) delete require.cache[file];
      const { OAuthError: Second } = require('./dist/guard.cjs');
      class Narrower extends OAuthError {}
      const error = new Second('invalid_grant', 'of the copy');
      console.log(JSON.stringify([OAuthError === Second, error instanceof OAuthError, error instanceof Narrower,
        new Narrower('invalid_grant', 'narrower') instanceof Narrower, new Error() instanceof OAuthError]))`,
    ],
    { cwd: ROOT },
  );
  expect(JSON.parse(stdout)).toEqual([false, true, false, true, false]);
});

test('the entry point of resource servers loads no part of the authorization server', async () => {
  const files = await loadedBy("require('./dist/guard.cjs')");
  const refused = ['mongoose', 'mongodb', 'bcrypt', 'ejs', 'passport'];
  expect(ofPackages(files).filter((name) => refused.includes(name))).toEqual([]);
  expect(files.filter((file) => file.startsWith('dist/') && file.endsWith('.json'))).toEqual([]);
});

test('a site with only the code grant loads no language, unused feature or developer page', async () => {
  const files = await loadedBy(`
    const mongoose = require('mongoose');
    const { authorizationServer } = require('./dist/index.cjs');
    const connection = mongoose.createConnection();
    authorizationServer({ issuer: 'http://localhost:3000', connection, scopes: { 'photos:read': 'See your photos' }, login: '/login' })`);
  const own = files.filter((file) => file.startsWith('dist/'));
  expect(own.sort()).toEqual([
    'dist/guard-parts.cjs',
    'dist/index.cjs',
    'dist/server.cjs',
    'dist/views.json',
  ]);
  const parsed = own.filter((file) => file.endsWith('.cjs')).map((file) => statSync(`${ROOT}${file}`).size);
  expect(parsed.reduce((sum, size) => sum + size)).toBeLessThan(900_000);
  const optional = ['bcrypt', 'ejs', 'http-cache-semantics', 'intl-messageformat', 'jose', 'tldts', 'zod'];
  expect(ofPackages(files).filter((name) => optional.includes(name))).toEqual([]);
});
