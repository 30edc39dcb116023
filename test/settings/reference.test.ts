import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

import { allGrantTypes, BUILT_IN, registryOf } from '../../lib/features.js';
import { localLoginOptions } from '../../lib/pages/login/local-login-options.js';
import { bearerGuardOptions } from '../../lib/settings/bearer-guard-options.js';
import { routeOptions } from '../../lib/settings/options/guard-options.js';
import { usersOptions } from '../../lib/settings/options/users-options.js';
import { serverOptionsWith } from '../../lib/settings/settings.js';
import type { OptionRows } from '../../lib/settings/table/option.js';
import { allOf, anchorOf, type DocumentedOption, FUNCTIONS, readRows } from './reference.js';
import { formatReference } from './reference-pages.js';
import { TOPICS } from './reference-topics.js';

/** The pages without options. */
const LISTS = ['agents', 'command-line', 'database', 'events', 'pages', 'server', 'specifications'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = await formatReference();
const textOf = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
/** A row, an item of a short list, or the paragraph of a single option. */
const OPTION = /^(?:\| |- )?`(\w+)`(?: \||: | \()/gm;
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+(.*)$/gm)].map(([, heading = '']) => heading.trim());
const serverOptions = serverOptionsWith(registryOf(BUILT_IN));
const rowsOf: Readonly<Record<string, OptionRows>> = {
  coreOptions: serverOptions,
  routeOptions,
  bearerGuardOptions,
  localLoginOptions,
  usersOptions,
};

