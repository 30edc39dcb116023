import { beforeAll, describe, expect, it } from '@jest/globals';

import type { Report } from './report/report.js';
import { measureBench, runBench } from './run-bench.js';
import type { StartupRow } from './startup.js';

type Run = Awaited<ReturnType<typeof measureBench>>;

// One file, because Jest runs a file's tests one after another: each run of the benchmark installs the peers and compiles
// the contenders in test/bench unless they are there, and two at once would remove each other's files.

describe('npm run bench', () => {
  let run: Run;
  let report: Report;

  beforeAll(async () => {
    const parameters = '--contender express,ours --workload guard,code --rounds 2 --connections 2';
    run = await measureBench(...parameters.split(' '));
    report = JSON.parse(run.files['results.json']!) as Report;
  });

  it('ends by itself, with nothing refused', () => {
    expect(run.errors).not.toMatch(/no figures|Error/);
  });

  it('prints a table of each workload with a row for each contender', () => {
    for (const title of ['API call, opaque token', 'Code to tokens, PKCE'])
      expect(run.output).toContain(title);
    expect(run.output.match(/^express-authorization-server /gm)).toHaveLength(2);
    expect(run.output.match(/^Express, fixed answer /gm)).toHaveLength(2);
  });

  it('writes figures of every round, the machine and the date', () => {
    expect(report.workloads.map(({ name }) => name)).toEqual(['guard', 'code']);
    for (const { rounds, cells } of report.workloads) {
      expect([2, 3, 4]).toContain(rounds);
      for (const { figures } of cells) {
        expect(figures?.cpuMicroseconds.rounds).toHaveLength(rounds);
        expect(figures?.cpuMicroseconds.rounds.every((value) => value > 0)).toBe(true);
        expect(figures?.residentBytes).toBeGreaterThan(1e6);
      }
    }
    expect(report).toMatchObject({
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      machine: { cores: expect.any(Number), node: process.versions.node },
    });
  });

  it('counts the commands that test/bench/README.md has', () => {
    const commandsOf = (workload: string) =>
      report.workloads.find(({ name }) => name === workload)?.cells.find(({ name }) => name === 'ours')
        ?.database;
    expect(commandsOf('guard')?.sequence).toEqual(['find']);
    // the process that gave a code knows its grant, but has to ask whether the client still exists
    expect(commandsOf('code')?.sequence).toEqual(['find', 'update']);
  });

  it('draws the chart, and writes the summary for the documentation', () => {
    expect(run.files['chart.svg']).toMatch(/^<svg [\s\S]*express-authorization-server[\s\S]*<\/svg>\n$/);
    expect(run.files['results.md']).toMatch(/^\| {2}\| Express \| \*\*this package\*\* \|$/m);
  });

  it('says of each target whether it is met, and does not leave out what it cannot tell', () => {
    expect(run.output).toMatch(/^guard: at most 1 command to the database +met +1: find$/m);
    expect(run.output).toMatch(/^refresh: .* not told +not in this run$/m);
    expect((report as unknown as { targets: unknown[] }).targets).toContainEqual(
      expect.objectContaining({ title: 'code: at most 3 commands to the database', result: 'met' }),
    );
  });
});

describe('npm run bench -- --processes', () => {
  let run: Run;
  let report: Report;

  beforeAll(async () => {
    const parameters = '--quick --processes 1,2 --workload code --rounds 1 --connections 3';
    run = await measureBench(...parameters.split(' '));
    report = JSON.parse(run.files['processes.json']!) as Report;
  });

  it('runs a workload with one process and with two, and neither is refused', () => {
    expect(run.errors).not.toMatch(/no figures|Error/);
    expect(report.workloads).toHaveLength(1);
    for (const { cells } of report.workloads)
      expect(cells.map(({ name, figures }) => [name, figures !== undefined])).toEqual([
        ['1 process', true],
        ['2 processes', true],
      ]);
  });

  it('tells the CPU time of an operation as a multiple of that with one process', () => {
    for (const { cells } of report.workloads) {
      const [one, two] = cells.map(({ figures }) => figures?.ratios.fewest?.rounds[0]);
      expect(one).toBe(1);
      expect(two).toBeGreaterThan(0);
    }
    expect(run.output).toMatch(/× 1 process/);
  });

  it('counts the commands of both: what one process remembers another has to read', () => {
    const [one, two] =
      report.workloads
        .find(({ name }) => name === 'code')
        ?.cells.map(({ database }) => database?.commands ?? NaN) ?? [];
    expect(one).toBeGreaterThan(0);
    expect(two).toBeGreaterThan(one ?? Infinity);
  });

  it('sums the memory of the processes', () => {
    for (const { cells } of report.workloads)
      expect(cells[1]?.figures?.residentBytes).toBeGreaterThan(
        1.3 * (cells[0]?.figures?.residentBytes ?? Infinity),
      );
  });
});

describe('npm run bench -- --check', () => {
  it('says what is wrong before it begins', async () => {
    const { code, errors } = await runBench('--check', '--force', '--base', 'no-such-commit');
    expect([code, errors]).toEqual([
      1,
      expect.stringContaining("--base: there is no commit 'no-such-commit'"),
    ]);
  });
});

describe('npm run bench -- --cold-start', () => {
  let run: Run;
  let rows: readonly StartupRow[];

  beforeAll(async () => {
    run = await measureBench('--cold-start', '--rounds', '1');
    ({ rows } = JSON.parse(run.files['cold-start.json']!) as { rows: readonly StartupRow[] });
  });

  it('ends once a fresh process of each has answered a token request and a guarded call', () => {
    expect(run.errors).not.toMatch(/no figures|Error/);
    expect(run.output).toMatch(/^express-authorization-server +/m);
    expect(run.output).toMatch(/^Express and driver by hand +/m);
  });

  it('tells time, CPU time and memory of both, and ours as a multiple of the other', () => {
    const measures = ['milliseconds', 'cpuMilliseconds', 'residentBytes'] as const;
    for (const { figures } of rows)
      for (const measure of measures) expect(figures[measure]?.rounds[0]).toBeGreaterThan(1);
    const [, byHand, own] = rows;
    expect(byHand?.ratios).toBeUndefined();
    for (const measure of measures) expect(own?.ratios?.[measure]?.rounds[0]).toBeGreaterThan(0);
  });
});
