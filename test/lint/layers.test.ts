import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));
// by a name that TypeScript does not follow: both are JavaScript, which has no types
const load = async (file: string): Promise<unknown> => import(join(root, file));
const { default: config } = (await load('eslint.config.js')) as { default: Linter.Config[] };
const { LAYERS } = (await load('test/lint/layers.js')) as { LAYERS: readonly string[] };

const linter = new Linter({ cwd: root });
// what asks for types takes its time, and is not what is tested
const untyped = [...config, tseslint.configs.disableTypeChecked as Linter.Config];

/** What the configuration of this tree says of the layers of a file, were its code this. */
const problemsOf = (file: string, code: string): string[] =>
  linter
    .verify(code, untyped, { filename: join(root, file) })
    .filter(({ ruleId, fatal }) => fatal || ruleId === 'local/layers')
    .map(({ message }) => message);

const ABOVE = 'lib/storage lies above lib/shared/crypto: imports go down only (see CONTRIBUTING.md).';

describe('an import that goes up is refused', () => {
  test.each([
    ['a static one', "import { a } from '../../storage/clients.js';"],
    ['one for its effect', "import '../../storage/clients.js';"],
    ['one of types', "import type { A } from '../../storage/clients.js';"],
    ['a dynamic one', "await import('../../storage/clients.js');"],
    ['a dynamic one in other quotes', 'await import(`../../storage/clients.js`);'],
    ['a type within the code', "export type B = import('../../storage/clients.js').A;"],
    ['the type of a module', "export type B = typeof import('../../storage/clients.js');"],
    ['names that go on', "export { a } from '../../storage/clients.js';"],
    ['all that goes on', "export * from '../../storage/clients.js';"],
    ['types that go on', "export type { A } from '../../storage/clients.js';"],
    ['a module that is added to', "declare module '../../storage/clients.js' { interface A {} }"],
    ['an import of CommonJS', "import models = require('../../storage/clients.js');"],
    ['require', "require('../../storage/clients.js');"],
    ['createRequire', "createRequire(import.meta.url)('../../storage/clients.js');"],
    [
      'createRequire by another name',
      "const load = createRequire(import.meta.url); load('../../storage/clients');",
    ],
    ['a roundabout path', "import '../../../lib/storage/clients/client-collection.js';"],
    ['a path by way of its own module', "import './../crypto/../../storage/clients.js';"],
  ])('%s', (_, code) => {
    expect(problemsOf('lib/shared/crypto/seal.ts', code)).toEqual([ABOVE]);
  });

  test.each([
    ['lib/shared/crypto/a/b.ts', "import '../../../storage/clients.js';"],
    ['lib/shared/crypto/a/b/c.ts', "import '../../../../storage/clients.js';"],
    ['lib/shared/crypto/a/b/c/d.ts', "import '../../../../../storage/clients.js';"],
  ])('however deep its file lies: %s', (file, code) => {
    expect(problemsOf(file, code)).toEqual([ABOVE]);
  });

  test('of a file beside the modules of its folder', () => {
    expect(problemsOf('lib/shared/errors.ts', "import './crypto/seal.js';")).toEqual([
      'lib/shared/crypto lies above lib/shared: imports go down only (see CONTRIBUTING.md).',
    ]);
  });

  test.each(['storage', 'cli', 'server', 'features'])('of the entry point of the guard: %s', (layer) => {
    expect(problemsOf('lib/guard.ts', `export * from './${layer}/clients.js';`)).toEqual([
      `lib/${layer} lies above lib/guard.ts: imports go down only (see CONTRIBUTING.md).`,
    ]);
  });

  test.each(['storage/clients/client-collection.js', 'guard.js'])(
    'of the module of the guard: %s',
    (path) => {
      expect(problemsOf('lib/core/guard/guard.ts', `import '../../${path}';`)).toHaveLength(1);
    },
  );

  test('by the name of the package', () => {
    expect(problemsOf('lib/shared/crypto/seal.ts', "import 'express-authorization-server/guard';")).toEqual([
      'lib/index.ts lies above lib/shared/crypto: imports go down only (see CONTRIBUTING.md).',
    ]);
  });
});

