import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { anchorOf } from '../settings/reference.js';
import { documents, root, textOf } from './blocks.js';

const withoutCode = (document: string) => textOf(document).replaceAll(/^```[^]*?^```$/gm, '');
const anchorsOf = (document: string) =>
  [...withoutCode(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

const fileOf = (document: string, path: string) => relative(root, join(root, dirname(document), path));

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
/** Whether npm packs a file: files of `files`, and those that npm always packs. */
function isPublished(file: string): boolean {
  return (
    ['README.md', 'LICENSE', 'package.json'].includes(file) ||
    files.some((packed) => file === packed || file.startsWith(`${packed}/`))
  );
}

describe.each(documents)('links of %s', (document) => {
  const links = [...withoutCode(document).matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, target, picture]) => target ?? picture ?? '')
    .filter((target) => !/^https?:/.test(target));

  test('links of a document lead to existing files and headings', () => {
    for (const target of links) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : fileOf(document, path);
      expect([target, existsSync(join(root, file))]).toEqual([target, true]);
      if (anchor !== undefined)
        expect([target, anchorsOf(file)]).toEqual([target, expect.arrayContaining([anchor])]);
    }
  });
});

test('README.md links each published document, mentions CONTRIBUTING.md and has at most 200 lines', () => {
  const readme = textOf('README.md');
  expect(readme.split('\n').length).toBeLessThanOrEqual(201);
  const isTopic = (document: string) => document.startsWith('docs/reference/');
  const published = documents.filter((name) => isPublished(name) && name !== 'README.md');
  for (const document of published.filter((name) => !isTopic(name)))
    expect(readme).toContain(`](${document})`);
  // the topics of the reference are in its index
  for (const document of published.filter(isTopic))
    expect(textOf('docs/reference.md')).toContain(`](${document.replace('docs/', '')})`);
  expect(readme).toContain('`CONTRIBUTING.md`');
});

describe.each(documents.filter(isPublished))('the published file %s', (document) => {
  test('a published document links no file outside the package', () => {
    const targets = [...withoutCode(document).matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)]
      .map(([, link, picture]) => (link ?? picture ?? '').split('#')[0]!)
      .filter((path) => path !== '' && !/^https?:/.test(path));
    const leftOut = targets.filter((path) => !isPublished(fileOf(document, path)));
    expect(leftOut).toEqual([]);
  });

  test('a published document mentions no missing file of the tests', () => {
    const names = [...textOf(document).matchAll(/`(test\/[\w./-]+\.(?:ts|md))`/g)].map(
      ([, name = '']) => name,
    );
    expect(names.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

test('CONTRIBUTING.md mentions no missing file of lib/ or test/', () => {
  const names = [...textOf('CONTRIBUTING.md').matchAll(/`((?:[\w.-]+\/)*\w[\w.-]*\.ts)`/g)].map(
    ([, name = '']) => name,
  );
  const there = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' });
  const isThere = (name: string) =>
    existsSync(join(root, name)) || there.some((file) => `/${file}`.endsWith(`/${name}`));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

describe.each(documents.filter((name) => name.startsWith('docs/')))('%s', (document) => {
  test('a document of docs/ begins with its readers', () => {
    const [first = ''] = textOf(document)
      .replaceAll(/<!--[^]*?-->/g, '')
      .split('\n\n')
      .map((part) => part.trim())
      .filter((part) => part !== '' && !part.startsWith('#'));
    expect(first).toMatch(/^For .+\. \S/);
  });
});

test('documents mention only versions of the changelog, and package.json has the newest release', () => {
  const released = [
    ...textOf('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+(?:-[\w.]+)?)( \(unreleased\))?/gm),
  ];
  const versions = released.map(([, version = '']) => version);
  const named = documents
    .filter((document) => document.startsWith('docs/'))
    .flatMap((document) => [...textOf(document).matchAll(/\b(?:Version|young \()(?: )?(\d[\w.-]*\w)/g)])
    .map(([, version = '']) => version);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((version) => !versions.includes(version))).toEqual([]);
  const newest = released.find(([, , isUnreleased]) => isUnreleased === undefined)?.[1];
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(version).toBe(newest);
});
