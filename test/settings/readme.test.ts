import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { localLoginOptions } from '../../lib/pages/login/local-login-options.js';
import { authorizationServerOptions } from '../../lib/settings/authorization-server-options.js';
import { defaultsOf } from '../../lib/settings/option.js';

const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');

/** The value that a piece of JavaScript in a table stands for. */
function literalOf(cell: string): unknown {
  return JSON.parse(
    cell
      .replaceAll('`', '')
      .replaceAll("'", '"')
      .replace(/(\w+):/g, '"$1":'),
  );
}

const cells = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const tableAfter = (text: string) =>
  readme
    .slice(readme.indexOf(text))
    .split('\n\n')
    .find((part) => part.startsWith('| Option'))!
    .split('\n')
    .slice(2)
    .map(cells);
const namesIn = (table: readonly (readonly string[])[]) =>
  table.map(([name = '']) => name.replaceAll('`', '')).sort();
const sorted = (rows: object) => Object.keys(rows).sort();

describe('what README.md says of the options', () => {
  const options = tableAfter('## Options');

  test('the table has each option of authorizationServer, and no other', () => {
    expect(namesIn(options)).toEqual(sorted(authorizationServerOptions));
  });

  test('the defaults are those of the code', () => {
    const defaults = defaultsOf(authorizationServerOptions) as Readonly<Record<string, unknown>>;
    const literal = options.filter(([, value = '']) => /^`[^`]+`$/.test(value));
    expect(literal.length).toBeGreaterThan(10);
    for (const [name = '', value = ''] of literal) {
      expect([name, defaults[name.replaceAll('`', '')]]).toEqual([name, literalOf(value)]);
    }
  });

  test('the table has each option of localLogin, and no other', () => {
    expect(namesIn(tableAfter('## No users yet'))).toEqual(sorted(localLoginOptions));
  });
});
