import { parseArgs } from 'node:util';

import { type ContenderEntry, CONTENDERS } from './contender.js';
import { type Workload, WORKLOADS } from './workloads.js';

/** The separate runs, by their options; without one of them contenders are compared. */
const MODES = ['memory', 'startup', 'weight', 'check'] as const;
export type Mode = 'compare' | (typeof MODES)[number];

export interface BenchOptions {
  readonly mode: Mode;
  readonly isQuick: boolean;
  readonly contenders: readonly ContenderEntry[];
  readonly workloads: readonly Workload[];
  readonly rounds: number;
  /** The most rounds, if figures are too noisy to report. */
  readonly maxRounds: number;
  /** The length of one round of one contender. */
  readonly roundSeconds: number;
  readonly warmupSeconds: number;
  readonly connections: number;
  /** For memory. */
  readonly requests: number;
  /** Measures on a busy machine, too. */
  readonly force: boolean;
  readonly profile: boolean;
  readonly output: string;
  /** The commit that `--check` compares with. Default: the merge base with `main`. */
  readonly base: string | undefined;
}

/** Checked by `--check`: the most frequent work of sites. */
const CHECKED: readonly string[] = ['client_credentials', 'guard', 'authorize', 'code', 'refresh'];

export const HELP = `npm run bench -- [options]

Measures express-authorization-server, its peers and the limits side by side.

  --quick               four workloads, short rounds, fewer tokens in turn: under 2 minutes
  --workload a,b        only these: ${WORKLOADS.map(({ name }) => name).join(', ')}
  --contender a,b       only these: ${CONTENDERS.map(({ name }) => name).join(', ')}
  --rounds n            of each contender and workload (default 9, quick 4; --startup and --weight 25, quick 9); as long as a
                        figure is too noisy to be told further rounds follow, up to twice as many (none with --quick); none is dropped
  --seconds n           that a round of one contender takes (default 2, quick 0.2)
  --warmup n            seconds under load before the first round, up to three times as long on a slow machine (default 4, quick 0.3)
  --connections n       to each server, each with one request at a time (default 16)
  --memory              resident memory over 1 million requests, beside that of the same by hand; --requests n for another number
  --startup             what importing the package costs, beside express and mongoose; in fresh processes
  --weight              size, files, packages, code loaded and import of each, installed alone beside oidc-provider, better-auth
                        and @node-oauth/express-oauth-server
  --check               this tree beside the commit where its work begins (the merge base with main), in paired rounds until
                        it can be told whether more than 5 % of CPU time was lost, which fails; --base commit for another
                        one; about two minutes, ${CHECKED.join(', ')} unless told otherwise
  --profile             writes CPU profiles of the contenders to the output folder; the figures are not to be used
  --output folder       for the figures of each round in JSON, and the tables of a comparison in results.md (default test/bench/results)
  --force               goes on although the machine is busy
  --help

MongoDB: MONGODB_URI, else what npm test takes.
`;

const DEFAULTS = {
  full: { rounds: 9, startupRounds: 25, seconds: 2, warmup: 4 },
  quick: { rounds: 4, startupRounds: 9, seconds: 0.2, warmup: 0.3 },
  // many short ones, so that a disturbance affects both trees
  check: { rounds: 9, startupRounds: 9, seconds: 0.5, warmup: 2 },
};

/** @throws TypeError if an option is wrong, with what to write instead; undefined if help is asked for */
export function parseOptions(parameters: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: 'boolean', default: false },
      workload: { type: 'string', multiple: true },
      contender: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      warmup: { type: 'string' },
      connections: { type: 'string', default: '16' },
      memory: { type: 'boolean', default: false },
      requests: { type: 'string', default: '1000000' },
      startup: { type: 'boolean', default: false },
      weight: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      base: { type: 'string' },
      profile: { type: 'boolean', default: false },
      output: { type: 'string', default: 'test/bench/results' },
      force: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const modes = MODES.filter((name) => values[name]);
  if (modes.length > 1)
    throw new TypeError(
      `${modes.map((name) => `--${name}`).join(' and ')} are runs of their own; write one of them`,
    );
  const mode = modes[0] ?? 'compare';
  if (values.base !== undefined && mode !== 'check')
    throw new TypeError('--base: is for --check, which compares with a commit');
  const defaults = DEFAULTS[values.quick ? 'quick' : mode === 'check' ? 'check' : 'full'];
  const rounds = numberOf(
    'rounds',
    values.rounds ?? `${mode === 'startup' || mode === 'weight' ? defaults.startupRounds : defaults.rounds}`,
    Number.isInteger,
  );
  return {
    mode,
    isQuick: values.quick,
    contenders: chooseContenders(listOf(values.contender), mode),
    workloads: chooseWorkloads(
      listOf(values.workload) ?? (mode === 'check' ? CHECKED : undefined),
      values.quick,
    ),
    rounds,
    // a quick run has to end within two minutes
    maxRounds: values.quick ? rounds : rounds * (mode === 'check' ? 4 : 2),
    roundSeconds: numberOf('seconds', values.seconds ?? `${defaults.seconds}`),
    warmupSeconds: numberOf('warmup', values.warmup ?? `${defaults.warmup}`),
    connections: numberOf('connections', values.connections, Number.isInteger),
    requests: numberOf('requests', values.requests, Number.isInteger),
    force: values.force,
    profile: values.profile,
    output: values.output,
    base: values.base,
  };
}

function listOf(values: readonly string[] | undefined): readonly string[] | undefined {
  return values?.flatMap((value) => value.split(',')).map((value) => value.trim());
}

function chooseContenders(names: readonly string[] | undefined, mode: Mode): readonly ContenderEntry[] {
  const known = CONTENDERS.map(({ name }) => name);
  const chosen =
    names ?? (mode === 'compare' ? known : mode === 'memory' ? ['hand-written', 'ours'] : ['ours']);
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`--contender: there is no '${unknown}'; there are ${known.join(', ')}`);
  if (mode === 'check' && chosen.join() !== 'ours')
    throw new TypeError('--check: is for ours alone; leave --contender out');
  return CONTENDERS.filter(({ name }) => chosen.includes(name));
}

function chooseWorkloads(names: readonly string[] | undefined, isQuick: boolean): readonly Workload[] {
  const known = WORKLOADS.map(({ name }) => name as string);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`--workload: there is no '${unknown}'; there are ${known.join(', ')}`);
  return WORKLOADS.filter((workload: Workload) =>
    names === undefined ? workload.isInQuick || !isQuick : names.includes(workload.name),
  );
}

function numberOf(
  option: string,
  text: string,
  isRight: (value: number) => boolean = Number.isFinite,
): number {
  const value = Number(text);
  if (text.trim() === '' || !isRight(value) || value <= 0)
    throw new TypeError(
      `--${option}: '${text}' must be a${isRight === Number.isInteger ? ' whole' : ''} number above 0`,
    );
  return value;
}
