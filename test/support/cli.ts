import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');
const TSX = pathToFileURL(resolve(ROOT, 'node_modules/tsx/dist/esm/index.mjs')).href;

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly uri?: string;
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A module that is loaded before the command line. */
  readonly preload?: string;
}

/** Runs the command line as a process of its own, from its source. */
export function runCli(
  args: readonly string[],
  { uri, cwd = ROOT, input, env = {}, preload }: CliOptions = {},
): Promise<CliResult> {
  const { MONGODB_URI: _host, NODE_OPTIONS: _jest, ...inherited } = process.env;
  const imports = [TSX, ...(preload === undefined ? [] : [preload])].flatMap((module) => [
    '--import',
    module,
  ]);
  const child = spawn(process.execPath, [...imports, resolve(ROOT, 'lib/cli/main.ts'), ...args], {
    cwd,
    env: { ...inherited, ...(uri !== undefined && { MONGODB_URI: uri }), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 25_000,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(input ?? '');
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}
