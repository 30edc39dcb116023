import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { databaseUri } from '../../support/database.js';
import { type Disposable, disposable } from '../../support/disposable.js';
import { programOf } from '../../support/programs.js';

/** The example running as for a newcomer: `start.ts` with its sites. */
export interface RunningExample extends Disposable {
  readonly issuer: string;
  readonly shopUrl: string;
  readonly albumUrl: string;
  readonly database: string;
  /** Its output so far. */
  output(): string;
  /** Whether any of its processes runs. A zombie in the system's list does not. */
  isAlive(): boolean;
  /** Ctrl-C: the signal goes to every process, as a terminal sends it. Resolves to the exit code. */
  interrupt(): Promise<number | null>;
  /** Interrupts the running processes. */
  close(): Promise<void>;
}

export interface ExampleOptions {
  /** Name of its database; default: a new one. */
  readonly database?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Behind `npm run example --`. */
  readonly parameters?: readonly string[];
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export async function startExample({
  database = `example_${randomUUID().slice(0, 8)}`,
  environment = {},
  parameters = [],
}: ExampleOptions = {}): Promise<RunningExample> {
  const example = spawnExample(
    { ...(await findPorts()), MONGODB_URI: databaseUri(database), ...environment },
    parameters,
  );
  await example.untilPrinted('Ctrl-C stops everything');
  return { ...disposable, ...example, database };
}

/** A port for each of its sites: the ports after `PORT` may be used by another test. */
export async function findPorts(): Promise<{
  readonly PORT: string;
  readonly SHOP_PORT: string;
  readonly ALBUM_PORT: string;
  readonly MTLS_PORT: string;
}> {
  const [port = '', shopPort = '', albumPort = '', mtlsPort = ''] = (await findFreePorts(4)).map(String);
  return { PORT: port, SHOP_PORT: shopPort, ALBUM_PORT: albumPort, MTLS_PORT: mtlsPort };
}

/** Starts `start.ts` in a new process group, as a terminal does. */
export function spawnExample(
  environment: Readonly<Record<string, string>> & Awaited<ReturnType<typeof findPorts>>,
  parameters: readonly string[] = [],
) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [programOf('example-app/start.ts'), ...parameters], {
    cwd: ROOT,
    detached: true,
    // their passwords are not secret, and a login at the usual cost takes longer than most tests
    env: { PATH, HOME, PASSWORD_ROUNDS: '4', ...environment },
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));

  const interrupt = async () => {
    process.kill(-child.pid!, 'SIGINT');
    const [code] = await ended;
    return code;
  };
  const urlOf = (port: string) => `http://localhost:${port}`;
  const issuer = urlOf(environment.PORT);
  return {
    issuer: parameters.includes('--tls') ? issuer.replace('http:', 'https:') : issuer,
    shopUrl: urlOf(environment.SHOP_PORT),
    albumUrl: urlOf(environment.ALBUM_PORT),
    ended: async () => (await ended)[0],
    output: () => printed,
    isAlive: () => isAlive(child),
    interrupt,
    /** The same for one of its processes alone, as soon as it exists. */
    async interruptAlone(program: string) {
      for (; child.exitCode === null; await delay(1)) {
        const pid = membersOf(child.pid!).find((member) => readOf(member, 'cmdline').includes(program));
        if (pid !== undefined) return void process.kill(pid, 'SIGINT');
      }
      throw new Error(`the example does not start ${program}:\n${printed}`);
    },
    close: async () => void (isAlive(child) && (await interrupt())),
    async untilPrinted(text: string) {
      while (!printed.includes(text)) {
        if (child.exitCode !== null) throw new Error(`the example does not print '${text}' but:\n${printed}`);
        await delay(20);
      }
    },
  };
}

export async function findFreePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    // below the ports that the system gives to sockets (Linux: from 32768 on)
    const server = createServer().listen(randomInt(20_000, 32_000));
    await once(server, 'listening').then(
      () => servers.push(server),
      () => undefined,
    );
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Whether a process of the group is left. */
function isAlive({ pid }: ChildProcess): boolean {
  try {
    process.kill(-pid!, 0);
  } catch {
    return false;
  }
  return !hasEnded(pid!);
}

/** Linux: whether only zombies are left of a group, which stay if the machine has no init that collects them. */
function hasEnded(group: number): boolean {
  const states = membersOf(group).map((pid) => statOf(pid).state);
  return states.length > 0 && states.every((state) => state === 'Z');
}

/** Linux: the processes of a group. */
function membersOf(group: number): number[] {
  const processes = (existsSync('/proc') ? readdirSync('/proc') : []).filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => statOf(pid).group === group);
}

function statOf(pid: number) {
  const [, state, group] = /\) (\S) \d+ (\d+)/.exec(readOf(pid, 'stat')) ?? [];
  return { state, group: Number(group) };
}

function readOf(pid: number, name: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
