import { describe, expect, it } from '@jest/globals';

import { parseOptions } from './options.js';
import { formatStartup } from './report/startup-table.js';
import { takeRounds } from './rounds.js';
import {
  isNoisyRow,
  measureStartup,
  readStartup,
  type StartupReading,
  startupSubjects,
  type Subject,
} from './startup.js';

const SUBJECTS: readonly Subject[] = [
  { name: 'node', title: 'Node alone', imports: [] },
  { name: 'others', title: 'the others', imports: ['a'] },
  { name: 'ours', title: 'ours', imports: ['b'], baseline: 'others' },
];
const reading = (milliseconds: number): StartupReading => ({
  importMilliseconds: milliseconds,
  importCpuMilliseconds: milliseconds,
  milliseconds: milliseconds + 50,
  cpuMilliseconds: milliseconds + 50,
  residentBytes: 50e6,
});
const silent = { step: () => undefined, more: () => undefined };

describe('start-up', () => {
  it('takes the subjects in turn, round by round, and does not tell the first one, which fills caches', async () => {
    const requested: string[] = [];
    const rows = await measureStartup(SUBJECTS, { rounds: 2, maxRounds: 2, ...silent }, ({ name }) => {
      requested.push(name);
      return Promise.resolve(reading(requested.length <= 3 ? 9999 : 100));
    });
    expect(requested).toEqual(['node', 'others', 'ours', 'node', 'others', 'ours', 'node', 'others', 'ours']);
    expect(rows[2]?.figures.importMilliseconds).toMatchObject({ median: 100, rounds: [100, 100] });
  });

  it('tells how many times as long as the others it takes, by the import alone and with Node', async () => {
    const [, others, own] = await measureStartup(
      SUBJECTS,
      { rounds: 3, maxRounds: 6, ...silent },
      ({ name }) => Promise.resolve(reading(name === 'ours' ? 150 : 100)),
    );
    expect(others?.ratios).toBeUndefined();
    expect(own?.ratios?.importMilliseconds?.median).toBeCloseTo(1.5);
    expect(own?.ratios?.milliseconds?.median).toBeCloseTo(200 / 150);
  });

  it('tells nothing of imports where there are none', async () => {
    const rows = await measureStartup(SUBJECTS, { rounds: 1, maxRounds: 1, ...silent }, () =>
      Promise.resolve(reading(100)),
    );
    expect(rows[0]?.figures.importMilliseconds).toBeUndefined();
    const { machine, settings, date } = {
      date: '2026-11-21',
      settings: {},
      machine: {
        cpu: 'a CPU',
        cores: 2,
        memoryBytes: 2 ** 33,
        platform: 'linux x64',
        node: '20.19.0',
        loadAverage: 0,
        busyShare: 0,
      },
    };
    const table = formatStartup({ date, machine, settings, rounds: 1, rows });
    expect(table).toMatch(/^Node alone +– +– +150\.0 +±0 % /m);
    expect(table).toMatch(/^ours +100\.0 +±0 % +1\.00 .* 50\.0 +±0 % +1\.00$/m);
    expect(table).toContain('Node itself is included');
  });

  it('goes on while figures are noisy, as far as it may, says so, and drops none', async () => {
    const added: number[] = [];
    let count = 0;
    const rows = await measureStartup(
      SUBJECTS,
      { rounds: 3, maxRounds: 6, step: () => undefined, more: (steps) => void added.push(steps) },
      ({ name }) => Promise.resolve(reading(name === 'ours' ? 100 * (1 + (count += 1)) : 100)),
    );
    expect(rows.map(({ figures }) => figures.milliseconds?.rounds.length)).toEqual([6, 6, 6]);
    expect(added).toEqual([3, 3, 3]);
    expect(rows.map(isNoisyRow)).toEqual([false, false, true]);
  });

  it('measures a fresh process, and what is imported in it', async () => {
    const [bare, express] = [
      await readStartup(SUBJECTS[0] as Subject),
      await readStartup({ name: 'express', title: 'express', imports: ['express'] }),
    ];
    expect(express.importCpuMilliseconds).toBeGreaterThan(bare.importCpuMilliseconds);
    expect(express.milliseconds).toBeGreaterThan(express.importMilliseconds);
    expect(express.residentBytes).toBeGreaterThan(10e6);
  });

  it('ends with what was said where an import fails', async () => {
    await expect(
      readStartup({ name: 'none', title: 'a package that is not there', imports: ['not-there'] }),
    ).rejects.toThrow(/importing a package that is not there fails: [\s\S]*not-there/);
  });

  it('imports what was built: the package, and the guard without Mongoose', async () => {
    const subjects = await startupSubjects();
    expect(subjects.map(({ imports }) => imports.at(-1))).toEqual([
      undefined,
      'express',
      'mongoose',
      expect.stringMatching(/^file:.*\/dist\/index\.cjs$/),
      expect.stringMatching(/^file:.*\/dist\/guard\.cjs$/),
    ]);
    expect(subjects.map(({ baseline }) => baseline)).toEqual([
      undefined,
      undefined,
      undefined,
      'express-mongoose',
      'express',
    ]);
  });

  it('has more rounds than the others, unless told otherwise', () => {
    expect(parseOptions(['--startup'])).toMatchObject({ mode: 'startup', rounds: 25 });
    expect(parseOptions(['--cold-start'])).toMatchObject({ mode: 'cold-start', rounds: 25 });
    expect(parseOptions(['--startup', '--quick'])).toMatchObject({ rounds: 9 });
    expect(parseOptions(['--startup', '--rounds', '3'])).toMatchObject({ rounds: 3 });
  });
});

describe('rounds', () => {
  const take = async (rounds: number, quietAfter: number, maxRounds = rounds * 2) => {
    const numbers: number[] = [];
    const taken = await takeRounds({
      rounds,
      maxRounds,
      round: (number) => Promise.resolve(void numbers.push(number)),
      isNoisy: () => numbers.length < quietAfter,
    });
    return { taken, numbers };
  };

  it('are those that were asked for, where all is quiet', async () => {
    expect(await take(3, 0)).toEqual({ taken: 3, numbers: [1, 2, 3] });
  });

  it('go on as long as it is noisy', async () => {
    expect(await take(3, 5)).toEqual({ taken: 5, numbers: [1, 2, 3, 4, 5] });
  });

  it('end at the most that there may be, noisy or not', async () => {
    expect((await take(3, 100)).taken).toBe(6);
    expect((await take(3, 100, 3)).taken).toBe(3);
  });
});
