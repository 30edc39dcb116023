import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { databaseUri } from '../../support/database.js';

/** The example as a newcomer has it running: `start.ts` with its two sites. */
export interface RunningExample {
  readonly issuer: string;
  readonly shopUrl: string;
  readonly database: string;
  /** Everything it has printed so far. */
  output(): string;
  /** Whether any of its processes runs. */
  isAlive(): boolean;
  /** Ctrl-C: the signal goes to every process, as a terminal sends it. Resolves to the exit code. */
  interrupt(): Promise<number | null>;
  /** Interrupts what still runs. */
  stop(): Promise<void>;
}

export interface ExampleOptions {
  /** Name of its database; default: a new one. */
  readonly database?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_TIMEOUT = 20_000;

export async function startExample({ database = `example_${randomUUID().slice(0, 8)}`, environment = {} }: ExampleOptions = {}): Promise<RunningExample> {
  const [port, shopPort] = await findFreePorts(2);
  const example = spawnExample({ PORT: String(port), SHOP_PORT: String(shopPort), MONGODB_URI: databaseUri(database), ...environment });
  await example.untilPrinted('Ctrl-C stops everything');
  return { issuer: `http://localhost:${port}`, shopUrl: `http://localhost:${shopPort}`, database, ...example };
}

/** Starts `start.ts` in a process group of its own, which is what a terminal does. */
export function spawnExample(environment: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'example-app/start.ts'], { cwd: ROOT, detached: true, env: { PATH, HOME, ...environment } });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));

  const interrupt = async () => {
    process.kill(-child.pid!, 'SIGINT');
    return (await ended)[0];
  };
  return {
    ended: async () => (await ended)[0],
    output: () => printed,
    isAlive: () => isAlive(child),
    interrupt,
    stop: async () => void (isAlive(child) && (await interrupt())),
    async untilPrinted(text: string) {
      const deadline = Date.now() + START_TIMEOUT;
      while (!printed.includes(text)) {
        if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the example does not print '${text}' but:\n${printed}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Whether a process of the group is left. */
function isAlive({ pid }: ChildProcess): boolean {
  try {
    return process.kill(-pid!, 0);
  } catch {
    return false;
  }
}
