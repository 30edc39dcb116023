import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import js from '@eslint/js';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

import { dialect } from './test/lint/dialect.js';
import { noHandReadForms } from './test/lint/form-reads.js';
import { layers } from './test/lint/layers.js';

// what a client is refused for has a reason, in the modules that only clients' requests pass
const REASON = ':not(:has(Property[key.name="reason"]))';
const OWN_FAULT =
  '[arguments.0.value!=/^(server_error|temporarily_unavailable|authorization_pending|slow_down)$/]';
const reasonRules = {
  files: [
    'lib/shared/protocol/**/*.ts',
    'lib/core/{authorization-details,client-authentication,grant-types,authorization,guard}/**/*.ts',
    'lib/{server/endpoints,features}/**/*.ts',
    'lib/core/clients/{resolve-scopes,wire-metadata,status/blocked-client,status/pending-client}.ts',
    'lib/core/http/{authorization-header,body,handle,secure-transport}.ts',
    'lib/server/client-endpoint.ts',
  ],
  // a document that cannot be used is refused by whoever looks its client up; a page is for people
  ignores: [
    'lib/features/client-id-metadata-documents/metadata-document.ts',
    'lib/features/device/device-page.ts',
    'lib/features/personal-access-tokens/{registry,token-form,token-owners,token-service,tokens-pages}.ts',
  ],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...[
        `NewExpression[callee.name="OAuthError"]${OWN_FAULT}${REASON}`,
        `ClassDeclaration[superClass.name="OAuthError"] CallExpression[callee.type="Super"]${REASON}`,
      ].map((selector) => ({ selector, message: 'A refusal has a reason (lib/shared/failure-reasons.ts).' })),
    ],
  },
};

/** What each file of lib/ imports from lib/, types too. */
function readImports() {
  const root = join(import.meta.dirname, 'lib');
  const files = readdirSync(root, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, name));
  const importsOf = (file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'(\.[^']+)\.js'/g)].map(([, path]) =>
      join(dirname(file), `${path}.ts`),
    );
  return new Map(files.map((file) => [file, importsOf(file)]));
}

/** The shortest way by imports from a file back to it; undefined if there is none. */
function findCircle(imports, file) {
  const ways = [[file]];
  const seen = new Set();
  for (const way of ways)
    for (const next of imports.get(way.at(-1)) ?? []) {
      if (next === file) return [...way, file];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  return undefined;
}

// the layers keep modules apart; within one, a file that needs itself by way of others has no place to begin to read
let imports;
const noCircles = {
  meta: { type: 'problem' },
  create: ({ filename, report }) => ({
    Program(node) {
      imports ??= readImports();
      const circle = findCircle(imports, filename);
      const names = circle?.map((file) => relative(join(import.meta.dirname, 'lib'), file));
      if (names !== undefined) report({ node, message: `These import each other: ${names.join(' → ')}.` });
    },
  }),
};

const local = { rules: { layers, dialect, 'no-circles': noCircles, 'no-hand-read-forms': noHandReadForms } };

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'coverage/',
      'test-artifacts/',
      '.example-data/',
      '.conformance-data/',
      'test/docs/site/pages/',
      'docs/', // programs of browsers, mongosh and NestJS, in the order in which a reader needs their lines
    ],
  },
  js.configs.recommended,
  {
    plugins: { 'simple-import-sort': simpleImportSort },
    rules: { 'simple-import-sort/imports': 'error', 'simple-import-sort/exports': 'error' },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    // one program for all files: a fifth less CPU time than asking a service for each of them
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // a list of rows adds its fields to a type of another file
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
  {
    files: ['{lib,test,example-app}/**/*.ts'],
    plugins: { local },
    rules: { 'local/dialect': 'error' },
  },
  {
    files: ['lib/**/*.ts'],
    plugins: { local },
    rules: {
      'local/layers': 'error',
      'local/no-circles': 'error',
      'local/no-hand-read-forms': 'error',
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 160, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4], // what Express calls an error handler with; our own have at most 3
      'max-depth': ['error', 3],
      'no-console': 'error',
      eqeqeq: 'error',
      // each of which would need an end in time and size of its own
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Requests go out by lib/shared/outbound.' },
      ],
    },
  },
  // a browser of tests goes where the test says
  { files: ['lib/shared/outbound/*.ts', 'lib/testing/*.ts'], rules: { 'no-restricted-globals': 'off' } },
  reasonRules,
  // texts are data, however many
  { files: ['lib/messages/en.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 480 }],
      // response bodies of supertest are any; a wrong field fails the test itself
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        Buffer: 'readonly',
        URLSearchParams: 'readonly',
      },
    },
  },
  {
    // a site as people write it, CommonJS with Jest's globals
    files: ['example-app/existing-site/**/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: Object.fromEntries(
        ['__dirname', 'beforeAll', 'afterAll', 'test', 'expect'].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'simple-import-sort/imports': 'off', 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
);
