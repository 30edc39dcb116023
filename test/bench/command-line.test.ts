import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, test } from '@jest/globals';

import { mongoUri } from '../support/database.js';
import type { Report } from './report/report.js';

/** The benchmark by its command line, on the MongoDB of the tests, whatever else the machine does. */
async function runBench(line: string) {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/bench/main.ts', '--force', ...line.split(' ')],
    {
      env: { ...process.env, NODE_OPTIONS: '', MONGODB_URI: mongoUri() },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [[code], output, errors] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output, errors };
}

test("npm run bench compares contenders: tables, figures, targets, README.md's commands", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const { code, output, errors } = await runBench(
      `--quick --contender express,ours --workload guard,code --rounds 2 --connections 2 --seconds 0.05 --warmup 0.05 --output ${folder}`,
    );
    expect([code, errors]).toEqual([0, expect.not.stringMatching(/no figures|Error/)]);
    expect(output.match(/^express-authorization-server /gm)).toHaveLength(2);
    expect(output).toMatch(/^guard: at most 1 command to the database +met +1: find$/m);
    expect(output).toMatch(/^refresh: .* not told +not in this run$/m);
    const report = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')) as Report;
    expect(report.workloads.map(({ name }) => name)).toEqual(['guard', 'code']);
    for (const { rounds, cells } of report.workloads)
      for (const { figures } of cells) {
        expect(figures?.cpuMicroseconds.rounds).toHaveLength(rounds);
        expect(figures?.cpuMicroseconds.rounds.every((value) => value > 0)).toBe(true);
        expect(figures?.residentBytes).toBeGreaterThan(1e6);
      }
    // the process of the code knows its grant, but has to query whether the client still exists
    expect(report.workloads.map(({ cells }) => cells[1]?.database?.sequence)).toEqual([
      ['find'],
      ['find', 'update'],
    ]);
    expect(await readFile(join(folder, 'results.md'), 'utf8')).toMatch(/^\| {2}\| Express \|$/m);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('npm run bench -- --check reports an unknown commit before it begins', async () => {
  const { code, errors } = await runBench('--check --base no-such-commit');
  expect([code, errors]).toEqual([1, expect.stringContaining("--base: there is no commit 'no-such-commit'")]);
});
