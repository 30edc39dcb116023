import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { createConnection } from 'mongoose';

import { startMongo } from '../support/mongodb.js';
import { runChecks } from './checks.js';
import { type ScratchSite, walkThrough } from './flow.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('.', import.meta.url));
const start = promisify(execFile);

interface Host {
  readonly program: 'host.mjs' | 'host.cjs';
  readonly express: string;
  readonly mongoose: string;
  readonly passport: string;
}

/** Each end of what package.json promises of Express, Mongoose and Passport, by both ways to load the package. */
const HOSTS: readonly Host[] = [
  { program: 'host.mjs', express: '5', mongoose: '9', passport: '0.7' },
  { program: 'host.cjs', express: '5.0.0', mongoose: '9.0.0', passport: '0.7' },
  { program: 'host.mjs', express: '4', mongoose: '8', passport: '0.6.0' },
  { program: 'host.cjs', express: '4.17.0', mongoose: '8.0.0', passport: '0.5' },
  { program: 'host.mjs', express: '4.17.0', mongoose: '7.0.0', passport: '0.5.0' },
  { program: 'host.mjs', express: '4.17.0', mongoose: '6.13.0', passport: '0.4.1' },
];
/** Two sites at once: one is installed while the other is walked through. */
const AT_ONCE = 2;

const folder = await mkdtemp(join(tmpdir(), 'scratch-host-'));
const mongo = await startMongo({ log: (line) => console.log(`  ${line}`) });
let tarball = '';
let packing: Promise<void> | undefined;

/** What all the other checks wait for. */
const packed = (): Promise<void> => (packing ??= pack());

async function npm(cwd: string, ...parameters: readonly string[]): Promise<string> {
  const { stdout } = await start('npm', [...parameters, '--no-audit', '--no-fund'], { cwd, maxBuffer: 1e8 });
  return stdout;
}

/** What is in the package is what a host needs: code, declarations, views, documentation; no tests and no sources beside. */
async function pack(): Promise<void> {
  const [packed] = JSON.parse(
    await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
  ) as { filename: string; files: { path: string }[] }[];
  if (packed === undefined) throw new Error('npm pack made nothing');
  tarball = join(folder, packed.filename);
  const files = packed.files.map(({ path }) => path);
  const missing = [
    'dist/index.js',
    'dist/index.d.ts',
    'dist/guard.js',
    'dist/guard.d.ts',
    'dist/cli/main.js',
    'views/consent.ejs',
    'views/style.css',
    'README.md',
    'docs/reference.md',
    'LICENSE',
  ].filter((path) => !files.includes(path));
  const needless = files.filter(
    (path) => !/^(dist|views|docs)\/|^(package\.json|LICENSE|(README|CHANGELOG|SECURITY)\.md)$/.test(path),
  );
  if (missing.length > 0 || needless.length > 0)
    throw new Error(`missing: ${missing.join(' ')}, needless: ${needless.join(' ')}`);
}

async function install(name: string, packages: readonly string[]): Promise<string> {
  await packed();
  const host = join(folder, name);
  await mkdir(host);
  await writeFile(join(host, 'package.json'), JSON.stringify({ name: 'scratch-host', private: true }));
  // strict: a peer dependency that does not fit fails the installation instead of being forgiven
  await npm(host, 'install', '--strict-peer-deps', '--no-package-lock', tarball, ...packages);
  return host;
}

async function checkHost({ program, ...versions }: Host): Promise<void> {
  const { express, mongoose, passport } = versions;
  const host = await install(`${program}-${express}-${mongoose}-${passport}`, [
    `express@${express}`,
    `mongoose@${mongoose}`,
    'express-session@1',
    `passport@${passport}`,
  ]);
  for (const [name, wanted] of Object.entries(versions)) {
    const { version } = JSON.parse(
      await readFile(join(host, 'node_modules', name, 'package.json'), 'utf8'),
    ) as { version: string };
    if (!`${version}.`.startsWith(`${wanted}.`)) throw new Error(`${name} ${version} is installed`);
  }
  await Promise.all([program, 'site.cjs'].map((file) => copyFile(join(sources, file), join(host, file))));
  await withSite(host, program, async (site, uri) => {
    await walkThrough(site);
    await checkCommandLine(host, uri);
  });
  await checkGuard(host);
}

/** Where npm puts it for `npx`. */
async function checkCommandLine(host: string, uri: string): Promise<void> {
  const { stdout } = await start(
    join(host, 'node_modules/.bin/express-authorization-server'),
    ['clients', 'list', '--json'],
    { cwd: host, env: { ...process.env, MONGODB_URI: uri } },
  );
  if ((JSON.parse(stdout) as unknown[]).length === 0)
    throw new Error('clients list shows nothing of the site');
}

/** The entry of a resource server in a process of its own, by both ways to load it. */
async function checkGuard(host: string): Promise<void> {
  const use = "typeof bearerGuard({ issuer: 'https://photos.example' })('photos:read')";
  const ways = [
    `const { bearerGuard } = require('express-authorization-server/guard'); console.log(${use})`,
    `import { bearerGuard } from 'express-authorization-server/guard'; console.log(${use})`,
  ];
  for (const [index, program] of ways.entries()) {
    const { stdout } = await start(
      process.execPath,
      ['--input-type', index === 0 ? 'commonjs' : 'module', '-e', program],
      { cwd: host },
    );
    if (stdout.trim() !== 'function') throw new Error(`bearerGuard gives no middleware: ${stdout}`);
  }
}

async function withSite(
  host: string,
  program: string,
  use: (site: ScratchSite, uri: string) => Promise<void>,
): Promise<void> {
  const uri = new URL(mongo.uri);
  uri.pathname = `/scratch_${program.replace('.', '_')}_${randomUUID().slice(0, 8)}`;
  const child = spawn(process.execPath, [program], {
    cwd: host,
    env: { ...process.env, MONGODB_URI: uri.href },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await Promise.race([
      once(createInterface(child.stdout), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error('the host has ended'))),
    ])) as [string];
    await use(JSON.parse(line) as ScratchSite, uri.href);
  } finally {
    child.kill('SIGKILL');
    const connection = await createConnection(uri.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  }
}

/** The declarations hold for ESM and for CommonJS in TypeScript, those of our dependencies not skipped. */
async function checkDeclarations(): Promise<void> {
  const types = ['@types/express@5', '@types/express-session@1', '@types/node@20', '@types/passport@1'];
  const host = await install('consumer', [
    'express@5',
    'mongoose@9',
    'express-session@1',
    'passport@0.7',
    'typescript@6',
    ...types,
  ]);
  for (const name of ['consumer.mts', 'consumer.cts'])
    await copyFile(join(sources, 'consumer.ts'), join(host, name));
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    'false',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--esModuleInterop',
    '--types',
    'node',
  ];
  await start(join(host, 'node_modules/.bin/tsc'), [...options, 'consumer.mts', 'consumer.cts'], {
    cwd: host,
  }).catch((error: Error & { stdout?: string }) => {
    throw new Error(error.stdout || error.message);
  });
}

try {
  await runChecks(
    {
      'the package has code, declarations and views, and nothing else': packed,
      ...Object.fromEntries(
        HOSTS.map((host) => [
          `${host.program} with Express ${host.express}, Mongoose ${host.mongoose} and Passport ${host.passport}: a walk through all that a site does`,
          () => checkHost(host),
        ]),
      ),
      'a host in TypeScript compiles, as ESM and as CommonJS': checkDeclarations,
    },
    AT_ONCE,
  );
} finally {
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
}
