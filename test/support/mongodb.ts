import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import {
  access,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface RunningMongo {
  readonly uri: string;
  readonly kind: 'given' | 'mongod' | 'downloaded' | 'secantusdb';
  stop(): Promise<void>;
  /** Ends the server as a crash would and keeps the data, for start() on the same port; both absent for 'given'. */
  kill?(): Promise<void>;
  start?(): Promise<void>;
}
type Log = (line: string) => void;
export interface MongoOptions {
  readonly dataFolder?: string | undefined; // default: a temporary one, removed at stop
  readonly port?: number | undefined;
  readonly testCommands?: boolean | undefined;
  readonly standalone?: boolean | undefined; // default: a replica set of one member, as at sites
  readonly outlivesKill?: boolean | undefined; // default: true; false is for data that end with the run: 20 % less CPU time
  readonly log?: Log | undefined;
}
interface Server {
  readonly kind: 'mongod' | 'downloaded' | 'secantusdb';
  readonly command: string;
  parameters(port: number, folder: string): string[];
  readonly testParameters: string[];
  readonly replicaSetParameters: string[];
  readonly standaloneParameters: string[];
  readonly durableParameters: string[];
  /** The name of its replica set, which has to be initiated. Default: it begins by itself. */
  readonly replicaSet?: string;
}

const secantus = 'secantusdb==0.7.0b3';
const staleAfter = 15_000;
const onWindows = process.platform === 'win32';
const sources: [name: string, find: (log: Log) => Promise<Server>][] = [
  ['mongod on the PATH', findMongod],
  ['mongod from mongodb-memory-server-core', downloadMongod],
  [`SecantusDB (${secantus} from PyPI)`, findSecantus],
];
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).trim();
const succeeds = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );
const ageOf = async (file: string) =>
  Date.now() - ((await stat(file).catch(() => undefined))?.mtimeMs ?? Infinity);
