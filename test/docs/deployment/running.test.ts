import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { createUsers } from '../../../lib/index.js';
import { findFreePorts } from '../../interop/support/example.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { INSIDE, openFolder } from '../../support/folder.js';
import { startMongoProxy } from '../../support/mongo-proxy.js';
import { fixture } from '../../support/site-for.js';
import { TEST_CERTIFICATE } from '../../support/tls.js';
import { until } from '../../support/until.js';
import { blocks, fileText } from '../blocks.js';
import { type Actions, createActions, PERSON, registerClient } from '../recipes/actions.js';
import { site } from './compose.js';
import { askByTls, proxies } from './proxy.js';

/** Reports the requests of a process. */
const REPORTER = `import { Server } from 'node:http';
const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...values) {
  if (event === 'request') process.send(values[0].method + ' ' + values[0].url);
  return emit.call(this, event, ...values);
};
`;

interface SiteProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<[number | null, string | null]>;
  /** The requests so far, `POST /oauth/token`; without probes. */
  readonly requests: string[];
  get(path: string): Promise<Response>;
  /** Whether the check of the compose file succeeds. */
  isHealthy(): Promise<boolean>;
}

let database: TestDatabase;
// inside the package, so that the program resolves the package by its name
const folder = fixture(() => openFolder({ 'reporter.mjs': REPORTER }, INSIDE));
const running = new Set<SiteProcess>();

beforeAll(async () => {
  database = await openDatabase();
  await createUsers(database.connection, { rounds: 4 }).create(PERSON);
});
afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
  await database.close();
});

interface Start {
  readonly port: number;
  readonly issuer?: string;
  readonly mongodbUri?: string;
  /** Changes of the program's text. */
  readonly replace?: Readonly<Record<string, string>>;
}

