import { execFile } from 'node:child_process';
import { copyFile, cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('.', import.meta.url));
const start = promisify(execFile);

/** If the program fails, its output is the message. */
async function run(program: string, parameters: readonly string[], host: string, uri = ''): Promise<void> {
  await start(program, parameters, {
    cwd: host,
    env: { ...process.env, MONGODB_URI: uri, NODE_OPTIONS: '' },
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message);
  });
}

/** Each way in which TypeScript resolves a package; if there are two programs, the second is CommonJS. */
const RESOLUTIONS = {
  node10: ['--module', 'commonjs', '--moduleResolution', 'node10', 'consumer.cts'],
  node16: ['--module', 'node16', 'consumer.mts', 'consumer.cts'],
  nodenext: ['--module', 'nodenext', 'consumer.mts', 'consumer.cts'],
} as const;
export type Resolution = keyof typeof RESOLUTIONS;

/** Compiles the declarations, including declarations of dependencies, with the TypeScript installed in the host. */
export async function checkTypes(host: string, resolutions: readonly Resolution[]): Promise<void> {
  for (const name of ['consumer.mts', 'consumer.cts'])
    await copyFile(join(sources, 'consumer.ts'), join(host, name));
  const strict = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --target es2022';
  for (const resolution of resolutions)
    await run(
      process.execPath,
      [
        'node_modules/typescript/bin/tsc',
        ...strict.split(' '),
        '--esModuleInterop',
        '--types',
        'node',
        ...RESOLUTIONS[resolution],
      ],
      host,
    );
}

/** A suite in CommonJS and that of the documentation, with this project's Jest. */
export async function checkJest(host: string, uri: string): Promise<void> {
  await copyFile(join(sources, 'suite.cjs'), join(host, 'suite.test.js'));
  await writeSamples(host);
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const parameters = [
    '--rootDir',
    host,
    '--testMatch',
    '**/*.test.js',
    '--runInBand',
    '--testTimeout=120000',
  ];
  await run(process.execPath, [jest, ...parameters], host, uri);
}

/** The sample of the documentation for Node's own runner. */
export async function checkNodeTest(host: string, uri: string): Promise<void> {
  await writeSamples(host);
  await run(process.execPath, ['--test', 'albums.node.mjs'], host, uri);
}

async function writeSamples(host: string): Promise<void> {
  await cp(join(root, 'docs/recipes/testing'), host, { recursive: true });
}

/**
 * The host in one file by esbuild, views and all; the package itself is removed, so that nothing can be read there.
 * Only native modules, and optional ones of MongoDB, are loaded from elsewhere.
 */
export async function bundleHost(host: string, program: string): Promise<string> {
  const bundled = `bundled-${program}`;
  const isModule = program.endsWith('.mjs');
  await build({
    absWorkingDir: host,
    entryPoints: [program],
    outfile: bundled,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: isModule ? 'esm' : 'cjs',
    ...(isModule && {
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    }),
    external: [
      'bcrypt',
      'kerberos',
      'snappy',
      '@mongodb-js/zstd',
      '@aws-sdk/*',
      'mongodb-client-encryption',
      'gcp-metadata',
      'socks',
      'aws4',
    ],
    logLevel: 'error',
  });
  await rename(
    join(host, 'node_modules/express-authorization-server'),
    join(host, 'node_modules/taken-away'),
  );
  return bundled;
}

/** Runs the two programs that judge packages. */
export async function checkPackaging(host: string, tarball: string): Promise<void> {
  await Promise.all(
    [
      ['attw', tarball],
      ['publint', 'run', tarball, '--strict'],
    ].map(([name, ...parameters]) => run(join(host, 'node_modules/.bin', name ?? ''), parameters, host)),
  );
}
