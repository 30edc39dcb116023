import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { anchorOf } from '../settings/reference.js';
import { documents, root, textOf } from './blocks.js';

const withoutCode = (document: string) => textOf(document).replaceAll(/^```[^]*?^```$/gm, '');
const anchorsOf = (document: string) =>
  [...withoutCode(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(documents)('%s', (document) => {
  const links = [...withoutCode(document).matchAll(/\]\(([^)]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

  test('each of its links leads to a file that is there, and to a heading in it', () => {
    for (const target of links) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : relative(root, join(root, dirname(document), path));
      expect([target, existsSync(join(root, file))]).toEqual([target, true]);
      if (anchor !== undefined)
        expect([target, anchorsOf(file)]).toEqual([target, expect.arrayContaining([anchor])]);
    }
  });
});

test('README.md leads to each document, and has 300 lines at most', () => {
  const readme = textOf('README.md');
  expect(readme.split('\n').length).toBeLessThanOrEqual(301);
  for (const document of documents.filter((name) => name !== 'README.md'))
    expect(readme).toContain(`](${document})`);
});

test('CONTRIBUTING.md names no file of lib/ or test/ that is not there', () => {
  const names = [...textOf('CONTRIBUTING.md').matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.ts)`/g)].map(
    ([, name = '']) => name,
  );
  const rooms = readdirSync(join(root, 'lib'));
  const isThere = (name: string) =>
    [name, join('lib', name), ...rooms.map((room) => join('lib', room, name))].some((path) =>
      existsSync(join(root, path)),
    );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
