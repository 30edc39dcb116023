import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, describe } from '@jest/globals';

/** Packages that are no dependencies of this one, for one suite. */
export interface InstalledPackages {
  readonly folder: string;
  /** For titles: the reason why there are none, or nothing. */
  readonly missing: string;
  /** `describe`; without the packages its tests count as skipped. */
  readonly describeInstalled: typeof describe | typeof describe.skip;
}

/** Installs packages into a new folder, which is removed after the suite. */
export async function installPackages(
  name: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<InstalledPackages> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const missing = await promisify(execFile)(
    'npm',
    ['install', '--no-package-lock', '--no-audit', '--no-fund'],
    { cwd: folder },
  ).then(
    () => '',
    (error: Error) => ` (skipped: the packages cannot be installed: ${error.message})`,
  );
  return { folder, missing, describeInstalled: missing === '' ? describe : describe.skip };
}