describe('docs/reference.md and docs/reference/', () => {
  test('the files of the reference are current', () => {
    const stored = readdirSync(join(root, 'docs/reference')).map((name) => `reference/${name}`);
    const current = ['reference.md', ...stored].map((name) => [name, textOf(name)] as const);
    if (JSON.stringify(current.sort()) !== JSON.stringify([...pages].sort()))
      throw new Error('the reference is not current: run `npm run docs` and commit what it writes');
  });

  test('the reference names every field of a client', () => {
    const described = readRows('lib/core/clients/registry/client-registry.ts', 'NewClient').options;
    const names = described.map(({ name }) => name);
    expect(BUILT_IN.clientFields.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
    expect(textOf('reference/clients.md')).toContain('| `redirectUris` |');
  });

  test('each heading of the reference has words', () => {
    const headings = [...pages.values()].flatMap(headingsOf);
    expect(headings.filter((terms) => terms === '')).toEqual([]);
    expect(headings.length).toBeGreaterThan(40);
  });

  test('no page of the reference has a heading twice, which a link could not tell apart', () => {
    for (const [name, text] of pages) {
      const anchors = headingsOf(text).map(anchorOf);
      expect([name, anchors]).toEqual([name, [...new Set(anchors)]]);
    }
  });

  test('each group and function is on the page of a topic, and each name of a topic exists', () => {
    expect([...pages.keys()].sort()).toEqual(
      [
        'reference.md',
        ...[...TOPICS.map(({ name }) => name), ...LISTS].map((name) => `reference/${name}.md`),
      ].sort(),
    );
    const groups = readRows('lib/settings/options.ts', 'coreOptions').groups;
    const names = groups.map(({ id }) => id.split('#')[1]);
    expect(TOPICS.flatMap((topic) => topic.groups).sort()).toEqual(names.sort());
    const calls = FUNCTIONS.map(([call]) => call.split('(')[0]).filter(
      (name) => name !== 'authorizationServer',
    );
    expect(TOPICS.flatMap((topic) => topic.functions).sort()).toEqual(calls.sort());
  });

  test('an option that is a list of several kinds has a table for each', () => {
    const tableBelow = (heading: string) =>
      pages.get('reference/callers.md')?.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
    const membersBelow = (heading: string) => {
      const [, shared = ''] = /^(`.*) are as in \[/m.exec(tableBelow(heading)) ?? [];
      return [
        ...[...shared.matchAll(/`(\w+)`/g)].map(([, name]) => name),
        ...[...tableBelow(heading).matchAll(OPTION)].map(([, name]) => name),
      ];
    };
    const of = (kind: string) =>
      membersBelow(`Each \`${kind}\` of \`assertions\` of \`authorizationServer\``);
    const shared = ['issuer', 'jwksUri', 'jwks', 'maxTtl', 'singleUse', 'scopes', 'kind'];
    expect(of('workload').sort()).toEqual([...shared, 'name', 'subject', 'claims'].sort());
    expect(of('enterprise').sort()).toEqual([...shared, 'findUser', 'tenant'].sort());
    expect(of('partner').sort()).toEqual([...shared, 'findUser'].sort());
  });

  describe.each(
    FUNCTIONS.map(([, file, constant]) => [constant, allOf(readRows(file, constant)).options] as const),
  )('%s', (constant, options) => {
    test(`each option of ${constant} has an explanation`, () => {
      const check = ({ name, meaning, members, kinds = [] }: DocumentedOption): void => {
        expect([name, meaning]).toEqual([name, expect.stringMatching(/^\S.{4,}[.…)`]$/)]);
        for (const rows of [members ?? [], kinds.map((kind) => kind.rows)].flat())
          allOf(rows).options.forEach(check);
      };
      options.forEach(check);
    });

    const rows = rowsOf[constant];
    if (rows === undefined) return;
    test(`each option of ${constant} is in the reference, and no other`, () => {
      expect(options.map(({ name }) => name).sort()).toEqual(Object.keys(rows).sort());
      for (const { name, isRequired } of options)
        expect([name, isRequired]).toEqual([name, rows[name]!.kind === 'required']);
    });

    test(`each option of ${constant} with members has a table of them`, () => {
      const isSilent = ({ name, members }: DocumentedOption) =>
        rows[name]!.members !== undefined && members === undefined;
      expect(options.filter(isSilent).map(({ name }) => name)).toEqual([]);
    });

    test(`the defaults of ${constant} in the reference are those of the code`, () => {
      const check = ({ name, default: said, members }: DocumentedOption, defaultValue: unknown): void => {
        const displayed = literal(defaultValue);
        if (displayed !== undefined) expect([name, said]).toEqual([name, expect.stringContaining(displayed)]);
        for (const member of members?.options ?? [])
          check(member, (defaultValue as Record<string, unknown> | undefined)?.[member.name]);
      };
      for (const option of options) check(option, rows[option.name]!.default);
    });
  });
});

test('the reference names all grant types, and the default ones', () => {
  const [found] = readRows('lib/settings/options/grant-type-options.ts', 'grantTypeOptions').options;
  const all = allGrantTypes(BUILT_IN);
  for (const { name } of all) expect(found?.meaning).toContain(`\`${name}\``);
  const defaultValue = all.filter(({ isDefault }) => isDefault).map(({ name }) => `'${name}'`);
  expect(found?.default).toBe(`\`[${defaultValue.join(', ')}]\``);
});

test('each option in the texts of the command line exists', () => {
  const folder = join(root, 'lib/cli');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /\bthe option ([a-z]\w+(?:\.\w+)*)|\b(security|applications|advanced): \{ (\w+)/g,
      ),
    ].map(([, option, group, member]) => option ?? `${group}.${member}`),
  );
  expect(named.length).toBeGreaterThan(5);
  const isThere = (path: string) => {
    let rows: OptionRows | undefined = serverOptions;
    return path.split('.').every((name) => {
      const row: OptionRows[string] | undefined = rows?.[name];
      rows = row?.members;
      return row !== undefined;
    });
  };
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

test('each option in a document or a docstring exists', () => {
  const known = [...pages.values()].flatMap((text) => [...text.matchAll(OPTION)].map(([, name]) => name));
  const named = ['lib', 'docs', '.'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => /\.(?:ts|md)$/.test(name) && name !== 'CHANGELOG.md')
      .flatMap((name) => [
        ...readFileSync(join(root, folder, name), 'utf8').matchAll(
          /(?<!@param )\b[oO]ptions?(?: |\n \* +)\[?`(\w+(?:\.\w+)*)(?:: [^`]+)?`/g,
        ),
      ])
      .flatMap(([, path = '']) => path.split('.')),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

describe('README.md', () => {
  test('README.md links to the reference, and has no table of options', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain('](docs/reference.md');
    expect(readme).not.toMatch(/^\| `(issuer|passport|accessTokenTtl|publishAhead|maxClients|cooldown)` \|/m);
  });
});

/** A value as the documentation writes it; undefined if it uses words. */
function literal(value: unknown): string | undefined {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return `\`${String(value)}\``;
  return Array.isArray(value) ? `\`[${value.map((item) => `'${String(item)}'`).join(', ')}]\`` : undefined;
}
