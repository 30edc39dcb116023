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
import { checkExistingSite } from './existing-site.js';
import { type ScratchSite, walkThrough } from './flow.js';
import {
  bundleHost,
  checkJest,
  checkNodeTest,
  checkPackaging,
  checkTypes,
  type Resolution,
} from './formats.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('.', import.meta.url));
const start = promisify(execFile);

interface Host {
  readonly program: 'host.mjs' | 'host.cjs';
  readonly express: string;
  readonly mongoose: string;
  readonly passport: string;
  /** Additional checks, for combinations where the newest or oldest could fail. */
  readonly types?: { readonly typescript: string; readonly by: readonly Resolution[] };
  readonly hasSuites?: true;
  readonly isBundled?: boolean;
}

/**
 * The oldest and newest Express, Mongoose and Passport that package.json allows, and the oldest of each major Mongoose,
 * with both ways to load the package; the newest Express 4 and Mongoose 8, and Jest 29, are tested by the existing
 * site. Types are compiled with the oldest and newest, because types that only the newest Mongoose has fail with the
 * oldest. How types are found is for attw to check.
 */
const HOSTS: readonly Host[] = [
  // the longest first, so that in the end nothing waits for it alone
  {
    program: 'host.cjs',
    express: '4.17.0',
    mongoose: '6.13.0',
    passport: '0.4.1',
    types: { typescript: '5.0', by: ['node10', 'node16'] },
  },
  {
    program: 'host.mjs',
    express: '5',
    mongoose: '9',
    passport: '0.7',
    types: { typescript: '7', by: ['nodenext'] },
    hasSuites: true,
  },
  {
    program: 'host.cjs',
    express: '5.0.0',
    mongoose: '8.0.0',
    passport: '0.6.0',
    isBundled: true,
  },
  { program: 'host.mjs', express: '4.17.0', mongoose: '7.0.0', passport: '0.5.0', isBundled: true },
];
/** Three at once: installing is mostly waiting, and meanwhile another host is compiled or used. */
const AT_ONCE = 3;

const folder = await mkdtemp(join(tmpdir(), 'scratch-host-'));
const mongo = await startMongo({ log: (line) => console.log(`  ${line}`) });
let tarball = '';
let packing: Promise<void> | undefined;

/** The promise that all other checks await. */
const packed = (): Promise<void> => (packing ??= pack());

async function npm(cwd: string, ...parameters: readonly string[]): Promise<string> {
  const { stdout } = await start('npm', [...parameters, '--no-audit', '--no-fund'], { cwd, maxBuffer: 1e8 });
  return stdout;
}

