import type { Io } from '../io.js';
import { formatTable, note, print, printable, printJson } from '../output.js';

export const KINDS = ['clients', 'accessTokens', 'refreshTokens', 'consents'] as const;
export type Kind = (typeof KINDS)[number];

const LABELS: Readonly<Record<Kind, string>> = {
  clients: 'clients',
  accessTokens: 'access tokens',
  refreshTokens: 'refresh tokens',
  consents: 'consents',
};

/** What was read, and what became of it. */
export interface Counts {
  found: number;
  taken: number;
  /** Taken over by an earlier run. */
  already: number;
  leftOut: number;
}

/** Something that was left out, or taken over with a difference. */
export interface Remark {
  readonly kind: Kind;
  /** The id of a client; for anything else, what and whose it is. */
  readonly name: string;
  readonly reason: string;
  /** The option that decides about it. */
  readonly option?: string;
  /** Whether this is to be expected, as with a token that has expired. */
  readonly isExpected?: boolean;
}

/** How many are named for each reason; the rest is counted. */
const NAMED = 1000;
const DISPLAYED = 10;

/** What one run has done so far. */
export class MigrationReport {
  readonly counts: Readonly<Record<Kind, Counts>> = {
    clients: zero(),
    accessTokens: zero(),
    refreshTokens: zero(),
    consents: zero(),
  };
  readonly notes: string[] = [];
  readonly #leftOut = new Remarks();
  readonly #changed = new Remarks();

  found(kind: Kind): void {
    this.counts[kind].found += 1;
  }

  taken(kind: Kind): void {
    this.counts[kind].taken += 1;
  }

  already(kind: Kind): void {
    this.counts[kind].already += 1;
  }

  leftOut(remark: Remark): void {
    this.counts[remark.kind].leftOut += 1;
    this.#leftOut.add(remark);
  }

  changed(remark: Remark): void {
    this.#changed.add(remark);
  }

  /** Whether something was left out that somebody has to look at. */
  get isToLookAt(): boolean {
    return this.#leftOut.groups.some(({ isExpected }) => !isExpected);
  }

  /** Everything that was found so far, in one line. */
  get progress(): string {
    return KINDS.map((kind) => `${this.counts[kind].found} ${LABELS[kind]}`).join(', ');
  }

  print(io: Io, { json, dryRun }: { readonly json: boolean; readonly dryRun: boolean }): void {
    const { counts, notes } = this;
    if (json) {
      printJson(io, {
        dryRun,
        ...counts,
        leftOut: this.#leftOut.groups,
        changed: this.#changed.groups,
        notes,
      });
      return;
    }
    const rows = KINDS.map((kind) => [
      LABELS[kind],
      ...Object.values(counts[kind]).map((count: number) => String(count)),
    ]);
    print(
      io,
      formatTable(io, ['', 'FOUND', dryRun ? 'WOULD BE TAKEN' : 'TAKEN', 'BEFORE', 'LEFT OUT'], rows),
    );
    this.#leftOut.print(io, 'Left out');
    this.#changed.print(io, 'Taken over with a difference');
    for (const text of notes) note(io, text);
  }
}

interface Group extends Omit<Remark, 'name'> {
  count: number;
  readonly names: string[];
}

class Remarks {
  readonly #groups = new Map<string, Group>();

  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }

  add({ name, ...remark }: Remark): void {
    const key = `${remark.kind}\n${remark.reason}`;
    const group = this.#groups.get(key) ?? { ...remark, count: 0, names: [] };
    group.count += 1;
    if (group.names.length < NAMED) group.names.push(name);
    this.#groups.set(key, group);
  }

  print(io: Io, title: string): void {
    for (const { kind, reason, option, count, names } of this.#groups.values()) {
      const cure = option === undefined ? '' : ` (${option})`;
      print(io, `\n${title}: ${count} of the ${LABELS[kind]}: ${printable(reason)}${cure}`);
      const different = [...new Set(names)];
      for (const name of different.slice(0, DISPLAYED)) print(io, `  ${printable(name).slice(0, 200)}`);
      if (different.length > DISPLAYED) print(io, '  … and others; --json names 1000 of each');
    }
  }
}

function zero(): Counts {
  return { found: 0, taken: 0, already: 0, leftOut: 0 };
}

export interface Difference {
  readonly reason: string;
  readonly option?: string;
}