describe('nothing is without a layer', () => {
  test.each([
    ['lib/newmodule/x.ts', 'lib/newmodule'],
    ['lib/newmodule/a/b/c/d.ts', 'lib/newmodule'],
    ['lib/new-file.ts', 'lib/new-file.ts'],
  ])('%s', (file, name) => {
    expect(problemsOf(file, "import '../cli/main.js';")).toEqual([
      `${name} is in no layer: name it in test/lint/layers.js and the map of CONTRIBUTING.md.`,
    ]);
  });

  test.each(['../newmodule/x.js', '../new-file.js', '../../package.json', '../../test/lint/layers.js', '..'])(
    'nor what is imported: %s',
    (path) => {
      expect(problemsOf('lib/cli/main.ts', `import '${path}';`)).toEqual([
        `'${path}' leads to no layer of lib/ (test/lint/layers.js).`,
      ]);
    },
  );

  test.each(['import(path)', 'import(`../${layer}/x.js`)', 'require(path)'])(
    'nor what nobody can tell: %s',
    (code) => {
      expect(problemsOf('lib/cli/main.ts', `${code};`)).toEqual([
        'An import is written out, or nobody can tell to which layer it leads.',
      ]);
    },
  );
});

describe('lib/shared/protocol loads nothing from outside', () => {
  test.each([
    ['zod', "await import('zod');"],
    ['zod', "import { z } from 'zod';"],
    ['zod', "export type A = import('zod').ZodType;"],
    ['zod', "require('zod');"],
    ['node:fs', "import { readFileSync } from 'node:fs';"],
    ['node:module', "import { createRequire } from 'node:module';"],
    ['node:crypto/x', "import 'node:crypto/x';"],
  ])('%s by %s', (name, code) => {
    expect(problemsOf('lib/shared/protocol/pkce.ts', code)).toEqual([
      `lib/shared/protocol does no I/O: it loads nothing from outside, as '${name}' is.`,
    ]);
  });
});

describe('what is right is let be', () => {
  test.each([
    ['lib/storage/clients/client-collection.ts', "import '../../shared/crypto/seal.js';"],
    [
      'lib/storage/clients/client-collection.ts',
      "import './grants.js'; export type A = import('./documents.js').A;",
    ],
    ['lib/storage/clients/client-collection.ts', "import { OAuthError } from '../../shared/errors.js';"],
    [
      'lib/storage/clients/client-collection.ts',
      "import '../../guard.js'; import '../../core/guard/guard.js';",
    ],
    ['lib/shared/crypto/jose.ts', "await import('jose'); import 'node:fs';"],
    ['lib/shared/crypto/a/b/c/d.ts', "import '../../../e.js'; import '../../../../lazy.js';"],
    [
      'lib/shared/protocol/pkce.ts',
      "import { hash } from 'node:crypto'; await import('../crypto/secrets.js');",
    ],
    ['lib/guard.ts', "export { createGuard } from './core/guard/guard.js'; import './features/mcp/mcp.js';"],
    ['lib/testing.ts', "export * from './testing/decide.js';"],
    ['lib/index.ts', "export * from './cli/main.js';"],
    ['lib/cli/program.ts', "createRequire(import.meta.url)('express-authorization-server/package.json');"],
    ['lib/shared/crypto/seal.ts', "export const a = redirect('../../storage/clients.js');"],
    [
      'test/shared/crypto/seal.test.ts',
      "import '../../lib/storage/clients/client-collection.js'; import(path);",
    ],
  ])('%s: %s', (file, code) => {
    expect(problemsOf(file, code)).toEqual([]);
  });
});

test('the layers are what there is in lib/', () => {
  const there = readdirSync(join(root, 'lib')).filter((name) => name !== 'tsconfig.json');
  expect([...new Set(LAYERS.map((layer) => layer.split('/')[0]))].sort()).toEqual(there.sort());
});

test('the map of CONTRIBUTING.md has the layers in their order', () => {
  const map = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n## ')[2] ?? '';
  const layers = [...map.matchAll(/^\| `([^`]+?)\/?` \|/gm)].map(([, name = '']) => name);
  expect(map).toMatch(/^The map\n/);
  expect(layers).toEqual(LAYERS);
});
