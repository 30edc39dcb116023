import { growthOf, type MemoryReading } from '../memory.js';
import type { StartupRow } from '../startup.js';
import { type Figure, summarizeRatio } from '../statistics.js';
import { type Cell, WIDEST, type WorkloadReport } from './report.js';
import { formatColumns } from './table.js';

/** The targets of this package; each ratio is within one run. */
const LIMITS = {
  /** CPU time of one operation, as a multiple of another contender's. */
  cpu: [
    { workload: 'guard', baseline: 'hand-written', max: 1.15 },
    { workload: 'guard-remembered', baseline: 'express', max: 1.3 },
    { workload: 'guard-jwt', baseline: 'express', max: 1.3 },
    { workload: 'client_credentials', baseline: 'hand-written', max: 1.3 },
    { workload: 'client_credentials-jwt', baseline: 'hand-written', max: 1.3 },
    { workload: 'authorize', baseline: 'hand-written', max: 0.9 },
    { workload: 'code', baseline: 'hand-written', max: 1.3 },
    { workload: 'refresh', baseline: 'hand-written', max: 1.3 },
  ],
  /** CPU time of client credentials with a JWT, as a multiple of that with an opaque token. */
  jwt: 1.4,
  /** CPU time of the whole flow, as a multiple of that of the best peer. */
  flow: 0.45,
  /** To the database, for one operation. */
  commands: {
    guard: 1,
    'guard-remembered': 0,
    client_credentials: 2,
    'client_credentials-jwt': 2,
    'client_credentials-stateless': 1,
    // including the two for the session of the site
    authorize: 5,
    code: 3,
    refresh: 3,
    'dpop-guard': 2,
    'dpop-guard-jwt': 0,
  },
  /** Codes redeemed in a second, as a multiple of @node-oauth/express-oauth-server. */
  nodeOauth: 2,
  /** Resident memory after 1 million requests, as a multiple of that after 100 thousand. */
  memory: 1.1,
  /** Resident memory after 100 thousand requests, as a multiple of that of the same by hand. */
  memoryByHand: 1.2,
  /** Importing the package, as a multiple of importing express and mongoose. */
  startup: 0.7,
} as const;

export interface Target {
  readonly title: string;
  readonly result: 'met' | 'not met' | 'not told';
  /** The figure, the excess over the target, or the reason why there is no verdict. */
  readonly detail: string;
}

type Bound = { readonly max: number } | { readonly least: number };
type Verdict = Omit<Target, 'title'>;

const BASELINE_TITLES = { 'hand-written': 'the same by hand', express: "Express's fixed answer" } as const;
const MISSING: Verdict = { result: 'not told', detail: 'not in this run' };

export function targetsOfComparison(workloads: readonly WorkloadReport[]): Target[] {
  const cellOf = (workload: string, contender = 'ours') =>
    workloads.find(({ name }) => name === workload)?.cells.find(({ name }) => name === contender);
  return [
    ...LIMITS.cpu.map(({ workload, baseline, max }) => ({
      title: `${workload}: CPU time at most ${max} × ${BASELINE_TITLES[baseline]}`,
      ...judge(cellOf(workload)?.figures?.ratios[baseline], { max }),
    })),
    {
      title: `client_credentials: CPU time with a JWT at most ${LIMITS.jwt} × that with an opaque token`,
      ...judge(ratioOf('cpuMicroseconds', cellOf('client_credentials-jwt'), cellOf('client_credentials')), {
        max: LIMITS.jwt,
      }),
    },
    ...Object.entries(LIMITS.commands).map(([workload, max]) => ({
      title: `${workload}: at most ${formatCommands(max)} to the database`,
      ...judgeCommands(cellOf(workload), max),
    })),
    ...workloads.flatMap(comparePeers),
    {
      title: `code: at least ${LIMITS.nodeOauth} × as many a second as @node-oauth/express-oauth-server`,
      ...judge(ratioOf('requestsPerSecond', cellOf('code'), cellOf('code', 'node-oauth')), {
        least: LIMITS.nodeOauth,
      }),
    },
    ...(['memory', 'startup'] as const).map((mode) => ({
      title: TITLES[mode],
      result: 'not told' as const,
      detail: `--${mode} tells`,
    })),
  ];
}

const TITLES = {
  memory: `resident memory after 1 000 000 requests at most ${LIMITS.memory} × that after 100 000`,
  memoryByHand: `resident memory after 100 000 requests at most ${LIMITS.memoryByHand} × the same by hand`,
  startup: `import at most ${LIMITS.startup} × express and mongoose`,
};

