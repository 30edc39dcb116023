import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { root, textOf } from './blocks.js';
import { formatLlms, LLMS } from './llms.js';

/** The words in code style in a part of a document. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/`(\w[\w-]*)(?:\([^`]*\))?`/g)].map(([, name = '']) => name);
const partOf = (document: string, heading: string): string =>
  textOf(document).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** The cookies in the first column of a table; `oauth-logout-…` continues with random letters. */
const namesOfCookies = (text: string): string[] =>
  [...text.matchAll(/^\| (`.*?`) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`(oauth[\w-]*\w)/g)].map(([, name = '']) => name))
    .sort();
const textsOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'));

test('docs/llms.txt is current', () => {
  if (readFileSync(LLMS, 'utf8') !== formatLlms())
    throw new Error('docs/llms.txt is not current: run `npm run docs` and commit what it writes');
});

describe('complete lists in the documents', () => {
  test('docs/reference/pages.md lists only ids that a view has', () => {
    const ids = namedIn(partOf('docs/reference/pages.md', 'Ids'));
    const views = readdirSync(join(root, 'views'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ejs'))
      .map((file) => readFileSync(join(root, 'views', file), 'utf8'))
      .join('\n');
    expect(ids.length).toBeGreaterThan(30);
    // a view inserts the number of an element in a list, the result for a device, or the id of a partial
    const parts = (id: string) =>
      id.split(/-?0-?|-(?=confirm$)|(?<=device-)(?:allowed|denied)/).filter((part) => part !== '');
    expect(ids.filter((id) => !parts(id).every((part) => views.includes(part)))).toEqual([]);
  });

  test('CONTRIBUTING.md lists the dependencies, and docs/comparison.md has their number', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: object };
    const rows = partOf('CONTRIBUTING.md', 'How decisions are taken').match(/^\| `.*?\|/gm) ?? [];
    const names = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(names.sort()).toEqual(Object.keys(dependencies).sort());
    expect(textOf('docs/comparison.md')).toContain(` ${names.length} direct dependencies`);
  });

  test('docs/reference/pages.md lists the cookies', () => {
    const cookies = textsOf('lib')
      .filter((text) => /cookiesNamed|CookieKind/.test(text))
      .flatMap((text) =>
        [...text.matchAll(/(?<!PARAMETER = )['`](oauth[-_]\w+(?:[-_]\w+)*)/g)].map(([, name = '']) => name),
      );
    expect(new Set(cookies).size).toBeGreaterThan(4);
    expect(namesOfCookies(partOf('docs/reference/pages.md', 'Cookies'))).toEqual(
      [...new Set(cookies)].sort(),
    );
  });
});
