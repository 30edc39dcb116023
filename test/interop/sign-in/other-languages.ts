import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Outside the tree, so that each machine downloads it only once: 5 MB for Python, 2 MB for Go. */
const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'express-authorization-server-tests',
);
const PACKAGES = ['authlib==1.9.6', 'requests==2.32.5'];
/** For a hanging run: a slow machine compiles for minutes. */
const LONGEST = 300_000;

/** A client in another language, ready to run; or the reason why there is none. */
export type Program =
  { readonly command: string; readonly parameters: readonly string[] } | { readonly missing: string };

/** Authlib, in a virtual environment of the cache. */
export async function findAuthlib(): Promise<Program> {
  const folder = join(CACHE, PACKAGES.join('_'));
  const python = join(folder, 'bin/python');
  const program = { command: python, parameters: [join(HERE, 'authlib_client.py')] };
  if (await isThere(python)) return program;
  await mkdir(CACHE, { recursive: true });
  const made = await mkdtemp(join(CACHE, 'venv-'));
  try {
    await run('python3', ['-m', 'venv', made], { timeout: LONGEST });
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary=:all:', '--no-compile'];
    await run(join(made, 'bin/python'), [...pip, ...PACKAGES], { timeout: LONGEST });
    // whole or not at all; the folder of another, faster run is as good
    await rename(made, folder).catch(() => undefined);
    return program;
  } catch (error) {
    return { missing: `no Authlib: ${firstLine(error)}` };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** golang.org/x/oauth2 and go-oidc, compiled with the installed toolchain and no other. */
export async function findGo(): Promise<Program> {
  const cwd = join(HERE, 'go');
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false' };
  try {
    await run('go', ['mod', 'download'], { cwd, env, timeout: LONGEST });
  } catch (error) {
    return { missing: `no Go with these modules: ${firstLine(error)}` };
  }
  await mkdir(CACHE, { recursive: true });
  const command = join(CACHE, `sign-in-go-${process.pid}`);
  // a failure from here on is one of the package
  await run('go', ['build', '-o', command, '.'], { cwd, env, timeout: LONGEST });
  return { command, parameters: [] };
}

/** The result of a client. */
export interface SignedIn {
  readonly sub: string;
  readonly name: string;
  /** Of the ID token in the refresh response. */
  readonly refreshed: string;
  /** Whether the refresh response had another access token. */
  readonly isNew: boolean;
  /** The logout endpoint in the metadata, to which it sends the user. */
  readonly logout: string;
}

/** Runs a client: it prints the URL for the browser, reads the URL of the callback, and prints its result. */
export async function runProgram(
  program: Program,
  parameters: readonly string[],
  walk: (url: URL) => Promise<URL>,
): Promise<SignedIn> {
  if ('missing' in program) throw new Error(program.missing);
  const child = spawn(program.command, [...program.parameters, ...parameters], {
    timeout: 600_000,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done === true) {
      await ended;
      throw new Error(`the client has ended: ${said}`);
    }
    return String(value);
  };
  const back = await walk(new URL(await next()));
  child.stdin.end(`${back.href}\n`);
  const signedIn = JSON.parse(await next()) as SignedIn;
  await ended;
  return signedIn;
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim().split('\n').at(-1) || message).slice(0, 300);
}
