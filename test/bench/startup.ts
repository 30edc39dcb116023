import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { WIDEST } from './report/report.js';
import { takeRounds } from './rounds.js';
import { type Figure, summarize, summarizeRatio } from './statistics.js';

/** The imports of a fresh process of Node. */
export interface Subject {
  readonly name: string;
  readonly title: string;
  readonly imports: readonly string[];
  /** The name of its baseline. */
  readonly baseline?: string;
  /** The folder of its packages. Default: here. */
  readonly cwd?: string;
}

/** The report of that process once everything is imported. */
export interface StartupReading {
  /** From the first import to the end of the last one. */
  readonly importMilliseconds: number;
  readonly importCpuMilliseconds: number;
  /** From the beginning of the process, Node itself included. */
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  readonly residentBytes: number;
}
export type StartupMeasure = keyof StartupReading;

export interface StartupRow {
  readonly name: string;
  readonly title: string;
  /** None for imports without any. */
  readonly figures: StartupFigures;
  /** As a multiple of the baseline's, round by round. */
  readonly ratios?: StartupFigures;
  readonly baseline?: string;
}
type StartupFigures = Readonly<Partial<Record<StartupMeasure, Figure>>>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMITS: Readonly<Record<StartupMeasure, number>> = {
  importMilliseconds: WIDEST.p50,
  importCpuMilliseconds: WIDEST.cpuMicroseconds,
  milliseconds: WIDEST.p50,
  cpuMilliseconds: WIDEST.cpuMicroseconds,
  residentBytes: WIDEST.cpuMicroseconds,
};
const ENDS_WITHIN = 600_000;

const SCRIPT = `
const names = JSON.parse(process.argv[1]);
const [begin, used] = [performance.now(), process.cpuUsage()];
for (const name of names) await import(name);
const end = performance.now();
const { user, system } = process.cpuUsage();
const cpu = (user + system) / 1000;
process.stdout.write(JSON.stringify({
  importMilliseconds: end - begin,
  importCpuMilliseconds: cpu - (used.user + used.system) / 1000,
  milliseconds: end,
  cpuMilliseconds: cpu,
  residentBytes: process.memoryUsage.rss(),
}));`;

/** In the order of the table; the package is the built one, imported by its real URL. */
export async function startupSubjects(): Promise<readonly Subject[]> {
  const built = async (file: string) => pathToFileURL(await realpath(`${ROOT}dist/${file}`)).href;
  return [
    { name: 'node', title: 'Node alone', imports: [] },
    { name: 'express', title: 'express', imports: ['express'] },
    { name: 'express-mongoose', title: 'express and mongoose', imports: ['express', 'mongoose'] },
    {
      name: 'ours',
      title: 'express-authorization-server',
      imports: [await built('index.cjs')],
      baseline: 'express-mongoose',
    },
    {
      name: 'guard',
      title: 'express-authorization-server/guard',
      imports: [await built('guard.cjs')],
      baseline: 'express',
    },
  ];
}

export interface StartupOptions {
  readonly rounds: number;
  readonly maxRounds: number;
  readonly step: (next: string) => void;
  /** The number of steps above the announced ones. */
  readonly more: (steps: number) => void;
}

/**
 * Each subject in a fresh process, in turn, round by round; the first round of all fills the file cache and is not
 * counted.
 */
export async function measureStartup(
  subjects: readonly Subject[],
  { rounds, maxRounds, step, more }: StartupOptions,
): Promise<StartupRow[]> {
  const readings = new Map<string, StartupReading[]>(subjects.map(({ name }) => [name, []]));
  const takeRound = async (title: string, keep: boolean) => {
    for (const subject of subjects) {
      step(`${title}, ${subject.title}`);
      const reading = await readStartup(subject);
      if (keep) readings.get(subject.name)?.push(reading);
    }
  };
  const rows = () => subjects.map((subject) => createRow(subject, readings));
  await takeRound('warm-up', false);
  await takeRounds({
    rounds,
    maxRounds,
    isNoisy: () => rows().some(isNoisyRow),
    round(number) {
      if (number > rounds) more(subjects.length);
      return takeRound(
        number > rounds ? `noisy, so one round more: ${number}` : `round ${number} of ${rounds}`,
        true,
      );
    },
  });
  return rows();
}

/** A fresh process: nothing is loaded, nothing compiled. @throws Error if it fails, with its output */
export async function readStartup({ title, imports, cwd = ROOT }: Subject): Promise<StartupReading> {
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  const run = promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', SCRIPT, '--', JSON.stringify(imports)],
    { cwd, timeout: ENDS_WITHIN, env: { ...environment, NODE_ENV: 'production', NODE_OPTIONS: '' } },
  );
  const { stdout } = await run.catch((error: Error) =>
    Promise.reject(new Error(`importing ${title} fails: ${error.message}`)),
  );
  return JSON.parse(stdout) as StartupReading;
}

function createRow(
  { name, title, imports, baseline }: Subject,
  readings: ReadonlyMap<string, readonly StartupReading[]>,
): StartupRow {
  const measures = (Object.keys(LIMITS) as StartupMeasure[]).filter(
    (measure) => imports.length > 0 || !measure.startsWith('import'),
  );
  const roundsOf = (subject: string, measure: StartupMeasure) =>
    (readings.get(subject) ?? []).map((reading) => reading[measure]);
  const summarizeEach = (summary: (measure: StartupMeasure) => Figure): StartupFigures =>
    Object.fromEntries(measures.map((measure) => [measure, summary(measure)]));
  const figures = summarizeEach((measure) => summarize(roundsOf(name, measure), LIMITS[measure]));
  if (baseline === undefined) return { name, title, figures };
  return {
    name,
    title,
    figures,
    baseline,
    ratios: summarizeEach((measure) =>
      summarizeRatio(roundsOf(name, measure), roundsOf(baseline, measure), WIDEST.ratio),
    ),
  };
}

export function isNoisyRow({ figures, ratios = {} }: StartupRow): boolean {
  return [...Object.values(figures), ...Object.values(ratios)].some((figure) => figure.isNoisy);
}
