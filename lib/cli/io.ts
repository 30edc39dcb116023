import type { Readable, Writable } from 'node:stream';

type MaybeTerminal = { readonly isTTY?: boolean; readonly columns?: number };

/** What a command has beside its arguments; `process` is one. */
export interface Io {
  readonly stdin: Readable & MaybeTerminal;
  /** Answers, and nothing else: a pipe gets them alone. */
  readonly stdout: Writable & MaybeTerminal;
  /** Remarks, questions and errors. */
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}
