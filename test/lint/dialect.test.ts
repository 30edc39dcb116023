import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));
// by a name that TypeScript does not follow: both are JavaScript, which has no types
const load = async (file: string): Promise<unknown> => import(join(root, file));
const { default: config } = (await load('eslint.config.js')) as { default: Linter.Config[] };
const { DIALECT, STORED } = (await load('test/lint/dialect.js')) as {
  DIALECT: Readonly<Record<string, string>>;
  STORED: readonly string[];
};

const linter = new Linter({ cwd: root });
const untyped = [...config, tseslint.configs.disableTypeChecked as Linter.Config];

/** The problems that the configuration of this tree finds in the names of this code. */
const problemsOf = (code: string, file = 'lib/shared/date.ts'): string[] =>
  linter
    .verify(code, untyped, { filename: join(root, file) })
    .filter(({ ruleId, fatal }) => fatal || ruleId === 'local/dialect')
    .map(({ message }) => message);

const refusal = (name: string, word: string): string =>
  `'${name}' has a word of no other code base, '${word}': write ${DIALECT[word]} (test/lint/dialect.js).`;

describe('a name with a word of the list is refused', () => {
  test.each([
    ['a variable', 'const turn = 1;', 'turn', 'turn'],
    ['a word among others', 'const isAskedFor = true;', 'isAskedFor', 'asked'],
    ['a constant', 'const MOST_CODES = 1;', 'MOST_CODES', 'most'],
    ['a function', 'export function usualTtl() {}', 'usualTtl', 'usual'],
    ['a parameter', 'export const run = (told: string) => String(told);', 'told', 'told'],
    ['a destructured member', "const { kept } = JSON.parse('{}');", 'kept', 'kept'],
    ['a destructured member under a new name', "const { a: kept } = JSON.parse('{}');", 'kept', 'kept'],
    ['the rest of a pattern', "const { a, ...facts } = JSON.parse('{}');", 'facts', 'facts'],
    ['a class', 'export class Words {}', 'Words', 'words'],
    ['a type', 'export type Picked = string;', 'Picked', 'picked'],
    ['an interface', 'export interface HeldScope {}', 'HeldScope', 'held'],
    ['the parameter of a type', 'export type Of<Kept> = Kept[];', 'Kept', 'kept'],
    ['an import under another name', "import { a as ours } from './a.js';", 'ours', 'ours'],
    ['a member of a type', 'export interface A { readonly noted: string }', 'noted', 'noted'],
    ['a method of a type', 'export interface A { tell(): void }', 'tell', 'tell'],
    ['a member of a class', 'export class A { #wanted = 1; }', 'wanted', 'wanted'],
    ['a member of an object', 'export const a = { mistake: 1 };', 'mistake', 'mistake'],
    ['a catch', 'try { run(); } catch (settled) {}', 'settled', 'settled'],
  ])('a name with a word of the list is refused: %s', (_, code, name, word) => {
    expect(problemsOf(code)).toEqual([refusal(name, word)]);
  });

  test.each(Object.keys(DIALECT))('the word %s is refused as a name', (word) => {
    expect(problemsOf(`export const ${word} = 1;`)).toEqual([refusal(word, word)]);
  });

  test('a word of the list is refused once, at its declaration', () => {
    expect(problemsOf('const shown = 1; export const a = { shown, b: shown };')).toHaveLength(1);
  });

  test.each(['test/support/site.ts', 'example-app/service.ts'])('a listed word is refused in %s', (file) => {
    expect(problemsOf('export const asked = 1;', file)).toEqual([refusal('asked', 'asked')]);
  });
});

describe('an accepted name', () => {
  test.each([
    ['a longer word with the same beginning', 'export const turnover = 1, almost = 2, retold = 3;'],
    ['an export of a package', "import { tell } from 'somewhere'; tell();"],
    ['a global of others', 'void Promise.allSettled([]);'],
    ['the key of a text', "export const texts = { 'application.kept': 'Kept.' };"],
    ['a text', "export const reason = 'told';"],
  ])('a name is accepted: %s', (_, code) => {
    expect(problemsOf(code)).toEqual([]);
  });

  test.each(STORED)('the word %s is accepted as a member, as first stored', (name) => {
    expect(problemsOf(`export interface Stored { readonly ${name}: string }`)).toEqual([]);
  });

  test.each(STORED)('the word %s is refused as a variable', (name) => {
    expect(problemsOf(`export const ${name} = 1;`)).toHaveLength(1);
  });
});
