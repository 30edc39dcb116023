import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, test } from '@jest/globals';

import * as ofGuard from '../../lib/guard.js';
import * as ofSite from '../../lib/index.js';
import * as ofTests from '../../lib/testing.js';
import {} from '../support/site.js';
import { siteFor } from '../support/site-for.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hosts = ['host.mts', 'everything.mts'].map((file) =>
  readFileSync(`${root}test/package/strict-flags/${file}`, 'utf8'),
);
const text = hosts.join('\n').replaceAll(/^import[^;]*;/gm, '');
const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(text);

test('a host with the strictest flags of TypeScript can pass undefined for an optional option', async () => {
  if (!existsSync(`${root}dist/index.d.cts`)) throw new Error('dist is missing: npm run build');
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const run = promisify(execFile)(process.execPath, [compiler, '-p', `${root}test/package/strict-flags`]);
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
});

describe('the coverage of the hosts with the strictest flags', () => {
  const site = siteFor();

  test.each([
    ['index', ofSite],
    ['guard', ofGuard],
    ['testing', ofTests],
  ])('the strict hosts use each value that the entry point %s exports', (_name, exported) => {
    expect(Object.keys(exported).filter((name) => !isNamed(name))).toEqual([]);
  });

  test('the strict hosts use each member of a server, and each of their functions', () => {
    const members = Object.keys(site.oauth);
    expect(members.filter((name) => !isNamed(name))).toEqual([]);
    const guard = Object.keys(site.oauth.guard).map((name) => ['guard', name]);
    const registries = [
      'clients',
      'grants',
      'keys',
      'audit',
      'webhooks',
      'sessions',
      'registration',
    ] as const;
    const functions = [...registries, 'personalAccessTokens' as const].flatMap((of) =>
      Object.entries(site.oauth[of])
        .filter(([, value]) => typeof value === 'function')
        .map(([name]) => [of, name]),
    );
    expect(functions.length).toBeGreaterThan(25);
    const missing = [...guard, ...functions].filter(([of, name]) => !isNamed(`${of}\\.${name}`));
    expect(missing).toEqual([]);
  });
});
