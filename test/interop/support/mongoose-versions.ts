import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Mongoose } from 'mongoose';

import { authorizationServer } from '../../../lib/index.js';
import { findUnstorable } from '../../../lib/shared/protocol/storable.js';
import { fileText, root } from '../../docs/blocks.js';
import { databaseUri, openDatabase, type TestDatabase } from '../../support/database.js';
import { testFailing, whileFailing } from '../../support/fail-point.js';
import { installLocked } from '../../support/install-locked.js';
import { type RunningMongo, startMongo } from '../../support/mongodb.js';
import { holds } from '../../support/properties.js';
import type { Site } from '../../support/site.js';
import {
  grantsDetail,
  members,
  openClient,
  openSiteForAnything,
  registersKey,
} from '../../support/storable.js';
import { until } from '../../support/until.js';
import { findFreePorts } from './example.js';

const FOLDER = fileURLToPath(new URL('../mongoose-versions', import.meta.url));
const missing = await installLocked(FOLDER).then(
  () => '',
  (error: Error) => ` (skipped: the packages cannot be installed: ${error.message})`,
);
const describeInstalled = missing === '' ? describe : describe.skip;
/** Fewer runs of properties/storable than with one Mongoose; values that a Mongoose could cast come first. */
const RUNS = 40;
const EXAMPLES: [Record<string, unknown>][] = [
  [{ $ne: null }],
  [{ 'a.b': 'x', $set: { a: 1 } }],
  [{ __v: 'x', _id: 'x', id: 'x' }],
  [{ a: '\0', '': 'x', 'a\0b': 'x' }],
  [{ constructor: 'x', toString: 'x', length: 7 }],
  [{ a: [], b: {}, c: [[{ $where: 'x' }]] }],
];
/** The oldest and the newest of each major. */
const VERSIONS = Object.keys(
  (JSON.parse(await readFile(join(FOLDER, 'package.json'), 'utf8')) as { dependencies: object }).dependencies,
);

/** Describes the behaviour of a site with these Mongoose versions of VERSIONS. */
export function describeMongoose(age: 'oldest' | 'newest'): void {
  const versions = VERSIONS.filter((name) => name.endsWith(age));
  // the newest of all is the one of the other suites
  describeInstalled.each(versions.filter((name) => name !== 'mongoose-9-newest'))(
    `a site with %s${missing}`,
    describeStorage,
  );
  describeInstalled(`the site of README.md${missing}`, () => describeReadme(versions));
}

function describeStorage(name: string): void {
  let site: Site;
  let client: Awaited<ReturnType<Site['client']>>;
  beforeAll(async () => {
    const { createConnection } = createRequire(join(FOLDER, 'package.json'))(name) as Mongoose;
    const uri = databaseUri(`${name}_${process.pid}`);
    const connection = await createConnection(uri).asPromise();
    site = await openSiteForAnything({ database: { connection, uri, close: () => Promise.resolve() } });
    client = await openClient(site);
  });
  afterAll(async () => {
    await site.close();
    const { connection } = site.database;
    await connection.dropDatabase();
    await connection.close();
  });

  const tries = (name: string, check: (more: Record<string, unknown>) => Promise<void>) =>
    holds<[Record<string, unknown>]>(name, [members], check, RUNS, EXAMPLES);

  tries('refuses a key, or stores it as it was checked', async (more) => {
    await registersKey(site, more);
  });
  tries('refuses an authorization detail, or stores it as it was checked', async (more) => {
    const isGranted = await grantsDetail(site, client, more);
    expect(isGranted).toBe(findUnstorable([more], 10) === undefined);
  });
}

/** Of the packages that README.md installs; Mongoose comes from FOLDER. */
const INSTALLED = ['express', 'express-session', 'connect-mongo', 'passport'];
/** Reports the end of the change stream by which the process hears of changes of clients. */
const REPORT = `
connection.getClient().on('commandFailed', ({ commandName }) => {
  if (commandName === 'aggregate' || commandName === 'getMore') process.send(commandName);
});
process.send('listening');
`;

interface RunningSite {
  readonly child: ChildProcess;
  readonly messages: readonly unknown[];
  readonly url: string;
  readonly database: TestDatabase;
  readonly clientId: string;
}

