import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
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

/** MONGODB_URI, else a mongod on the PATH, else the Rust build of SecantusDB on the PATH, else what the tests take. */
export async function startDatabase(log: Log): Promise<BenchDatabase> {
  const isGiven = process.env.MONGODB_URI !== undefined && process.env.MONGODB_URI !== '';
  const secantus = isGiven || (await findOnPath('mongod')) !== undefined ? undefined : await findOnPath('secantusd-rs');
  const server = secantus === undefined ? await startMongo({ log }) : await startSecantus(secantus, log);
  return { ...server, kind: await describe(server.uri, server.kind) };
}

/** The connection string with the name of a database in it. */
export function uriOf(server: string, name: string): string {
  const uri = new URL(server);
  uri.pathname = `/${name}`;
  // `journal=true` is how the tests keep what they confirm over a kill; here it is as a site has it
  uri.searchParams.delete('journal');
  return uri.toString();
}

async function startSecantus(command: string, log: Log) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-secantus-'));
  const child = spawn(command, ['--port', '0', '--storage-path', folder, '--log-level', 'ERROR'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
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
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function readPort(child: ReturnType<typeof spawn>): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, port] = /listening on [\d.]+:(\d+)/.exec(output) ?? [];
        if (port !== undefined) resolve(port);
      });
    }
    child.once('error', reject).once('exit', (code) => reject(new Error(`secantusd-rs ended with ${code}: ${output}`)));
  });
}

async function describe(uri: string, kind: string): Promise<string> {
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 }).connect();
  try {
    const { version } = (await client.db('admin').command({ buildInfo: 1 })) as { version: string };
    return kind.startsWith('secantus') ? `SecantusDB (${kind}), as MongoDB ${version}` : `MongoDB ${version} (${kind})`;
  } finally {
    await client.close();
  }
}

async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const file = join(folder, name);
    if (await access(file, constants.X_OK).then(() => true, () => false)) return file;
  }
  return undefined;
}