/** The package has what a host needs: code, declarations, views, documentation; no tests and no sources. */
async function pack(): Promise<void> {
  const [packed] = JSON.parse(
    await npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
  ) as { filename: string; files: { path: string }[] }[];
  if (packed === undefined) throw new Error('npm pack made nothing');
  tarball = join(folder, packed.filename);
  const files = packed.files.map(({ path }) => path);
  const missing = [
    ...['index', 'guard', 'testing'].flatMap((name) => [`dist/${name}.cjs`, `dist/${name}.d.cts`]),
    'dist/sbom.cdx.json',
    'dist/cli/main.cjs',
    'views/consent.ejs',
    'views/style.css',
    'README.md',
    'docs/llms.txt',
    'LICENSE',
    'SECURITY.md',
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

/** The additional packages of a host in TypeScript or with tests. */
function toolsOf({ express, types, hasSuites }: Host): string[] {
  const declared = [
    `@types/express@${express[0]}`,
    '@types/express-session@1',
    '@types/node@20',
    '@types/passport@1',
  ];
  return [
    ...(types === undefined ? [] : [`typescript@${types.typescript}`, ...declared]),
    ...(hasSuites === undefined ? [] : ['supertest@7']),
  ];
}

async function checkHost(given: Host): Promise<void> {
  const { program, express, mongoose, passport, types, hasSuites, isBundled = false } = given;
  const versions = { express, mongoose, passport };
  const host = await install(`${program}-${express}-${mongoose}-${passport}`, [
    `express@${express}`,
    `mongoose@${mongoose}`,
    'express-session@1',
    `passport@${passport}`,
    ...toolsOf(given),
  ]);
  for (const [name, desired] of Object.entries(versions)) {
    const { version } = JSON.parse(
      await readFile(join(host, 'node_modules', name, 'package.json'), 'utf8'),
    ) as { version: string };
    if (!`${version}.`.startsWith(`${desired}.`)) throw new Error(`${name} ${version} is installed`);
  }
  await Promise.all([program, 'site.cjs'].map((file) => copyFile(join(sources, file), join(host, file))));
  await checkGuard(host);
  if (types !== undefined) await checkTypes(host, types.by);
  if (hasSuites !== undefined)
    await withDatabase(program, async (uri) => {
      await checkJest(host, uri);
      await checkNodeTest(host, uri);
    });
  await withSite(host, program, async (site, uri) => {
    await walkThrough(site);
    await checkCommandLine(host, uri);
  });
  if (isBundled) await withSite(host, await bundleHost(host, program), walkThrough);
}

/** Checks the command where npm puts it for `npx`. */
async function checkCommandLine(host: string, uri: string): Promise<void> {
  const { stdout } = await start(
    join(host, 'node_modules/.bin/express-authorization-server'),
    ['clients', 'list', '--json'],
    { cwd: host, env: { ...process.env, MONGODB_URI: uri } },
  );
  if ((JSON.parse(stdout) as unknown[]).length === 0)
    throw new Error('clients list shows nothing of the site');
}

/** The entry for a separate resource server, with both ways to load it. */
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

async function withDatabase(name: string, use: (uri: string) => Promise<void>): Promise<void> {
  const uri = new URL(mongo.uri);
  uri.pathname = `/scratch_${name.replace(/\W/g, '_')}_${randomUUID().slice(0, 8)}`;
  try {
    await use(uri.href);
  } finally {
    const connection = await createConnection(uri.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  }
}

async function withSite(
  host: string,
  program: string,
  use: (site: ScratchSite, uri: string) => Promise<void>,
): Promise<void> {
  await withDatabase(program, async (uri) => {
    const child = spawn(process.execPath, [program], {
      cwd: host,
      env: { ...process.env, MONGODB_URI: uri },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await Promise.race([
        once(createInterface(child.stdout), 'line'),
        once(child, 'exit').then(() => Promise.reject(new Error('the host has ended'))),
      ])) as [string];
      await use(JSON.parse(line) as ScratchSite, uri);
    } finally {
      child.kill('SIGKILL');
    }
  });
}

/** Their versions are fixed, so that a changed judge does not fail these checks. */
async function checkJudges(): Promise<void> {
  const tools = join(folder, 'judges');
  await mkdir(tools);
  await writeFile(join(tools, 'package.json'), '{ "private": true }');
  await npm(tools, 'install', '--no-package-lock', '@arethetypeswrong/cli@0.18.5', 'publint@0.3.25');
  await packed();
  await checkPackaging(tools, tarball);
}

async function checkGuide(): Promise<void> {
  await packed();
  const site = join(folder, 'existing-site');
  await withDatabase('existing_site', (uri) => checkExistingSite({ folder: site, tarball, uri, npm }));
}

function nameOf(host: Host): string {
  const { program, express, mongoose, passport, types, hasSuites, isBundled = false } = host;
  const besides = [
    ...(types === undefined ? [] : [`its types by TypeScript ${types.typescript} (${types.by.join(', ')})`]),
    ...(hasSuites === undefined ? [] : ['suites by our own Jest and by node:test']),
    ...(isBundled ? ['all of it once more from a bundle'] : []),
  ];
  return [
    `${program} with Express ${express}, Mongoose ${mongoose} and Passport ${passport}: a walk through all that a site does`,
    ...besides,
  ].join('; ');
}

try {
  await runChecks(
    {
      'the package has code, declarations and views, and nothing else': packed,
      ...Object.fromEntries(HOSTS.map((host) => [nameOf(host), () => checkHost(host)])),
      'docs/recipes/existing-site.diff, applied to the site that it is about': checkGuide,
      'attw and publint have nothing to say': checkJudges,
    },
    AT_ONCE,
  );
} finally {
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
}
