import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { advancedRows } from '../../../lib/settings/options/advanced-options.js';
import { blocks, fileText, root, shellBlock, textOf } from '../blocks.js';
import { DEPLOYMENT } from '../folders.js';
import { durationOf, readCaddyfile } from './caddy-stand-in.js';
import { compose, otherSites, servicesOf, site } from './compose.js';

const PAGE = 'docs/production.md';
const files = blocks.filter(({ document }) => document.startsWith(DEPLOYMENT)).map(({ file }) => file);
const program = fileText('site.mjs');
const mongos = servicesOf(/^mongo:/);
const services = Object.values(compose.services);
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
/** Milliseconds that the program waits at the place of this pattern. */
const waits = (pattern: RegExp) => Number(matches(program, pattern)[0]?.replaceAll('_', ''));
const DRAIN = waits(/await delay\(([\d_]+)\)/g);
const DEADLINE = waits(/process\.exit\(1\), ([\d_]+)\)/g);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
  readonly timeoutSeconds?: number;
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly image: string;
    readonly startupProbe: Probe;
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
  }[];
}
const pod = parse(fileText('pod.yaml')) as Pod;
const [container] = pod.containers as [Pod['containers'][0]];
const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
const proxy = readCaddyfile(fileText('Caddyfile'));

