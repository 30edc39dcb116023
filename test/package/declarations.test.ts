import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { allClientFields, BUILT_IN } from '../../lib/features.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The text of the declarations; a host's editor shows it. */
function declarations(): string {
  if (!existsSync(`${DIST}index.d.cts`)) throw new Error('dist is missing: npm run build');
  return readdirSync(DIST)
    .filter((name) => name.endsWith('.d.cts'))
    .map((name) => readFileSync(`${DIST}${name}`, 'utf8'))
    .join('\n');
}

test('each field of a client has its documentation in the declarations', () => {
  const text = declarations();
  const [, members = ''] = /interface ClientMetadata \{\n([^]*?)\n\}/.exec(text) ?? [];
  const undocumented = allClientFields(BUILT_IN)
    .map(({ name }) => name)
    .filter((name) => !new RegExp(`\\*/\\s+readonly ${name}\\??: `).test(members));
  expect(undocumented).toEqual([]);
});