function describeReadme(versions: readonly string[]): void {
  let standalone: RunningMongo | undefined;
  const running: RunningSite[] = [];
  const folders: string[] = [];
  beforeAll(async () => {
    standalone = await startMongo({ standalone: true, outlivesKill: false, log: () => undefined });
  });
  afterAll(async () => {
    for (const { child, database } of running) {
      child.kill('SIGKILL');
      await database.close();
    }
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    await standalone?.stop();
  });

  async function start(mongoose: string, mongo?: string): Promise<RunningSite> {
    const folder = await mkdtemp(join(tmpdir(), `${mongoose}-`));
    folders.push(folder);
    await mkdir(join(folder, 'node_modules'));
    const link = (target: string, name: string) => symlink(target, join(folder, 'node_modules', name));
    for (const name of INSTALLED) await link(join(root, 'node_modules', name), name);
    await link(join(FOLDER, 'node_modules', mongoose), 'mongoose');
    await link(root, 'express-authorization-server');
    const [port] = await findFreePorts(1);
    // the program has no types that Node would have to remove
    await writeFile(join(folder, 'site.mjs'), fileText('site.ts').replaceAll('3000', String(port)) + REPORT);
    // the site builds its indexes itself: some servers do not recognize the words of an older driver as the same
    const database = await openDatabase(undefined, mongo, { autoIndex: false });
    const url = `http://localhost:${port}`;
    const server = authorizationServer({
      issuer: url,
      connection: database.connection,
      scopes: { 'photos:read': 'See your photos' },
      login: '/login',
    });
    const { clientId } = await server.clients.create({
      name: 'Printing shop',
      type: 'public',
      redirectUris: ['http://localhost:4000/callback'],
    });
    await server.close();
    const { NODE_OPTIONS: _jest, ...environment } = process.env;
    const child = spawn(process.execPath, ['site.mjs'], {
      cwd: folder,
      env: {
        ...environment,
        MONGODB_URI: `${database.uri}&monitorCommands=true`,
        SESSION_SECRET: 'of the test',
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const messages: unknown[] = [];
    child.on('message', (message) => messages.push(message));
    running.push({ child, messages, url, database, clientId });
    await until(() => child.exitCode !== null || messages.includes('listening'));
    return running.at(-1)!;
  }

  /** One request to each endpoint; resolves to the statuses, as long as the process lives. */
  async function callEndpoints({ url, clientId }: RunningSite): Promise<number[]> {
    const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`);
    const endpoints = Object.entries((await metadata.json()) as Record<string, string>).filter(([name]) =>
      name.endsWith('_endpoint'),
    );
    expect(endpoints.length).toBeGreaterThan(2);
    const statuses: number[] = [];
    for (const [name, endpoint] of endpoints) {
      const fields = new URLSearchParams({
        client_id: clientId,
        ...(name === 'authorization_endpoint' && { response_type: 'code' }),
        ...(name === 'token_endpoint' && { grant_type: 'authorization_code', code: 'none' }),
        ...(/revocation|introspection/.test(name) && { token: 'none' }),
      });
      const answer = await (name === 'authorization_endpoint'
        ? fetch(`${endpoint}?${fields.toString()}`, { redirect: 'manual' })
        : fetch(endpoint, { method: 'POST', body: fields }));
      statuses.push(answer.status);
    }
    return statuses;
  }

  async function expectLife(site: RunningSite, ended: string): Promise<void> {
    expect(await callEndpoints(site)).not.toContain(500);
    // errors that end the process are emitted in the turn of the driver's answer
    await until(() => site.child.exitCode !== null || site.messages.includes(ended));
    const again = await callEndpoints(site).catch((error: Error) => error.message);
    expect({ exitCode: site.child.exitCode, again }).toMatchObject({
      exitCode: null,
      again: expect.any(Array),
    });
  }

  test.each(versions)('a site with %s lives on without change streams', async (mongoose) => {
    // a server from outside has its kind
    if (standalone?.kind === 'given') return;
    await expectLife(await start(mongoose, standalone?.uri), 'aggregate');
  });

  testFailing.each(versions)('a site with %s outlives the end of its change stream', async (mongoose) => {
    const site = await start(mongoose);
    // ChangeStreamHistoryLost
    await whileFailing(site.database, { command: 'getMore', failure: { errorCode: 286 } }, () =>
      expectLife(site, 'getMore'),
    );
  });
}
