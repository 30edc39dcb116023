import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const LIB = fileURLToPath(new URL('../../lib', import.meta.url));
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

test('no two files of lib/ export the same name', () => {
  const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const filesOf = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(LIB, file), 'utf8').matchAll(EXPORT))
      filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
  expect(filesOf.size).toBeGreaterThan(2000);
  const twice = [...filesOf].filter(([, where]) => where.size > 1).map(([name, where]) => [name, ...where]);
  expect(twice).toEqual([]);
});
