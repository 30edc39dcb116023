import type { Readable, Writable } from 'node:stream';

type MaybeTerminal = { readonly isTTY?: boolean; readonly columns?: number };

/** The environment of a command; `process` is one. */
export interface Io {
  readonly stdin: Readable & MaybeTerminal;
  /** Only for results, so that a pipe gets nothing else. */
  readonly stdout: Writable & MaybeTerminal;
  /** Notes, questions and errors. */
  readonly stderr: Writable & MaybeTerminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