const inCache = (name: string) =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'express-authorization-server', name);
const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;
// directConnection: no search for other members
const uriAt = (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`;

/** Provides a MongoDB: MONGODB_URI, else a mongod on the PATH, else a downloaded one, else SecantusDB. */
export async function startMongo(options: MongoOptions = {}): Promise<RunningMongo> {
  const log = options.log ?? ((line) => console.error(line));
  const uri = process.env.MONGODB_URI;
  if (uri) {
    log(`MongoDB: taking MONGODB_URI (${uri.replace(/\/\/.*@/, '//…@')})`);
    return { uri, kind: 'given', stop: () => Promise.resolve() };
  }
  const failures = ['MONGODB_URI: not set'];
  for (const [name, find] of sources) {
    try {
      return await serve(name, await find(log), options, log);
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    `No MongoDB could be had. Tried:\n  - ${failures.join('\n  - ')}\n` +
      'Any one of these cures it: set MONGODB_URI=mongodb://…, or install MongoDB (mongod on the PATH), ' +
      'or install Python 3.10 to 3.13 with venv and pip (Debian, Ubuntu: apt install python3-venv).',
  );
}

async function serve(name: string, server: Server, options: MongoOptions, log: Log): Promise<RunningMongo> {
  // mongod and SecantusDB cannot read each other's files
  const family = server.kind === 'secantusdb' ? 'secantusdb' : 'mongod';
  const stored = options.dataFolder && resolve(options.dataFolder, family);
  const folder = stored || (await mkdtemp(join(tmpdir(), 'mongodb-')));
  await mkdir(folder, { recursive: true });
  const outlivesKill = options.outlivesKill ?? true;
  const extra = [
    ...(options.standalone ? server.standaloneParameters : server.replicaSetParameters),
    ...(options.testCommands ? server.testParameters : []),
    ...(outlivesKill ? server.durableParameters : []),
  ];
  const spawnAt = (port: number) =>
    spawnGuarded(server.command, [...server.parameters(port, folder), ...extra], stored ? '' : folder);
  const discard = async () => stored || rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const start = async (desiredPort: number) => {
    const launched = await launch(desiredPort, spawnAt);
    if (server.replicaSet !== undefined && !options.standalone)
      await beginReplicaSet(server.replicaSet, launched.port);
    return launched;
  };
  let { child, port } = await start(options.port ?? 0).catch(async (error: unknown) => {
    log(`MongoDB: ${name} does not start: ${messageOf(error)}`);
    await discard();
    throw error;
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.on('exit', killAtExit);
  log(`MongoDB: ${name} at 127.0.0.1:${port}, data in ${folder}${stored ? '' : ' until it stops'}`);
  return {
    // journal: confirmed writes survive a kill
    uri: outlivesKill ? `${uriAt(port)}&journal=true` : uriAt(port),
    kind: server.kind,
    kill: () => end(child, port, 'SIGKILL'),
    start: async () => void ({ child, port } = hasEnded(child) ? await start(port) : { child, port }),
    async stop() {
      await end(child, port, 'SIGTERM');
      process.off('exit', killAtExit);
      await discard();
    },
  };
}

async function launch(desiredPort: number, spawnAt: (port: number) => ChildProcess) {
  for (const patience = Date.now() + 8000; ; await delay(200)) {
    try {
      const port = await freePort(desiredPort);
      const child = spawnAt(port);
      await answer(child, port);
      return { child, port };
    } catch (error) {
      // the port or the folder may still be held by a predecessor that is just ending
      if (Date.now() > patience || !/in use|resource busy|unable to lock/i.test(messageOf(error)))
        throw error;
    }
  }
}

async function freePort(desiredPort: number): Promise<number> {
  const probe = createServer((socket) => socket.destroy()).listen(desiredPort, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}

async function knock(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return succeeds(once(socket, 'connect')).finally(() => socket.destroy());
}

async function answer(child: ChildProcess, port: number): Promise<void> {
  const output = tailOf(child.stdout, child.stderr);
  const { default: mongoose } = await import('mongoose');
  for (const deadline = Date.now() + 600_000; Date.now() < deadline && !hasEnded(child); await delay(20)) {
    if (!(await knock(port))) continue;
    const client = new mongoose.mongo.MongoClient(uriAt(port), { serverSelectionTimeoutMS: 2000 });
    const answered = await succeeds(client.db('admin').command({ hello: 1 }));
    await client.close();
    if (!answered || hasEnded(child)) continue;
    child.unref(); // an idle server must not keep our process alive
    for (const pipe of child.stdio) (pipe as Socket | null)?.unref();
    return;
  }
  const reason = hasEnded(child) ? 'it ended at once' : 'no answer in 600 s';
  child.kill('SIGKILL');
  throw new Error(`${reason}: ${output(3)}`);
}

/**
 * Makes a set of one member, as at sites: only with it are there change streams, retryable writes and a majority. Data
 * of an earlier run may have the member at another port.
 */
async function beginReplicaSet(name: string, port: number): Promise<void> {
  const { default: mongoose } = await import('mongoose');
  const client = new mongoose.mongo.MongoClient(uriAt(port), { serverSelectionTimeoutMS: 30_000 });
  const admin = client.db('admin');
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  try {
    const isNew = await succeeds(admin.command({ replSetInitiate: { _id: name, members } }));
    if (!isNew) {
      const { config } = (await admin.command({ replSetGetConfig: 1 })) as {
        config: { version: number; members: { host: string }[] };
      };
      if (config.members[0]?.host !== members[0]?.host)
        await admin.command({
          replSetReconfig: { ...config, version: config.version + 1, members },
          force: true,
        });
    }
    for (const deadline = Date.now() + 600_000; Date.now() < deadline; await delay(50)) {
      const { isWritablePrimary } = await admin.command({ hello: 1 });
      if (isWritablePrimary === true) return;
    }
    throw new Error('its replica set has no primary after 600 s');
  } finally {
    await client.close();
  }
}

async function end(child: ChildProcess, port: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const patience = Date.now() + 6000;
  child.kill(signal);
  for (let round = 1; !hasEnded(child); round += 1) {
    await delay(20);
    // SecantusDB notices the signal at the next connection, otherwise after two seconds, and sometimes misses it
    const isOpen = signal === 'SIGTERM' && (await knock(port));
    if (Date.now() > patience) child.kill('SIGKILL');
    else if (isOpen && round % 10 === 0) child.kill(signal);
  }
}

/**
 * New process group: Ctrl-C reaches only us. The shell beside the child ends it (and removes `leftover`) when our end
 * of its stdin closes, even after kill -9, when no exit handler runs.
 */
function spawnGuarded(command: string, parameters: string[], leftover = '', env = process.env): ChildProcess {
  if (onWindows) return spawn(command, parameters, { env, windowsHide: true });
  const script =
    'exec 3<&0; (read -r line <&3; kill -9 "$$"; [ -z "$0" ] || { sleep 1; rm -rf -- "$0"; }) >/dev/null 2>&1 & ' +
    'exec "$@" </dev/null 3<&-';
  const child = spawn('/bin/sh', ['-c', script, leftover, command, ...parameters], { env, detached: true });
  return child.once('exit', () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // the shell beside it has ended too
    }
  });
}

function tailOf(...streams: (Readable | null)[]): (lines: number) => string {
  let output = '';
  const add = (text: string) => (output = (output + text).slice(-8000));
  for (const stream of streams) stream?.setEncoding('utf8').on('data', add);
  return (lines) =>
    output
      .split(/[\r\n]+/)
      .filter((line) => line.trim())
      .slice(-lines)
      .join(' | ')
      .slice(-600);
}

/** Runs a command to its end, and reports progress every few seconds; returns its last printed line. */
async function run(
  log: Log,
  silenceSeconds: number,
  command: string,
  parameters: string[],
  environment = process.env,
) {
  const child = spawnGuarded(command, parameters, '', environment);
  const output = tailOf(child.stdout, child.stderr);
  const printed = tailOf(child.stdout);
  const started = Date.now();
  let heard = started;
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', () => (heard = Date.now()));
  const ticker = setInterval(() => {
    if (Date.now() - heard > silenceSeconds * 1000) child.kill('SIGKILL');
    else
      log(`  ${Math.round((Date.now() - started) / 1000)} s: ${output(1).slice(0, 100) || 'not done yet'}`);
  }, 5000);
  const [code] = (await once(child, 'close').finally(() => clearInterval(ticker))) as [number | null];
  if (code !== 0) throw new Error(child.killed ? `silent for ${silenceSeconds} s, given up` : output(2));
  return printed(1);
}

async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const file = join(folder, onWindows ? `${name}.exe` : name);
    if (await succeeds(access(file, constants.X_OK))) return file;
  }
  return undefined;
}

function mongodServer(kind: 'mongod' | 'downloaded', command: string): Server {
  const fixed = ['--bind_ip', '127.0.0.1', '--quiet', ...(onWindows ? [] : ['--nounixsocket'])];
  const replicaSet = 'rs0';
  const parameters = (port: number, folder: string) => [...fixed, '--port', `${port}`, '--dbpath', folder];
  return {
    kind,
    command,
    parameters,
    testParameters: ['--setParameter', 'enableTestCommands=1'],
    replicaSetParameters: ['--replSet', replicaSet],
    standaloneParameters: [],
    durableParameters: [],
    replicaSet,
  };
}

async function findMongod(): Promise<Server> {
  const command = await onPath('mongod');
  if (!command) throw new Error('not there');
  return mongodServer('mongod', command);
}

async function downloadMongod(log: Log): Promise<Server> {
  const refusal = inCache('mongod-download-refused');
  if (Math.abs(await ageOf(refusal)) < 86_400_000) {
    throw new Error(`${await readFile(refusal, 'utf8')} (remembered for a day in ${refusal})`);
  }
  // in a separate process: a hanging download can only be ended with its process
  const script = `require(process.argv[1]).MongoBinary.getPath().then(console.log, (error) => {
    console.error(error.message); process.exitCode = 1; })`;
  const environment = { MONGOMS_MAX_RETRIES: '1', npm_config_strict_ssl: 'true', ...process.env };
  const library = createRequire(import.meta.url).resolve('mongodb-memory-server-core');
  try {
    return await underLock('mongod', log, async () => {
      log('MongoDB: none here, asking mongodb-memory-server-core for one');
      return mongodServer(
        'downloaded',
        await run(log, 20, process.execPath, ['-e', script, library], environment),
      );
    });
  } catch (error) {
    await succeeds(writeFile(refusal, messageOf(error)));
    throw error;
  }
}

async function findSecantus(log: Log): Promise<Server> {
  const folder = inCache(secantus.replace('==', '-'));
  const command = join(folder, onWindows ? 'Scripts/python.exe' : 'bin/python');
  const installed = () => succeeds(Promise.all([access(join(folder, '.complete')), access(command)]));
  if (!(await installed())) {
    await underLock(
      'secantusdb',
      log,
      async () => (await installed()) || installSecantus(folder, command, log),
    );
  }
  const server = fileURLToPath(new URL('secantusdb.py', import.meta.url));
  const fixed = ['-B', server, '--host', '127.0.0.1'];
  const parameters = (port: number, data: string) => [...fixed, '--port', `${port}`, '--storage-path', data];
  return {
    kind: 'secantusdb',
    command,
    parameters,
    testParameters: ['--enable-test-commands'],
    replicaSetParameters: [],
    standaloneParameters: ['--standalone'],
    // without it confirmed writes are lost in a kill
    durableParameters: ['--sync-on-commit'],
  };
}

async function installSecantus(folder: string, python: string, log: Log): Promise<void> {
  const systemPython = await findPython();
  log(`MongoDB: none here, so SecantusDB, which speaks its protocol, is installed with ${systemPython}`);
  log(`  into ${folder} (150 MB); this happens once and takes up to a minute`);
  await rm(folder, { recursive: true, force: true });
  await run(log, 120, systemPython, ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--no-input', '--progress-bar', 'off', '--disable-pip-version-check'];
  await run(log, 300, python, [...pip, '--only-binary=:all:', secantus]);
  await writeFile(join(folder, '.complete'), '');
}

async function findPython(): Promise<string> {
  const probe =
    'import sys, importlib.util as util; print("%d.%d" % sys.version_info[:2], bool(util.find_spec("ensurepip")))';
  const unfit: string[] = [];
  for (const name of ['python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3', 'python']) {
    const command = (await onPath(name)) ?? '';
    const reply = command && (await run(() => {}, 20, command, ['-c', probe]).catch(() => ''));
    const [version = '', venv] = reply.split(' ');
    const supported = /^3\.1[0-3]$/.test(version);
    if (supported && venv === 'True') return command;
    if (version)
      unfit.push(`${command} is ${version}${supported ? ' but lacks venv (Debian: python3-venv)' : ''}`);
  }
  throw new Error(
    `no Python 3.10 to 3.13 with venv on the PATH${unfit.length ? ` (${unfit.join(', ')})` : ''}`,
  );
}

async function underLock<Result>(name: string, log: Log, work: () => Promise<Result>): Promise<Result> {
  const lock = inCache(`${name}.lock`);
  await mkdir(dirname(lock), { recursive: true });
  for (let reported = false; !(await takeLock(lock)); reported = true) {
    if (!reported) log(`MongoDB: waiting for another process that gets it (${lock})`);
    await delay(250);
  }
  const heartbeat = setInterval(() => void succeeds(utimes(lock, new Date(), new Date())), 1000);
  return work().finally(() => {
    clearInterval(heartbeat);
    return rm(lock, { force: true });
  });
}

async function takeLock(lock: string): Promise<boolean> {
  const refused = await writeFile(lock, '', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => error);
  if (!refused) return true;
  if (refused.code !== 'EEXIST') throw refused;
  if ((await ageOf(lock)) < staleAfter) return false;
  const aside = `${lock}.${process.pid}`;
  await succeeds(rename(lock, aside));
  // another process may have put a fresh lock there just before the rename: such a lock is put back
  if ((await ageOf(aside)) < staleAfter) await succeeds(link(aside, lock));
  await rm(aside, { force: true });
  return false;
}
