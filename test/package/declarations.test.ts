import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { allClientFields, BUILT_IN } from '../../lib/features.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** What the declarations of one format say; a host's editor shows it. */
function declarations(ending: string): string {
  if (!existsSync(`${DIST}index.d.ts`)) throw new Error('dist is missing: npm run build');
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(`${DIST}${name}`, 'utf8'))
    .join('\n');
}

test.each(['.d.ts', '.d.cts'])('each field of a client has its documentation in the %s files', (ending) => {
  const text = declarations(ending);
  const [, members = ''] = /export interface ClientMetadata \{\n([^]*?)\n\}/.exec(text) ?? [];
  const undocumented = allClientFields(BUILT_IN)
    .map(({ name }) => name)
    .filter((name) => !new RegExp(`\\*/\\s+readonly ${name}\\??: `).test(members));
  expect(undocumented).toEqual([]);
});
