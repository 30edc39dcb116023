import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';

import { allGrantTypes, BUILT_IN } from '../../lib/features.js';
import { localLoginOptions } from '../../lib/pages/login/local-login-options.js';
import { bearerGuardOptions } from '../../lib/settings/bearer-guard-options.js';
import { authorizationServerOptions } from '../../lib/settings/options.js';
import { routeOptions } from '../../lib/settings/options/guard-options.js';
import { usersOptions } from '../../lib/settings/options/users-options.js';
import type { OptionRows } from '../../lib/settings/table/option.js';
import {
  allOf,
  anchorOf,
  type DocumentedOption,
  formatReference,
  FUNCTIONS,
  readRows,
  REFERENCE,
} from './reference.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rowsOf: Readonly<Record<string, OptionRows>> = {
  authorizationServerOptions,
  routeOptions,
  bearerGuardOptions,
  localLoginOptions,
  usersOptions,
};

describe('docs/reference.md', () => {
  test('is current', () => {
    if (readFileSync(REFERENCE, 'utf8') !== formatReference())
      throw new Error('docs/reference.md is not current: run `npm run docs` and commit what it writes');
  });

  test('each of its headings has words', () => {
    const headings = [...formatReference().matchAll(/^#+(.*)$/gm)].map(([, terms = '']) => terms.trim());
    expect(headings.filter((terms) => terms === '')).toEqual([]);
    expect(headings.length).toBeGreaterThan(40);
  });

  test('an option that is a list of several kinds has a table for each', () => {
    const tableBelow = (heading: string) =>
      formatReference().split(`#### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
    const membersBelow = (heading: string) =>
      [...tableBelow(heading).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const of = (kind: string) =>
      membersBelow(`Each \`${kind}\` of \`assertions.trust\` of \`authorizationServer\``);
    const shared = ['issuer', 'jwksUri', 'jwks', 'maxTtl', 'accessTokenTtl', 'singleUse', 'scopes', 'kind'];
    expect(of('workload').sort()).toEqual([...shared, 'name', 'subject', 'claims', 'accepts'].sort());
    expect(of('enterprise').sort()).toEqual([...shared, 'findUser', 'tenant'].sort());
    expect(of('partner').sort()).toEqual([...shared, 'findUser'].sort());
  });

  test('each of its links leads to a heading', () => {
    const text = readFileSync(REFERENCE, 'utf8');
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
    expect(new Set(anchors).size).toBe(anchors.length);
    for (const [, anchor] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
  });

  describe.each(
    FUNCTIONS.map(([, file, constant]) => [constant, allOf(readRows(file, constant)).options] as const),
  )('%s', (constant, options) => {
    test('each option says what it means', () => {
      const check = ({ name, meaning, members, kinds = [] }: DocumentedOption): void => {
        expect([name, meaning]).toEqual([name, expect.stringMatching(/^\S.{4,}[.…)`]$/)]);
        for (const rows of [members ?? [], kinds.map((kind) => kind.rows)].flat())
          allOf(rows).options.forEach(check);
      };
      options.forEach(check);
    });

    const rows = rowsOf[constant];
    if (rows === undefined) return;
    test('each option is there, and no other', () => {
      expect(options.map(({ name }) => name).sort()).toEqual(Object.keys(rows).sort());
      for (const { name, isRequired } of options)
        expect([name, isRequired]).toEqual([name, rows[name]!.kind === 'required']);
    });

    test('the defaults are those of the code', () => {
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

test('the grant types that there are, and those that are on, are named', () => {
  const [found] = readRows('lib/settings/options/grant-type-options.ts', 'grantTypeOptions').options;
  const all = allGrantTypes(BUILT_IN);
  for (const { name } of all) expect(found?.meaning).toContain(`\`${name}\``);
  const defaultValue = all.filter(({ isDefault }) => isDefault).map(({ name }) => `'${name}'`);
  expect(found?.default).toBe(`\`[${defaultValue.join(', ')}]\``);
});

test('each option that the command line speaks of is there', () => {
  const folder = join(root, 'lib/cli');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /\bthe option ([a-z]\w+)|\b(pkce|signingKeys)[.:]/g,
      ),
    ].map(([, option, other]) => option ?? other),
  );
  expect(named.length).toBeGreaterThan(5);
  for (const name of named) expect(Object.keys(authorizationServerOptions)).toContain(name);
});

test('each option that a document or a docstring names is there', () => {
  const known = [...readFileSync(REFERENCE, 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const named = ['lib', 'docs', '.'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => /\.(?:ts|md)$/.test(name) && name !== 'CHANGELOG.md')
      .flatMap((name) => [
        ...readFileSync(join(root, folder, name), 'utf8').matchAll(
          /(?<!@param )\b[oO]ptions?(?: |\n \* +)\[?`(\w+)(?:\.[\w.]+|: [^`]+)?`/g,
        ),
      ])
      .map(([, option]) => option),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

describe('README.md', () => {
  test('leads to the reference, and has no table of options of its own', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain('](docs/reference.md');
    expect(readme).not.toMatch(/^\| `(issuer|passport|accessTokenTtl|publishAhead|maxClients|cooldown)` \|/m);
    const anchors = [...readFileSync(REFERENCE, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      anchorOf(heading),
    );
    for (const [, anchor] of readme.matchAll(/\]\(docs\/reference\.md#([^)]+)\)/g))
      expect(anchors).toContain(anchor);
  });
});

/** A value as the documentation writes it; undefined if it uses words. */
function literal(value: unknown): string | undefined {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return `\`${String(value)}\``;
  return Array.isArray(value) ? `\`[${value.map((item) => `'${String(item)}'`).join(', ')}]\`` : undefined;
}
