import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A package that is installed alone, with the smallest server for it. */
export interface Weighed {
  readonly title: string;
  readonly packages: readonly string[];
  readonly program: string;
  /** Whether its own peers contradict each other. */
  readonly ignoresPeers?: boolean;
}

export interface Weight {
  /** Of the packages themselves. */
  readonly unpackedBytes: number;
  readonly files: number;
  /** All packages of npm, with peers. */
  readonly installedPackages: number;
  readonly installedBytes: number;
  /** The loaded code of the program: of the packages themselves, and all. */
  readonly loadedBytes: number;
  readonly allLoadedBytes: number;
}

export const PACKAGE: Weighed = {
  title: 'express-authorization-server',
  packages: ['express-authorization-server'],
  program: `import mongoose from 'mongoose';
import { authorizationServer } from 'express-authorization-server';
authorizationServer({
  issuer: 'http://localhost:3000', connection: mongoose.createConnection(), scopes: { photos: 'See your photos' }, login: '/login',
});`,
};

export const PEERS: readonly Weighed[] = [
  {
    title: '@node-oauth/express-oauth-server',
    packages: ['@node-oauth/express-oauth-server'],
    program: `import OAuthServer from '@node-oauth/express-oauth-server'; new OAuthServer({ model: {} });`,
  },
  {
    title: 'oidc-provider',
    packages: ['oidc-provider'],
    program: `import Provider from 'oidc-provider'; new Provider('http://localhost:3000').callback();`,
  },
  {
    title: 'better-auth with its OAuth provider',
    packages: ['better-auth', '@better-auth/oauth-provider'],
    ignoresPeers: true,
    program: `import { betterAuth } from 'better-auth';
import { jwt } from 'better-auth/plugins';
import { oauthProvider } from '@better-auth/oauth-provider';
await betterAuth({
  baseURL: 'http://localhost:3000', secret: 'x'.repeat(40), logger: { disabled: true },
  plugins: [jwt(), oauthProvider({ loginPage: '/login', consentPage: '/consent' })],
}).$context;`,
  },
];

/** Installs a package into an empty folder, and weighs it there. */
export async function weigh(subject: Weighed, folder: string): Promise<Weight> {
  const { packages, program, ignoresPeers = false } = subject;
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const specs = await specsOf(subject, folder);
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', `--legacy-peer-deps=${ignoresPeers}`];
  await run('npm', ['install', ...flags, ...specs], { cwd: folder });
  const modules = join(folder, 'node_modules');
  const own = (await Promise.all(packages.map((name) => sizesIn(join(modules, name))))).flat();
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as {
    readonly packages: object;
  };
  await writeFile(join(folder, 'program.js'), program);
  const loaded = await filesLoadedBy(join(folder, 'program.js'));
  const isOwn = (file: string) => packages.some((name) => file.startsWith(join(modules, name) + sep));
  return {
    unpackedBytes: sum(own),
    files: own.length,
    installedPackages: Object.keys(lock.packages).length,
    installedBytes: sum(await sizesIn(modules, true)),
    loadedBytes: sum(await sizesOf(loaded.filter(isOwn))),
    allLoadedBytes: sum(await sizesOf(loaded.filter((file) => file.startsWith(modules)))),
  };
}

/** The installed packages: the working tree, packed, or the versions of package.json. */
async function specsOf({ packages }: Weighed, folder: string): Promise<readonly string[]> {
  if (packages === PACKAGE.packages) {
    const { stdout } = await run(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
      {
        cwd: ROOT,
      },
    );
    return [join(folder, stdout.trim())];
  }
  const text = await readFile(new URL('package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> };
  return packages.map((name) => `${name}@${dependencies[name]}`);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const sizesOf = (files: readonly string[]) => Promise.all(files.map(async (file) => (await stat(file)).size));

export async function sizesIn(folder: string, withPackages = false): Promise<readonly number[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return sizesOf(
    files.filter((file) => withPackages || !file.slice(folder.length).includes(`${sep}node_modules${sep}`)),
  );
}

/** The compiled files of a process, by the coverage of V8. */
export async function filesLoadedBy(program: string): Promise<readonly string[]> {
  const coverage = await mkdtemp(join(tmpdir(), 'coverage-'));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: coverage, NODE_OPTIONS: '', NODE_ENV: 'production' };
    await run(process.execPath, [program], { env });
    const reports = await Promise.all(
      (await readdir(coverage)).map(
        async (file) =>
          JSON.parse(await readFile(join(coverage, file), 'utf8')) as {
            readonly result: readonly { readonly url: string }[];
          },
      ),
    );
    const urls = new Set(reports.flatMap(({ result }) => result.map(({ url }) => url)));
    return [...urls].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  } finally {
    await rm(coverage, { recursive: true });
  }
}
