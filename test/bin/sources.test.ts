import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

const DIST = join(process.cwd(), 'dist');

test('no program of the package makes V8 store its source with two bytes a character', () => {
  const programs = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.c?js$/.test(file),
  );
  expect(programs.length).toBeGreaterThan(5);
  expect(programs.filter((file) => /[^\0-\xff]/.test(readFileSync(join(DIST, file), 'utf8')))).toEqual([]);
});
