import { existsSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { SPECIFICATIONS } from './specifications.js';
import { findProblems, findTests, formatTable, readRfcs, type Requirement } from './table.js';

const rfcs = readRfcs();

describe('the table of requirements', () => {
  test.each(rfcs.map((rfc) => [rfc.name, rfc] as const))(
    '%s: each requirement of a server has a test or a reason, and each test names existing requirements',
    (_name, rfc) => {
      expect(findProblems(rfc)).toEqual([]);
    },
  );

  test('each folder of test/rfc is in one row of docs/reference/specifications.md', () => {
    const folders = Object.values(SPECIFICATIONS).flatMap((rows) => rows.flatMap((row) => row.folders));
    const listed = rfcs.map(({ name }) => name);
    expect([...folders].sort()).toEqual(listed);
  });
});

test('each link of the table of requirements to a test leads to a file', () => {
  const files = [...formatTable(rfcs).matchAll(/\]\(\.\.\/(test\/[^)]+)\): \S/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(1000);
  expect([...new Set(files)].filter((file) => !existsSync(file))).toEqual([]);
});

describe('titles and problems of the table', () => {
  const requirement = (more: Partial<Requirement> = {}): Requirement => ({
    id: '1-1',
    section: '1',
    level: 'MUST',
    text: 'Something.',
    concerns: 'authorization server',
    ...more,
  });
  const problemsOf = (requirements: Requirement[], ...ids: string[]) =>
    findProblems({
      name: 'rfc1',
      requirements,
      tests: ids.map((id) => ({ file: 'a.test.ts', title: 'a', ids: [id] })),
      missingProofs: [],
    }).join('\n');

  test('findTests reads the requirement ids of titles in any quotes', () => {
    const source = `
      test('§1 one [1-1]', () => {});
      test("§1 it's two [1-1] [1-2]", async () => {});
      test('§1 isn\\'t it [::1] three [A.4-1]', () => {});
      test.each([['(', ')'], f('x')])(
        '§1 %s four [1-4]',
        () => {},
      );
      test.each(SOME.filter(([a]) => a !== 'b'))('§1 five [1-5]', () => {});
      test('§1 without one', () => {});
      test.skip('§1 skipped [1-6]', () => {});
    `;
    expect(findTests('a.test.ts', source)).toEqual([
      { file: 'a.test.ts', title: '§1 one', ids: ['1-1'] },
      { file: 'a.test.ts', title: "§1 it's two", ids: ['1-1', '1-2'] },
      { file: 'a.test.ts', title: "§1 isn't it [::1] three", ids: ['A.4-1'] },
      { file: 'a.test.ts', title: '§1 %s four', ids: ['1-4'] },
      { file: 'a.test.ts', title: '§1 five', ids: ['1-5'] },
    ]);
  });

  test('a requirement of a server without a test and a reason is a problem', () => {
    expect(problemsOf([requirement()])).toMatch(/1-1 has no test: write one/);
    expect(problemsOf([requirement({ concerns: 'client and resource server' })])).toMatch(/has no test/);
    expect(problemsOf([requirement()], '1-1')).toBe('');
    expect(problemsOf([requirement({ untested: 'It cannot be.' })])).toBe('');
    expect(problemsOf([requirement({ concerns: 'client' })])).toBe('');
  });

  test('a reason for having no test is a problem beside a test', () => {
    expect(problemsOf([requirement({ untested: 'It cannot be.' })], '1-1')).toMatch(/take 'untested' out/);
  });

  test('a test that names an unknown requirement is a problem', () => {
    expect(problemsOf([requirement()], '1-1', '1-2')).toMatch(
      /names \[1-2\], which rfc1\/requirements.json has not/,
    );
  });

  test('provenBy proves a requirement, and a missing test in provenBy is a problem', () => {
    const proof = 'attacks/secrets.test.ts: all the failures were failures';
    expect(problemsOf([requirement({ provenBy: [proof] })])).toBe('');
    const missing = { name: 'rfc1', requirements: [], tests: [], missingProofs: [proof] };
    expect(findProblems(missing).join('\n')).toMatch(/there is no 'attacks\/secrets\.test\.ts: all the/);
  });

  test('an attack without a protection is a problem', () => {
    expect(problemsOf([requirement({ level: 'THREAT' })], '1-1')).toMatch(/say in 'protection'/);
    expect(problemsOf([requirement({ level: 'THREAT', protection: 'PKCE.' })], '1-1')).toBe('');
  });

  test('a repeated requirement, a wrong section and an unknown level are problems', () => {
    expect(problemsOf([requirement(), requirement()], '1-1')).toMatch(/twice/);
    expect(problemsOf([requirement({ section: '2' })], '1-1')).toMatch(/begin with 2-/);
    expect(problemsOf([requirement({ level: 'must' })], '1-1')).toMatch(/level 'must'/);
  });
});
