import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { databaseUri } from '../support/database.js';
import { instrument } from './walk/instrument.js';

const ROOT = process.cwd();
/** Express decides: a handler at a path is created before a request comes. */
const BY_EXPRESS = ['server/endpoints/mount.ts', 'core/http/cross-origin.ts'];
/** Modules whose files decide; files of other modules only help. */
const DECIDING = /^(server|core\/(http|client-authentication|grant-types|grants))\//;

/** A stop of the walk: a file of lib/, and the function in it if the file is passed more than once. */
interface Stop {
  readonly file: string;
  readonly name: string | undefined;
}

interface Walk {
  readonly status: number;
  readonly entered: readonly string[];
}

let stops: readonly Stop[];
let walk: string;
/** The status of each request, and `file name` of each function that it has entered, in order. */
let walks: Readonly<Record<'authorize' | 'token' | 'guard' | 'registration', Walk>>;
let entered: readonly string[];
let copy: string;

beforeAll(async () => {
  const contributing = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  [, walk = ''] = contributing.split('## The walk of POST /token');
  const rows = walk.matchAll(/^\| \d+ \| `([\w./-]+)`(?: `(\w+)`)? \|/gm);
  stops = [...rows].map(([, file = '', name]) => ({ file, name }));

  copy = await mkdtemp(join(tmpdir(), 'walk-'));
  for (const part of ['lib', 'views', 'package.json', 'test/docs/walk'])
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  await instrument(join(copy, 'lib'));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'test/docs/walk/take-walk.ts'],
    { cwd: copy, env: { ...process.env, MONGODB_URI: databaseUri(`walk_${process.pid}`) } },
  );
  walks = JSON.parse(stdout) as typeof walks;
  ({ entered } = walks.token);
});
afterAll(() => rm(copy, { recursive: true, force: true }));

describe('the walk of POST /token in CONTRIBUTING.md', () => {
  test('the walk of POST /token has stops and ends with 200', () => {
    expect(stops.length).toBeGreaterThan(15);
    expect(walks.token.status).toBe(200);
  });

  test('the walk of POST /token passes its stops in order', () => {
    const placeOf = ({ file, name }: Stop) =>
      entered.findIndex((each) =>
        name === undefined ? each.startsWith(`${file} `) : each === `${file} ${name}`,
      );
    const passed = stops.filter(({ file }) => !BY_EXPRESS.includes(file));
    const places = passed.map((stop) => ({ ...stop, place: placeOf(stop) }));
    expect(places.filter(({ place }) => place === -1)).toEqual([]);
    expect(places).toEqual(places.toSorted((a, b) => a.place - b.place));
  });

  test('the walk of POST /token leaves out no file that decides', () => {
    const files = new Set(entered.map((each) => each.split(' ')[0] ?? ''));
    expect(
      [...files].filter(
        (file) => DECIDING.test(file) && !walk.includes(`${file.split('/').at(-1) ?? file}\``),
      ),
    ).toEqual([]);
  });

  test('the walk of POST /token has no stop twice', () => {
    const names = stops.map(({ file, name = '' }) => `${file} ${name}`);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('the figures in CONTRIBUTING.md', () => {
  test.each([
    ['authorize', 'GET /authorize to the consent page', 200],
    ['token', 'POST /token with a code', 200],
    ['guard', 'A guarded route', 200],
    ['registration', 'POST /register', 201],
  ] as const)('%s: no request enters more files or functions', (name, label, status) => {
    const row = new RegExp(`^\\| ${label.replace('/', '\\/')} \\| (\\d+) \\| (\\d+) \\|$`, 'm').exec(walk);
    const [, files, calls] = row ?? [];
    expect(walks[name].status).toBe(status);
    const named = walks[name].entered.filter((each) => !each.endsWith(' '));
    const enteredFiles = new Set(walks[name].entered.map((each) => each.split(' ')[0]));
    expect(enteredFiles.size).toBeLessThanOrEqual(Number(files));
    expect(named.length).toBeLessThanOrEqual(Number(calls));
  });
});