describe('the files of docs/deployment', () => {
  test('the networks, secrets and volumes of the services are declared, and all are used', () => {
    const named = (of: (service: (typeof services)[0]) => readonly string[] = () => []) => [
      ...new Set(services.flatMap((service) => of(service))),
    ];
    expect(named(({ networks }) => networks).sort()).toEqual(Object.keys(compose.networks).sort());
    expect(named(({ secrets = [] }) => secrets).sort()).toEqual(Object.keys(compose.secrets).sort());
    const volumes = named(({ volumes: all = [] }) => all).map((volume) => volume.split(':')[0] ?? '');
    const mounted = volumes.filter((volume) => volume.startsWith('./'));
    expect(volumes.filter((volume) => !mounted.includes(volume)).sort()).toEqual(
      Object.keys(compose.volumes).sort(),
    );
    for (const path of mounted) expect(files).toContain(path.slice(2));
  });

  test('each member of the replica set has its data, and only the site can reach it', () => {
    const data = mongos.flatMap(([, { volumes = [] }]) =>
      volumes.filter((each) => each.endsWith(':/data/db')),
    );
    expect(new Set(data).size).toBe(3);
    const { networks } = compose;
    for (const [, member] of mongos)
      expect(member.networks.every((name) => networks[name]?.internal)).toBe(true);
    expect(compose.services.proxy?.networks.some((name) => networks[name]?.internal)).toBe(false);
    expect(services.filter(({ ports }) => ports).length).toBe(1);
  });

  test('the program reads the variables of the compose file, from secrets that it has', () => {
    const read = [
      ...matches(program, /process\.env\.(\w+)/g),
      ...matches(program, /\bsecret\('(\w+)'\)/g).map((name) => `${name}_FILE`),
    ];
    const { environment = {}, secrets } = site;
    expect(Object.keys(environment).sort()).toEqual(read.sort());
    const paths = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
    expect(paths.map((path) => path.replace('/run/secrets/', '')).sort()).toEqual(
      [...(secrets ?? [])].sort(),
    );
    expect(otherSites.map(([, other]) => other)).toEqual([site]);
    expect(environment.ISSUER).toBe(`https://${proxy.site}`);
  });

  test('ports and paths of the configurations are those of the program', () => {
    const [port = ''] = matches(program, /app\.listen\((\d+)\)/g);
    const routes = matches(program, /app\.get\('(\/health\/\w+)'/g);
    expect(routes).toEqual(['/health/live', '/health/ready']);
    const siteNames = servicesOf(/^photos-site$/).map(([name]) => name);
    expect(proxy.upstreams).toEqual(siteNames.map((name) => `${name}:${port}`));
    expect(matches(fileText('Dockerfile'), /^EXPOSE (\d+)$/gm)).toEqual([port]);
    expect(site.healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port}${routes[1]}`);
    expect(proxy.options.health_uri).toBe(routes[1]);
    expect(proxy.responses).toEqual([['/health/', 404]]);
    const [live, ready] = routes.map((path) => ({ path, port: Number(port) }));
    expect(probes.map(({ httpGet }) => httpGet)).toEqual([live, live, ready]);
    expect(container.image).toBe(site.image);
  });

  test('each timeout is longer than the wait inside it', () => {
    const { default: databaseTimeout } = advancedRows.databaseTimeout;
    const { health_interval: interval, health_fails: fails, health_timeout: timeout } = proxy.options;
    for (const patience of [
      durationOf(timeout),
      durationOf(site.healthcheck?.timeout),
      (container.readinessProbe.timeoutSeconds ?? 1) * 1000,
    ])
      expect(patience).toBeGreaterThan(databaseTimeout);
    // the proxy notices a stopping process before that process closes its port
    expect(DRAIN).toBeGreaterThan(durationOf(interval) * Number(fails));
    const closing = waits(/closeAllConnections\(\), ([\d_]+)\)/g);
    expect(DEADLINE).toBeGreaterThan(DRAIN + closing + databaseTimeout);
    for (const grace of [durationOf(site.stop_grace_period), pod.terminationGracePeriodSeconds * 1000])
      expect(grace).toBeGreaterThan(DEADLINE);
  });

  test('the image contains the files of the page, no secrets, and a user other than root', () => {
    const text = fileText('Dockerfile');
    const copied = matches(text, /^COPY (?!--from)(.+) \.\/$/gm).flatMap((names) => names.split(' '));
    expect(copied.filter((name) => !name.startsWith('package'))).toEqual(['site.mjs']);
    const [, command] = /^CMD (.+)$/m.exec(text) ?? [];
    expect(JSON.parse(command ?? '')).toEqual(['node', 'site.mjs']);
    expect(text).toMatch(/^USER [1-9]\d*$/m);
    const [, stage = 'none'] = /^FROM \S+ AS (\w+)$/m.exec(text) ?? [];
    expect(matches(text, /--from=(\w+)/g)).toEqual([stage]);
    expect(fileText('.dockerignore').split('\n')).toContain('secrets');
  });

  test('the script makes a replica set of the members, and the user of the connection string', async () => {
    const calls: unknown[] = [];
    let polls = 0;
    const database = (name: string) => ({
      createUser: ({ user, pwd, roles }: Record<string, unknown>) => calls.push([name, user, pwd, roles]),
      auth: (user: string, pwd: string) => calls.push([name, 'auth', user, pwd]),
    });
    let configuration: { _id: string; members: { _id: number; host: string }[] } | undefined;
    runInNewContext(fileText('replica-set.js'), {
      require: () => ({
        readFileSync: (path: string) => `content of ${path.replace('/run/secrets/', '')}\n`,
      }),
      rs: { initiate: (given: typeof configuration) => (configuration = given) },
      db: { hello: () => ({ isWritablePrimary: ++polls > 2 }), getSiblingDB: database },
      sleep: () => undefined,
    });
    const hosts = mongos.map(([name]) => name);
    expect(configuration?.members.map(({ host }) => host)).toEqual(hosts.map((host) => `${host}:27017`));
    for (const [, { command, secrets = [] }] of mongos) {
      expect(command).toContain(`--replSet ${configuration?._id} `);
      expect(command).toContain('--keyFile /run/secrets/mongo_keyfile');
      expect(secrets).toEqual(['mongo_keyfile', 'mongo_root', 'mongo_site']);
    }
    expect(calls).toEqual([
      ['admin', 'root', 'content of mongo_root', ['root']],
      ['admin', 'auth', 'root', 'content of mongo_root'],
      ['photos', 'site', 'content of mongo_site', [{ role: 'readWrite', db: 'photos' }]],
    ]);
    const uri = new RegExp(
      `^mongodb://site:[0-9a-f]{64}@${hosts.join(',')}/photos\\?replicaSet=${configuration?._id}\n$`,
    );
    await withSecrets(async (folder) =>
      expect(await readFile(join(folder, 'mongodb_uri'), 'utf8')).toMatch(uri),
    );
  });

  test('the commands of the page contain only existing services', () => {
    const names = matches(textOf(PAGE), /^docker compose .*$/gm).length;
    const commands = [
      ...textOf(PAGE).matchAll(
        /docker compose (?:up -d --wait|up -d|build|exec) ((?:(?:site|mongo)-\d ?)+)/g,
      ),
    ];
    expect(names).toBeGreaterThan(3);
    expect(commands.length).toBeGreaterThan(4);
    for (const [, listed = ''] of commands)
      for (const name of listed.trim().split(' ')) expect(Object.keys(compose.services)).toContain(name);
  });

  const hasOpenssl = spawnSync('bash', ['-c', 'openssl version']).status === 0;
  (hasOpenssl ? test : test.skip)(
    'the secrets are made, each another, the keyfile for its owner alone',
    async () => {
      await withSecrets(async (folder) => {
        const declared = Object.values(compose.secrets).map(({ file }) => file.replace('./secrets/', ''));
        expect((await readdir(folder)).sort()).toEqual(declared.sort());
        const texts = await Promise.all(declared.map((name) => readFile(join(folder, name), 'utf8')));
        expect(new Set(texts).size).toBe(declared.length);
        expect(Math.min(...texts.map(({ length }) => length))).toBeGreaterThan(32);
        const modeOf = async (name: string) => ((await stat(join(folder, name))).mode & 0o777).toString(8);
        expect(await Promise.all(declared.map(modeOf))).toEqual(
          declared.map((name) => (name === 'mongo_keyfile' ? '400' : '444')),
        );
        expect(await modeOf('.')).toBe('700');
      });
    },
  );

  test('the signals to watch are signals of telemetry', async () => {
    const [, watch = ''] = textOf(PAGE).split('### What to watch\n');
    const [table = ''] = watch.split('\n## ');
    const source = await readFile(join(root, 'lib/core/observability/telemetry.ts'), 'utf8');
    const names = matches(table, /`(oauth\.[\w.]+|error\.type)`/g);
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(source).toContain(`'${name}'`);
    const events = await readFile(join(root, 'docs/reference/events.md'), 'utf8');
    const [row = ''] = table.match(/^\| `oauth\.server\.events`.*$/m) ?? [];
    for (const event of matches(row, /`((?!oauth\.)\w+\.\w+)`/g)) expect(events).toContain(`\`${event}\``);
  });
});

/** The folder that the commands of the page create; undefined without openssl. */
async function withSecrets<T>(use: (folder: string) => Promise<T>): Promise<T | undefined> {
  if (spawnSync('bash', ['-c', 'openssl version']).status !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  try {
    // another owner needs root
    await promisify(execFile)('bash', ['-euc', `sudo() { :; }\n${shellBlock('mkdir -m 700 secrets')}`], {
      cwd: folder,
    });
    return await use(join(folder, 'secrets'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
