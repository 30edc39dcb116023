import type { Readable, Writable } from 'node:stream';

type MaybeTerminal = { readonly isTTY?: boolean; readonly columns?: number };

/** What a command has besides its arguments; `process` is one. */
export interface Io {
  readonly stdin: Readable & MaybeTerminal;
  /** Only for answers, so that a pipe gets nothing else. */
  readonly stdout: Writable & MaybeTerminal;
  /** Remarks, questions and errors. */
  readonly stderr: Writable & MaybeTerminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
