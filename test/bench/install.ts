import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Installs the peers and the load generator, unless they are there as package-lock.json says. */
export async function installPeers(log: (line: string) => void): Promise<void> {
  const desired = await readLock(`${FOLDER}package-lock.json`);
  const installed = await readLock(`${FOLDER}node_modules/.package-lock.json`).catch(
    () => new Map<string, string>(),
  );
  const missing = [...desired].filter(([name, version]) => installed.get(name) !== version).length;
  if (missing === 0) return;
  log(
    `Installing what the benchmark compares with (${missing} packages, about 40 MB) into test/bench/node_modules; this happens once`,
  );
  const begin = Date.now();
  const ticker = setInterval(() => log(`  ${Math.round((Date.now() - begin) / 1000)} s`), 5000);
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = (await once(child, 'exit').finally(() => clearInterval(ticker))) as [number | null];
  if (code !== 0)
    throw new Error(
      `npm ci in test/bench ended with ${code}: without its packages there is nothing to compare with`,
    );
}

/** Name and version of the packages in a lock file, without optional ones, which depend on the platform. */
async function readLock(file: string): Promise<Map<string, string>> {
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as {
    packages: Record<string, { version?: string; optional?: boolean }>;
  };
  return new Map(
    Object.entries(packages).flatMap(([name, { version, optional }]) =>
      name === '' || optional === true || version === undefined ? [] : [[name, version] as const],
    ),
  );
}
