import type { Io } from '../io.js';
import { formatTable, note, print, printable, printJson } from '../output.js';
import type { MigrateOptions } from './options.js';

const LABELS = {
  clients: 'clients',
  accessTokens: 'access tokens',
  refreshTokens: 'refresh tokens',
  consents: 'consents',
} as const;
export type Kind = keyof typeof LABELS;
const KINDS = Object.keys(LABELS) as Kind[];

/** The numbers of a kind; `already`: taken over by an earlier run. */
const NO_COUNTS = { found: 0, taken: 0, already: 0, leftOut: 0 };

type Counts = Readonly<Record<Kind, typeof NO_COUNTS>>;

/** Maximum number of names for each reason; the rest is counted. */
const NAMED = 1000;
const DISPLAYED = 10;

/** A reason, and the flag that changes the decision. */
export interface Difference {
  readonly reason: string;
  readonly option?: string | undefined;
}

/** Thrown if a thing cannot be taken over; `orLeftOut` catches it, so that the report lists the thing. */
export class LeftOut extends Error {
  /** @param isExpected for example with an expired token */
  constructor(
    reason: string,
    readonly option?: string,
    readonly isExpected?: true,
  ) {
    super(reason);
  }
}

/** Runs a decision about one thing, so that the others continue; rethrows any other error. */
export async function orLeftOut<T>(decide: () => T | Promise<T>): Promise<T | LeftOut> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof LeftOut) return error;
    throw error;
  }
}

/** Things that were left out or changed for the same reason. */
interface Group extends Difference {
  readonly kind: Kind;
  readonly isExpected?: true | undefined;
  count: number;
  readonly names: string[];
}

/** The results of a run. */
export class MigrationReport {
  readonly counts = Object.fromEntries(KINDS.map((kind) => [kind, { ...NO_COUNTS }])) as Counts;
  readonly notes: string[] = [];
  readonly #leftOut = new Map<string, Group>();
  readonly #changed = new Map<string, Group>();

  count(kind: Kind, outcome: keyof typeof NO_COUNTS): void {
    this.counts[kind][outcome] += 1;
  }

  /** @param name the id of a client; for anything else, its kind and owner */
  leftOut(kind: Kind, name: string, { message: reason, option, isExpected }: LeftOut): void {
    this.count(kind, 'leftOut');
    addTo(this.#leftOut, name, { kind, reason, option, isExpected, count: 0, names: [] });
  }

  changed(kind: Kind, name: string, { reason, option }: Difference): void {
    addTo(this.#changed, name, { kind, reason, option, count: 0, names: [] });
  }

  /** Whether a thing was left out unexpectedly. */
  get isToLookAt(): boolean {
    return [...this.#leftOut.values()].some(({ isExpected }) => !isExpected);
  }

  /** All numbers so far, in one line. */
  get progress(): string {
    return KINDS.map((kind) => `${this.counts[kind].found} ${LABELS[kind]}`).join(', ');
  }

  print(io: Io, { json, dryRun = false }: MigrateOptions): void {
    const { counts, notes } = this;
    const [leftOut, changed] = [[...this.#leftOut.values()], [...this.#changed.values()]];
    if (json === true) return printJson(io, { dryRun, ...counts, leftOut, changed, notes });
    const header = ['', 'FOUND', dryRun ? 'WOULD BE TAKEN' : 'TAKEN', 'BEFORE', 'LEFT OUT'];
    const rows = KINDS.map((kind) => [LABELS[kind], ...Object.values(counts[kind]).map(String)]);
    print(io, formatTable(io, header, rows));
    for (const [title, groups] of [
      ['Left out', leftOut],
      ['Taken over with a difference', changed],
    ] as const)
      for (const { kind, reason, option, count, names } of groups) {
        const cure = option === undefined ? '' : ` (${option})`;
        print(io, `\n${title}: ${count} of the ${LABELS[kind]}: ${printable(reason)}${cure}`);
        const different = [...new Set(names)];
        for (const name of different.slice(0, DISPLAYED)) print(io, `  ${printable(name).slice(0, 200)}`);
        if (different.length > DISPLAYED) print(io, '  … and others; --json names 1000 of each');
      }
    for (const text of notes) note(io, text);
  }
}

function addTo(groups: Map<string, Group>, name: string, begun: Group): void {
  const key = `${begun.kind}\n${begun.reason}`;
  const group = groups.get(key) ?? begun;
  group.count += 1;
  if (group.names.length < NAMED) group.names.push(name);
  groups.set(key, group);
}
