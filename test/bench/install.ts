import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { countMissing } from '../support/locked-packages.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Installs the peers and the load generator, unless their versions of package-lock.json are installed. */
export async function installPeers(log: (line: string) => void): Promise<void> {
  const missing = await countMissing(FOLDER);
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
