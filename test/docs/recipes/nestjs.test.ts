import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import ts from 'typescript';

import { root } from '../blocks.js';
import { PERSON } from './actions.js';
import { describeInstalled } from './install.js';
import { openRecipe, type RunningRecipe, withRecipes } from './recipe.js';

/** The flags of `nest build`: CommonJS, with legacy decorators. */
const FLAGS = ['--experimentalDecorators', '--emitDecoratorMetadata', '--module', 'commonjs'];

async function compile(folder: string): Promise<void> {
  const { outputText } = ts.transpileModule(await readFile(join(folder, 'nestjs.ts'), 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      esModuleInterop: true,
    },
  });
  await writeFile(join(folder, 'nestjs.cjs'), outputText);
}

/** The errors of TypeScript for the program, in strict mode. */
async function check(folder: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const flags = [...FLAGS, '--ignoreConfig', '--esModuleInterop', '--strict', '--skipLibCheck', '--noEmit'];
  flags.push('--target', 'es2023', '--moduleResolution', 'bundler', '--types', 'node', 'nestjs.ts');
  return promisify(execFile)(process.execPath, [compiler, ...flags], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describeInstalled('docs/recipes: nestjs', () => {
  test('nestjs: the program passes tsc --strict', async () => {
    await withRecipes(async (folder) => expect(await check(folder)).toBe(''));
  });

  describe.each([
    ['11', undefined],
    ['10', 'nest-10'],
  ])('with NestJS %s', (version, workspace) => {
    let recipe: RunningRecipe;
    beforeAll(async () => {
      recipe = await openRecipe('nestjs', {
        program: 'nestjs.cjs',
        async prepare(folder) {
          await compile(folder);
          const installed = join(folder, 'node_modules/@nestjs/core/package.json');
          const { version: found } = JSON.parse(await readFile(installed, 'utf8')) as { version: string };
          expect(found.split('.')[0]).toBe(version);
        },
        ...(workspace !== undefined && { workspace }),
      });
      const { username: email, password } = PERSON;
      await recipe.database
        .collection('users')
        .insertOne({ email, name: 'Ada', hash: await bcrypt.hash(password, 4) });
    });
    afterAll(() => recipe?.close());

    test('nestjs: a controller accepts a token with its scopes until it is revoked', async () => {
      const { access_token: token } = await recipe.obtainTokens('photos:read');
      expect(await recipe.get('/api/photos', token)).toMatchObject({
        status: 200,
        body: { photosOf: expect.any(String) },
      });
      await recipe.revoke(token);
      expect(await recipe.get('/api/photos', token)).toMatchObject({
        status: 401,
        challenge: expect.stringMatching(/^Bearer .*error="invalid_token"/),
        body: { error: 'invalid_token' },
      });
    });

    test('nestjs: a refusal has the challenge of RFC 6750', async () => {
      const none = await recipe.get('/api/photos');
      expect(none).toMatchObject({
        status: 401,
        challenge: expect.stringMatching(/^Bearer .*scope="photos:read"/),
      });
      const poor = await recipe.obtainOwnToken('photos:write');
      expect(await recipe.get('/api/photos', poor)).toMatchObject({
        status: 403,
        challenge: expect.stringMatching(/error="insufficient_scope"/),
        body: { error: 'insufficient_scope' },
      });
    });
  });
});
