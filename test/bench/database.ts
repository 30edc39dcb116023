import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { MongoClient } from 'mongodb';

import { startMongo } from '../support/mongodb.js';

export interface BenchDatabase {
  readonly uri: string;
  /** Such as `mongod 8.0.4`. */
  readonly kind: string;
  stop(): Promise<void>;
}

type Log = (line: string) => void;

/** MONGODB_URI, else a mongod on the PATH, else the Rust build of SecantusDB on the PATH, else as the tests. */
export async function startDatabase(log: Log): Promise<BenchDatabase> {
  const isGiven = process.env.MONGODB_URI !== undefined && process.env.MONGODB_URI !== '';
  const secantus =
    isGiven || (await findOnPath('mongod')) !== undefined ? undefined : await findOnPath('secantusd-rs');
  const server = secantus === undefined ? await startMongo({ log }) : await startSecantus(secantus, log);
  return { ...server, kind: await describe(server.uri, server.kind) };
}

/** The connection string with the name of a database in it. */
export function uriOf(server: string, name: string): string {
  const uri = new URL(server);
  uri.pathname = `/${name}`;
  // the tests use `journal=true` so that confirmed writes survive a kill; here it is off, as at a site
  uri.searchParams.delete('journal');
  return uri.toString();
}

const FOLDER = /^bench-secantus-(\d+)-/;

/** Exported for its test. */
export async function startSecantus(command: string, log: Log) {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `bench-secantus-${process.pid}-`));
  const child = spawn(command, ['--port', '0', '--storage-path', folder, '--log-level', 'ERROR'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const watcher = watch(child, folder);
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const port = await readPort(child);
  log(`MongoDB: SecantusDB (${command}) at 127.0.0.1:${port}, data in ${folder} until it stops`);
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    kind: 'secantusd-rs',
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(patience);
      process.off('exit', killAtExit);
      watcher?.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * A shell that ends the server and removes its data when this process has ended, however: even by `kill -9`, where no
 * exit handler runs, the shell's stdin closes. A process group of its own: Ctrl-C does not reach it.
 */
function watch({ pid }: ChildProcess, folder: string): ChildProcess | undefined {
  if (pid === undefined || process.platform === 'win32') return undefined;
  const script = 'read -r line; kill -9 "$0"; sleep 1; rm -rf -- "$1"';
  const watcher = spawn('/bin/sh', ['-c', script, `${pid}`, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // it must not keep this process alive
  watcher.unref();
  (watcher.stdin as Socket).unref();
  return watcher;
}

/** Data of runs that have ended without removing them, such as by a power cut. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = FOLDER.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 5 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // it exists, but belongs to another user
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readPort(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, port] = /listening on [\d.]+:(\d+)/.exec(output) ?? [];
        if (port !== undefined) resolve(port);
      });
    }
    child
      .once('error', reject)
      .once('exit', (code) => reject(new Error(`secantusd-rs ended with ${code}: ${output}`)));
  });
}

async function describe(uri: string, kind: string): Promise<string> {
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 }).connect();
  try {
    const { version } = (await client.db('admin').command({ buildInfo: 1 })) as { version: string };
    return kind.startsWith('secantus')
      ? `SecantusDB (${kind}), as MongoDB ${version}`
      : `MongoDB ${version} (${kind})`;
  } finally {
    await client.close();
  }
}

async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const file = join(folder, name);
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}