/** In one workload, the nearest peer decides, or the one ahead. */
function comparePeers({ name, cells }: WorkloadReport): Target[] {
  const own = cells.find(({ kind }) => kind === 'ours');
  const peers = cells.filter(({ kind, isUnsupported }) => kind === 'peer' && isUnsupported !== true);
  if (own === undefined || own.isUnsupported === true || peers.length === 0) return [];
  const compare = (measure: 'requestsPerSecond' | 'cpuMicroseconds', bound: Bound): Verdict => {
    const verdicts = peers.map((peer) => {
      const figure = ratioOf(measure, own, peer);
      const verdict =
        peer.refused === undefined ? judge(figure, bound) : { ...MISSING, detail: 'no figures' };
      return {
        result: verdict.result,
        detail: `${verdict.detail} of ${peer.title}`,
        distance: figure === undefined ? 0 : Math.abs(Math.log(figure.median)),
      };
    });
    const order: Target['result'][] = ['not met', 'not told', 'met'];
    const [nearest] = verdicts.sort(
      (a, b) =>
        order.indexOf(a.result) - order.indexOf(b.result) ||
        (a.result === 'met' ? a.distance - b.distance : b.distance - a.distance),
    );
    return nearest === undefined ? MISSING : { result: nearest.result, detail: nearest.detail };
  };
  const max = name === 'flow' ? LIMITS.flow : 1;
  const cpuTitle = max === 1 ? 'less CPU time than every peer' : `CPU time at most ${max} × every peer's`;
  return [
    { title: `${name}: ${cpuTitle}`, ...compare('cpuMicroseconds', { max }) },
    { title: `${name}: more a second than every peer`, ...compare('requestsPerSecond', { least: 1 }) },
  ];
}

/** @param byHand the readings of the same by hand; none: it was not in the run */
export function targetsOfMemory(
  readings: readonly MemoryReading[],
  byHand: readonly MemoryReading[] = [],
): Target[] {
  const isWhole = readings[0]?.requests === 100_000 && readings.at(-1)?.requests === 1_000_000;
  const verdict = isWhole
    ? judge(figureOf(growthOf(readings)), { max: LIMITS.memory })
    : { ...MISSING, detail: `${readings.at(-1)?.requests ?? 0} requests are not 1 000 000` };
  const [own, other] = [readings, byHand].map(
    (each) => each.find(({ requests }) => requests === 100_000)?.residentBytes ?? NaN,
  ) as [number, number];
  return [
    { title: TITLES.memory, ...verdict },
    { title: TITLES.memoryByHand, ...judge(figureOf(own / other), { max: LIMITS.memoryByHand }) },
  ];
}

/** Of a single reading. */
function figureOf(value: number): Figure {
  return { median: value, interval: [value, value], rounds: [value], isNoisy: false };
}

export function targetsOfStartup(rows: readonly StartupRow[]): Target[] {
  const ratios = rows.find(({ name }) => name === 'ours')?.ratios;
  return [
    {
      title: `time of the ${TITLES.startup}`,
      ...judge(ratios?.importMilliseconds, { max: LIMITS.startup }),
    },
    {
      title: `CPU time of the ${TITLES.startup}`,
      ...judge(ratios?.importCpuMilliseconds, { max: LIMITS.startup }),
    },
  ];
}

/** Decided only if the whole interval, however wide, is on one side of the limit, so that noise cannot change it. */
export function judge(figure: Figure | undefined, bound: Bound): Verdict {
  if (figure === undefined || Number.isNaN(figure.median)) return MISSING;
  const limit = 'max' in bound ? bound.max : bound.least;
  const isWithin = (value: number) => ('max' in bound ? value <= limit : value >= limit);
  const [low, high] = figure.interval.map((end) => end.toFixed(2));
  const reported = `${figure.median.toFixed(2)} ×${low === high ? '' : ` (${low} to ${high})`}`;
  const within = figure.interval.filter(isWithin).length;
  if (within > 0) return { result: within === 2 ? 'met' : 'not told', detail: reported };
  const missed = formatPercent(Math.abs(figure.median / limit - 1));
  return { result: 'not met', detail: `${reported}, ${missed} ${'max' in bound ? 'over' : 'under'}` };
}

function judgeCommands(cell: Cell | undefined, max: number): Verdict {
  const commands = cell?.database?.commands;
  if (commands === undefined) return MISSING;
  return {
    result: commands <= max ? 'met' : 'not met',
    detail: `${commands.toFixed(1).replace(/\.0$/, '')}: ${cell?.database?.sequence.join(', ') ?? ''}`,
  };
}

function ratioOf(
  measure: 'requestsPerSecond' | 'cpuMicroseconds',
  one: Cell | undefined,
  other: Cell | undefined,
): Figure | undefined {
  if (one?.figures === undefined || other?.figures === undefined) return undefined;
  return summarizeRatio(one.figures[measure].rounds, other.figures[measure].rounds, WIDEST.ratio);
}

/** For a terminal, below the table. */
export function formatTargets(targets: readonly Target[]): string {
  return `\nTargets\n${formatColumns(
    targets.map(({ title, result, detail }) => [title, result === 'not met' ? 'NOT MET' : result, detail]),
    'left',
  )}`;
}

function formatCommands(count: number): string {
  return `${count} ${count === 1 ? 'command' : 'commands'}`;
}

/** With tenths of a per cent for small excesses, because missed is missed. */
function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share < 0.05 ? 1 : 0)} %`;
}
