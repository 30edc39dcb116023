import { execFile } from 'node:child_process';
import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { countMissing } from './locked-packages.js';
import { until } from './until.js';

const ARTIFACTS = fileURLToPath(new URL('../../test-artifacts', import.meta.url));
/** Milliseconds after which the owner of a lock counts as gone. */
const STALE = 300_000;

/** Installs the packages of a folder, unless the versions of its package-lock.json are installed. */
export async function installLocked(folder: string): Promise<void> {
  if ((await countMissing(folder)) === 0) return;
  await mkdir(ARTIFACTS, { recursive: true });
  // a folder that one of several suites makes: its maker installs, the others wait until the folder is gone
  const lock = join(ARTIFACTS, `${basename(folder)}-is-being-installed`);
  await until(() => takeLock(lock));
  try {
    if ((await countMissing(folder)) === 0) return;
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const since = await stat(lock).catch(() => undefined);
    if (since !== undefined && Date.now() - since.mtimeMs > STALE) await rm(lock, { recursive: true });
    return false;
  }
}
