import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { expect, test } from '@jest/globals';

import { SUITES } from './suites.js';

const ROOT = join(import.meta.dirname, '../..');

test.each(Object.entries(SUITES))('the suites for mutants of lib/%s exist', (module, paths) => {
  expect(existsSync(join(ROOT, 'lib', module))).toBe(true);
  const exists = (path: string) =>
    readdirSync(join(ROOT, 'test', dirname(path))).some((name) => name.startsWith(basename(path)));
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});
