import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));
// by a name that TypeScript does not follow: it is JavaScript, which has no types
const load = async (file: string): Promise<unknown> => import(join(root, file));
const { default: config } = (await load('eslint.config.js')) as { default: Linter.Config[] };

const linter = new Linter({ cwd: root });
const untyped = [...config, tseslint.configs.disableTypeChecked as Linter.Config];

const problemsOf = (code: string, file = 'lib/pages/login/local-login.ts'): string[] =>
  linter
    .verify(code, untyped, { filename: join(root, file) })
    .filter(({ ruleId, fatal }) => fatal || ruleId === 'local/no-hand-read-forms')
    .map(({ message }) => message);

describe('a direct read of a form', () => {
  test.each([
    'req.body.name;',
    'req.body?.name;',
    "req.body['name'];",
    'req.body[name];',
    '(req.body as Fields).name;',
    '(req.body as Fields | undefined)?.name.startsWith("a");',
    '((req.body ?? {}) as { readonly name?: unknown }).name;',
    'req.body!.name;',
    'const { name } = req.body;',
    'const { name } = (req.body ?? {}) as { readonly name?: unknown };',
    'let name; ({ name } = req.body);',
    'const body = req.body; body.name;',
    'const sent = req.body as Form; sent.name;',
    'request.body.name;',
    'req.query;',
    'req.query.name;',
    'const { query } = req; const { name } = req.query;',
    'queryOf(req).name;',
    'const { name } = queryOf(req);',
    'const query = queryOf(req); query.name;',
    "parseForm('a=b').name;",
    'form.name;',
    'function f(form: unknown) { return (form as { readonly name?: unknown }).name; }',
    'function f(sent: Form) { return sent.name; }',
    'function f({ name }: Form) { return name; }',
    'const f = ({ name }: Form) => name;',
    'function f(sent: Form) { const { name } = sent; return name; }',
    'function f(sent: Form) { return () => String(sent.name); }',
  ])('a direct read of a form is refused: %s', (code) => {
    expect(problemsOf(code)).toContain(
      'A form is read by parseParameter, peekParameter or textField, and not by hand.',
    );
  });
});

describe('other reads', () => {
  test.each([
    "textField(req.body, 'name');",
    "parseParameter(form, 'name');",
    "peekParameter(queryOf(req), 'name');",
    "const form = {}; form.name = 'a';",
    'const { body } = answer; body.name;',
    'answer.body.name;',
    'function f(other: Fields) { return other.name; }',
    'req.body = parseForm(text);',
    'req.headers.origin; req.params.clientId;',
  ])('a read of another kind is accepted: %s', (code) => {
    expect(problemsOf(code)).toEqual([]);
  });

  test.each(['lib/shared/protocol/parameters.ts', 'lib/core/http/form-fields.ts', 'lib/core/http/query.ts'])(
    'the functions that read forms are exempt: %s',
    (file) => {
      expect(problemsOf('form.name; req.body.name;', file)).toEqual([]);
    },
  );
});
