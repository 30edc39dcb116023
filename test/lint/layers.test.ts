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
const { FLOORS } = (await load('test/lint/layers.js')) as { FLOORS: readonly string[] };

const linter = new Linter({ cwd: root });
// what asks for types takes its time, and is not what is tested
const untyped = [...config, tseslint.configs.disableTypeChecked as Linter.Config];

/** What the configuration of this tree says of the floors of a file, were its code this. */
const problemsOf = (file: string, code: string): string[] =>
  linter
    .verify(code, untyped, { filename: join(root, file) })
    .filter(({ ruleId, fatal }) => fatal || ruleId === 'house/floors')
    .map(({ message }) => message);

const ABOVE = 'lib/models lies above lib/crypto: imports go down only (see CONTRIBUTING.md).';

describe('an import that goes up is refused', () => {
  test.each([
    ['a static one', "import { a } from '../models/clients.js';"],
    ['one for its effect', "import '../models/clients.js';"],
    ['one of types', "import type { A } from '../models/clients.js';"],
    ['a dynamic one', "await import('../models/clients.js');"],
    ['a dynamic one in other quotes', 'await import(`../models/clients.js`);'],
    ['a type within the code', "export type B = import('../models/clients.js').A;"],
    ['the type of a module', "export type B = typeof import('../models/clients.js');"],
    ['names that go on', "export { a } from '../models/clients.js';"],
    ['all that goes on', "export * from '../models/clients.js';"],
    ['types that go on', "export type { A } from '../models/clients.js';"],
    ['a module that is added to', "declare module '../models/clients.js' { interface A {} }"],
    ['an import of CommonJS', "import models = require('../models/clients.js');"],
    ['require', "require('../models/clients.js');"],
    ['createRequire', "createRequire(import.meta.url)('../models/clients.js');"],
    [
      'createRequire by another name',
      "const load = createRequire(import.meta.url); load('../models/clients');",
    ],
    ['a roundabout path', "import '../../lib/storage/clients/client-collection.js';"],
    ['a path by way of its own room', "import './../crypto/../models/clients.js';"],
  ])('%s', (_, code) => {
    expect(problemsOf('lib/shared/crypto/seal.ts', code)).toEqual([ABOVE]);
  });

  test.each([
    ['lib/crypto/a/b.ts', "import '../../models/clients.js';"],
    ['lib/crypto/a/b/c.ts', "import '../../../models/clients.js';"],
    ['lib/crypto/a/b/c/d.ts', "import '../../../../models/clients.js';"],
  ])('however deep its file lies: %s', (file, code) => {
    expect(problemsOf(file, code)).toEqual([ABOVE]);
  });

  test('of a file at the top', () => {
    expect(problemsOf('lib/shared/errors.ts', "import './crypto/seal.js';")).toEqual([
      'lib/crypto lies above lib/shared/errors.ts: imports go down only (see CONTRIBUTING.md).',
    ]);
  });

  test.each(['models', 'cli', 'server'])('of the door of the guard: %s', (room) => {
    expect(problemsOf('lib/guard.ts', `export * from './${room}/clients.js';`)).toEqual([
      `lib/${room} lies above lib/guard.ts: imports go down only (see CONTRIBUTING.md).`,
    ]);
  });

  test.each(['storage/clients/client-collection.js', 'guard.js'])('of the room of the guard: %s', (path) => {
    expect(problemsOf('lib/core/guard/guard.ts', `import '../${path}';`)).toHaveLength(1);
  });

  test('by the name of the package', () => {
    expect(problemsOf('lib/shared/crypto/seal.ts', "import 'express-authorization-server/guard';")).toEqual([
      'lib/index.ts lies above lib/crypto: imports go down only (see CONTRIBUTING.md).',
    ]);
  });
});

describe('nothing is without a floor', () => {
  test.each([
    ['lib/newroom/x.ts', 'lib/newroom'],
    ['lib/newroom/a/b/c/d.ts', 'lib/newroom'],
    ['lib/new-file.ts', 'lib/new-file.ts'],
  ])('%s', (file, name) => {
    expect(problemsOf(file, "import '../cli/main.js';")).toEqual([
      `${name} is on no floor: name it in test/lint/layers.js and the map of CONTRIBUTING.md.`,
    ]);
  });

  test.each(['../newroom/x.js', '../new-file.js', '../../package.json', './layers.js', '..'])(
    'nor what is imported: %s',
    (path) => {
      expect(problemsOf('lib/cli/main.ts', `import '${path}';`)).toEqual([
        `'${path}' leads to no floor of lib/ (test/lint/layers.js).`,
      ]);
    },
  );

  test.each(['import(path)', 'import(`../${room}/x.js`)', 'require(path)'])(
    'nor what nobody can tell: %s',
    (code) => {
      expect(problemsOf('lib/cli/main.ts', `${code};`)).toEqual([
        'An import is written out, or nobody can tell to which floor it leads.',
      ]);
    },
  );
});

describe('lib/protocol loads nothing from outside', () => {
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
      `lib/protocol does no I/O: it loads nothing from outside, as '${name}' is.`,
    ]);
  });
});

describe('what is right is let be', () => {
  test.each([
    ['lib/storage/clients/client-collection.ts', "import '../crypto/seal.js';"],
    [
      'lib/storage/clients/client-collection.ts',
      "import './grants.js'; export type A = import('./documents.js').A;",
    ],
    ['lib/storage/clients/client-collection.ts', "import { OAuthError } from '../errors.js';"],
    ['lib/storage/clients/client-collection.ts', "import '../guard.js'; import '../guard/guard.js';"],
    ['lib/shared/crypto/jose.ts', "await import('jose'); import 'node:fs';"],
    ['lib/crypto/a/b/c/d.ts', "import '../../../e.js'; import '../../../../once.js';"],
    [
      'lib/shared/protocol/pkce.ts',
      "import { hash } from 'node:crypto'; await import('../crypto/secrets.js');",
    ],
    ['lib/guard.ts', "export { bearerGuard } from './guard/bearer-guard.js';"],
    ['lib/testing.ts', "export * from './testing/decide.js';"],
    ['lib/index.ts', "export * from './cli/main.js';"],
    ['lib/cli/program.ts', "createRequire(import.meta.url)('express-authorization-server/package.json');"],
    ['lib/shared/crypto/seal.ts', "export const a = redirect('../models/clients.js');"],
    [
      'test/shared/crypto/seal.test.ts',
      "import '../../lib/storage/clients/client-collection.js'; import(path);",
    ],
  ])('%s: %s', (file, code) => {
    expect(problemsOf(file, code)).toEqual([]);
  });
});

test('the floors are what there is in lib/', () => {
  const there = readdirSync(join(root, 'lib')).filter((name) => name !== 'tsconfig.json');
  expect([...FLOORS].sort()).toEqual(there.sort());
});

test('the map of CONTRIBUTING.md has the floors in their order', () => {
  const map = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n## ')[2] ?? '';
  const rooms = [...map.matchAll(/^\| `([^`]+?)\/?` \|/gm)].map(([, name = '']) => name);
  expect(map).toMatch(/^The map\n/);
  expect(rooms).toEqual(FLOORS);
});