/** Starts the program of the page with only the variables of its compose file. */
async function start({ port, issuer, mongodbUri = database.uri, replace = {} }: Start): Promise<SiteProcess> {
  const secrets = join(folder.path, `secrets-${port}`);
  for (const name of site.secrets ?? [])
    await folder.write(
      join(`secrets-${port}`, name),
      name === 'mongodb_uri' ? `${mongodbUri}\n` : `${name} of the test, 32 characters\n`,
    );
  const environment = Object.entries({ ...site.environment, ...(issuer && { ISSUER: issuer }) }).map(
    ([name, value]) => [name, value.replace('/run/secrets', secrets)],
  );
  const changes = {
    'app.listen(3000)': `app.listen(${port})`,
    'delay(6_000)': "once(process, 'message')",
    ...replace,
  };
  const file = `site-${port}.mjs`;
  await folder.write(
    file,
    Object.entries(changes).reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`site.mjs has no ${from}`);
      return text.replace(from, to);
    }, fileText('site.mjs')),
  );
  const child = spawn(process.execPath, ['--import', './reporter.mjs', file], {
    cwd: folder.path,
    env: { NODE_ENV: 'production', ...Object.fromEntries(environment) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const requests: string[] = [];
  child.on('message', (line: string) => {
    if (!line.includes('/health/')) requests.push(line);
  });
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-Forwarded-Proto': 'https' } });
  const started: SiteProcess = {
    child,
    requests,
    ended: once(child, 'exit') as SiteProcess['ended'],
    get,
    async isHealthy() {
      const [, command, ...rest] = site.healthcheck?.test ?? [];
      const check = spawn(
        command === 'node' ? process.execPath : '',
        rest.map((part) => part.replace('127.0.0.1:3000', `127.0.0.1:${port}`)),
        { stdio: 'ignore' },
      );
      const [code] = (await once(check, 'exit')) as [number | null];
      return code === 0;
    },
  };
  running.add(started);
  void started.ended.then(() => running.delete(started));
  await until(() =>
    get('/health/ready').then(
      ({ status }) => status === 200,
      () => child.exitCode !== null,
    ),
  );
  if (child.exitCode !== null) throw new Error(`${file} has ended with ${child.exitCode}`);
  return started;
}

const startAlone = async (more: Partial<Start> = {}) => {
  const [port] = (await findFreePorts(1)) as [number];
  return start({ port, ...more });
};
const readyOf = async (process: SiteProcess) => (await process.get('/health/ready')).status;

describe.each(proxies)('two processes behind %s', (_name, openProxy) => {
  let ports: number[];
  let processes: SiteProcess[];
  let actions: Actions;
  const proxy = fixture(() => openProxy());
  beforeAll(async () => {
    ports = await findFreePorts(2);
    // both at once, on an empty database
    processes = await Promise.all(ports.map((port) => start({ port, issuer: proxy.url })));
    await proxy.begin(ports);
    actions = createActions(proxy.url, await registerClient(database), TEST_CERTIFICATE);
  });

  const callApi = async () => {
    const token = await actions.obtainOwnToken('photos:read');
    return (await actions.get('/api/photos', token)).status;
  };

  test('a code of one process can be redeemed at the other', async () => {
    const pairs = new Set<string>();
    const lastAt = (what: string, before: readonly number[]) =>
      processes.findIndex(({ requests }, index) =>
        requests.slice(before[index]).some((line) => line.startsWith(what)),
      );
    await until(async () => {
      const before = processes.map(({ requests }) => requests.length);
      const { access_token: token } = await actions.obtainTokens('photos:read');
      expect((await actions.get('/api/photos', token)).status).toBe(200);
      const authorized = processes.map(({ requests }, index) =>
        requests.slice(before[index]).filter((line) => line.startsWith('GET /oauth/authorize')),
      );
      // the first login and consent take several requests, possibly at both processes
      if (authorized.flat().length === 1)
        pairs.add(
          `${authorized.findIndex(({ length }) => length === 1)} ${lastAt('POST /oauth/token', before)}`,
        );
      return pairs.has('0 1') && pairs.has('1 0');
    });
  });

  test('strangers cannot open the health endpoints', async () => {
    for (const path of ['/health/ready', '/health/live'])
      expect((await askByTls(`${proxy.url}${path}`)).status).toBe(404);
  });

  test('each process is replaced without a lost request', async () => {
    for (const [index, port] of ports.entries()) {
      const old = processes[index]!;
      expect(await old.isHealthy()).toBe(true);
      old.child.kill('SIGTERM');
      await until(async () => (await readyOf(old)) === 503);
      expect([(await old.get('/health/live')).status, await old.isHealthy()]).toEqual([200, false]);
      const metadata = await old.get('/.well-known/oauth-authorization-server');
      expect([metadata.status, metadata.headers.get('connection')]).toEqual([200, 'close']);
      // until the proxy has noticed
      await until(async () => {
        const { length } = old.requests;
        for (let call = 0; call < 10; call += 1) expect(await callApi()).toBe(200);
        return old.requests.length === length;
      });
      old.child.send('six seconds are over');
      while (old.child.exitCode === null) expect(await callApi()).toBe(200);
      expect(await old.ended).toEqual([0, null]);
      expect(await old.isHealthy()).toBe(false);
      for (let call = 0; call < 10; call += 1) expect(await callApi()).toBe(200);
      processes[index] = await start({ port, issuer: proxy.url });
      await until(async () => {
        expect(await callApi()).toBe(200);
        return (processes[index]?.requests.length ?? 0) > 0;
      });
    }
  });
});

describe('a process of docs/deployment', () => {
  test('/health/ready of the program responds as in the page', async () => {
    const process = await startAlone();
    const { text } = blocks.find(
      ({ document, language }) => document === 'docs/production.md' && language === 'json',
    )!;
    expect(await (await process.get('/health/ready')).json()).toEqual(JSON.parse(text));
  });

  test('the program is not ready while its database is gone, and becomes ready again', async () => {
    await using proxy = await startMongoProxy(database.uri);
    const process = await startAlone({ mongodbUri: proxy.uri });
    proxy.cut();
    await until(async () => (await readyOf(process)) === 503);
    const answer = await process.get('/health/ready');
    expect(await answer.json()).toMatchObject({ status: 'fail', checks: { databaseWrite: 'fail' } });
    expect((await process.get('/health/live')).status).toBe(200);
    proxy.mend();
    await until(async () => (await readyOf(process)) === 200);
  });

  test('a program that is stopped while its database hangs ends at its deadline', async () => {
    await using proxy = await startMongoProxy(database.uri);
    const process = await startAlone({
      mongodbUri: proxy.uri,
      replace: { 'process.exit(1), 25_000': 'process.exit(1), 500', 'delay(6_000)': 'delay(0)' },
    });
    // a request that waits for the database
    const isUnderWay = proxy.holdAnswerTo('picture-frame');
    const answer = process
      .get('/oauth/authorize?client_id=picture-frame&response_type=code&prompt=none')
      .catch(() => undefined);
    await isUnderWay;
    proxy.freeze();
    process.child.kill('SIGTERM');
    // not 0, which is the exit code if nothing hangs
    expect(await process.ended).toEqual([1, null]);
    expect(await answer).toBeUndefined();
  });

  test('the program ends with an error if its keys cannot be decrypted', async () => {
    // the first request that needs keys makes them
    expect((await (await startAlone()).get('/oauth/jwks')).status).toBe(200);
    const failing = startAlone({ replace: { "secret('KEY_SECRET')": "`another ${secret('KEY_SECRET')}`" } });
    await expect(failing).rejects.toThrow('has ended with 1');
  });
});
