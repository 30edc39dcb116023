import { execFile } from 'node:child_process';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, jest } from '@jest/globals';

import { countMissing } from '../../support/locked-packages.js';
import { until } from '../../support/until.js';

/** Where the packages of the recipes are, and what they are. */
export const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const ARTIFACTS = fileURLToPath(new URL('../../../test-artifacts', import.meta.url));
/** A folder that one of several suites makes: that one installs, the others wait until it is gone. */
const LOCK = join(ARTIFACTS, 'recipes-are-being-installed');
/** Milliseconds after which whoever has made it is not there any more. */
const STALE = 300_000;

const missing = await install().then(
  () => '',
  (error: Error) => ` (skipped: the packages cannot be installed: ${error.message})`,
);

/** Installs the packages of the recipes, unless they are there as package-lock.json says. */
async function install(): Promise<void> {
  if ((await countMissing(FOLDER)) === 0) return;
  await mkdir(ARTIFACTS, { recursive: true });
  await until(takeLock);
  try {
    if ((await countMissing(FOLDER)) === 0) return;
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER });
  } finally {
    await rm(LOCK, { recursive: true, force: true });
  }
}

async function takeLock(): Promise<boolean> {
  try {
    await mkdir(LOCK);
    return true;
  } catch {
    const since = await stat(LOCK).catch(() => undefined);
    if (since !== undefined && Date.now() - since.mtimeMs > STALE) await rm(LOCK, { recursive: true });
    return false;
  }
}

/** `describe`; without the packages the tests count as skipped, and their title says why. */
export function describeInstalled(title: string, tests: () => void): void {
  // each of them starts a program, which takes its time on a busy machine
  jest.setTimeout(120_000);
  if (missing === '') describe(title, tests);
  else describe.skip(`${title}${missing}`, tests);
}
