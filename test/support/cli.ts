import { Readable, Writable } from 'node:stream';

import { main } from '../../lib/cli/program.js';
import type { BuiltIn } from '../../lib/features.js';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly uri?: string;
  readonly cwd?: string;
  /** The text on standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the terminal has a person, who can be asked and sees colours. */
  readonly isTerminal?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
  /** The existing features. Default: those of the package. */
  readonly builtIn?: BuiltIn;
}

/** Runs a command in this process, with separate streams, environment and folder. Quotes in a text join words. */
export async function runCli(
  command: string | readonly string[],
  { uri, cwd = process.cwd(), input, env = {}, isTerminal = false, columns, builtIn }: CliOptions = {},
): Promise<CliResult> {
  const args =
    typeof command === 'string'
      ? [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
      : command;
  const written = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof written) => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
    return Object.assign(stream, { isTTY: isTerminal, ...(columns !== undefined && { columns }) });
  };
  const io = {
    stdin: Object.assign(Readable.from(input === undefined ? [] : [Buffer.from(input)]), {
      isTTY: isTerminal,
    }),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env: { ...(uri !== undefined && { MONGODB_URI: uri }), ...env },
    cwd: () => cwd,
  };
  const code = await main(['node', 'express-authorization-server', ...args], io, builtIn);
  return { code, ...written };
}
