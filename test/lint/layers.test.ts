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
// rules with types are slow, and are not tested here
const untyped = [...config, tseslint.configs.disableTypeChecked as Linter.Config];

/** The problems of the layers that the configuration of this tree finds in a file with this code. */
const problemsOf = (file: string, code: string): string[] =>
  linter
    .verify(code, untyped, { filename: join(root, file) })
    .filter(({ ruleId, fatal }) => fatal || ruleId === 'local/layers')
    .map(({ message }) => message);

const ABOVE = 'lib/storage lies above lib/shared/crypto: imports go down only (see CONTRIBUTING.md).';

describe('an import that goes up is refused', () => {
  test.each([
    ['a static import', "import { a } from '../../storage/clients.js';"],
    ['an import for its effect', "import '../../storage/clients.js';"],
    ['an import of types', "import type { A } from '../../storage/clients.js';"],
    ['a dynamic import', "await import('../../storage/clients.js');"],
    ['a dynamic import in other quotes', 'await import(`../../storage/clients.js`);'],
    ['a type within the code', "export type B = import('../../storage/clients.js').A;"],
    ['the type of a module', "export type B = typeof import('../../storage/clients.js');"],
    ['exported names', "export { a } from '../../storage/clients.js';"],
    ['an export of everything', "export * from '../../storage/clients.js';"],
    ['exported types', "export type { A } from '../../storage/clients.js';"],
    ['an augmented module', "declare module '../../storage/clients.js' { interface A {} }"],
    ['an import of CommonJS', "import models = require('../../storage/clients.js');"],
    ['require', "require('../../storage/clients.js');"],
    ['createRequire', "createRequire(import.meta.url)('../../storage/clients.js');"],
    [
      'createRequire by another name',
      "const load = createRequire(import.meta.url); load('../../storage/clients');",
    ],
    ['a roundabout path', "import '../../../lib/storage/clients/client-collection.js';"],
    ['a path through its module', "import './../crypto/../../storage/clients.js';"],
  ])('an import that goes up is refused: %s', (_, code) => {
    expect(problemsOf('lib/shared/crypto/seal.ts', code)).toEqual([ABOVE]);
  });

  test.each([
    ['lib/shared/crypto/a/b.ts', "import '../../../storage/clients.js';"],
    ['lib/shared/crypto/a/b/c.ts', "import '../../../../storage/clients.js';"],
    ['lib/shared/crypto/a/b/c/d.ts', "import '../../../../../storage/clients.js';"],
  ])('an import that goes up is refused from a deep file: %s', (file, code) => {
    expect(problemsOf(file, code)).toEqual([ABOVE]);
  });

  test('an import that goes up is refused from a file beside the modules of its folder', () => {
    expect(problemsOf('lib/shared/errors.ts', "import './crypto/seal.js';")).toEqual([
      'lib/shared/crypto lies above lib/shared: imports go down only (see CONTRIBUTING.md).',
    ]);
  });

  test.each(['storage', 'cli', 'server', 'features'])('the guard may not import from %s', (layer) => {
    expect(problemsOf('lib/guard.ts', `export * from './${layer}/clients.js';`)).toEqual([
      `lib/${layer} lies above lib/guard.ts: imports go down only (see CONTRIBUTING.md).`,
    ]);
  });

  test.each(['storage/clients/client-collection.js', 'guard.js'])(
    'an import that goes up is refused from the module of the guard: %s',
    (path) => {
      expect(problemsOf('lib/core/guard/guard.ts', `import '../../${path}';`)).toHaveLength(1);
    },
  );

  test('an import that goes up by the name of the package is refused', () => {
    expect(problemsOf('lib/shared/crypto/seal.ts', "import 'express-authorization-server/guard';")).toEqual([
      'lib/index.ts lies above lib/shared/crypto: imports go down only (see CONTRIBUTING.md).',
    ]);
  });
});

describe('a file without a layer', () => {
  test.each([
    ['lib/newmodule/x.ts', 'lib/newmodule'],
    ['lib/newmodule/a/b/c/d.ts', 'lib/newmodule'],
    ['lib/new-file.ts', 'lib/new-file.ts'],
  ])('a file without a layer is refused: %s', (file, name) => {
    expect(problemsOf(file, "import '../cli/main.js';")).toEqual([
      `${name} is in no layer: name it in test/lint/layers.js and the map of CONTRIBUTING.md.`,
    ]);
  });

  test.each(['../newmodule/x.js', '../new-file.js', '../../package.json', '../../test/lint/layers.js', '..'])(
    'an import of a file without a layer is refused: %s',
    (path) => {
      expect(problemsOf('lib/cli/main.ts', `import '${path}';`)).toEqual([
        `'${path}' leads to no layer of lib/ (test/lint/layers.js).`,
      ]);
    },
  );

  test.each(['import(path)', 'import(`../${layer}/x.js`)', 'require(path)'])(
    'an import with a computed path is refused: %s',
    (code) => {
      expect(problemsOf('lib/cli/main.ts', `${code};`)).toEqual([
        'An import is written out, or nobody can tell to which layer it leads.',
      ]);
    },
  );
});

describe('imports of lib/shared/protocol from outside', () => {
  test.each([
    ['zod', "await import('zod');"],
    ['zod', "import { z } from 'zod';"],
    ['zod', "export type A = import('zod').ZodType;"],
    ['zod', "require('zod');"],
    ['node:fs', "import { readFileSync } from 'node:fs';"],
    ['node:module', "import { createRequire } from 'node:module';"],
    ['node:crypto/x', "import 'node:crypto/x';"],
  ])('lib/shared/protocol may not load %s by %s', (name, code) => {
    expect(problemsOf('lib/shared/protocol/pkce.ts', code)).toEqual([
      `lib/shared/protocol does no I/O: it loads nothing from outside, as '${name}' is.`,
    ]);
  });
});

describe('accepted imports', () => {
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
  ])('an import downwards is accepted in %s: %s', (file, code) => {
    expect(problemsOf(file, code)).toEqual([]);
  });
});

test('the list of layers equals the folders of lib/', () => {
  const there = readdirSync(join(root, 'lib')).filter((name) => name !== 'tsconfig.json');
  expect([...new Set(LAYERS.map((layer) => layer.split('/')[0]))].sort()).toEqual(there.sort());
});

test('the map of CONTRIBUTING.md has the layers in their order', () => {
  const map = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n## ')[2] ?? '';
  const layers = [...map.matchAll(/^\| `([^`]+?)\/?` \|/gm)].map(([, name = '']) => name);
  expect(map).toMatch(/^The map\n/);
  expect(layers).toEqual(LAYERS);
});
