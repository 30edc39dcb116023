import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The number of packages of a folder's package-lock.json that are missing or installed in another version. */
export async function countMissing(folder: string): Promise<number> {
  const locked = await readLock(join(folder, 'package-lock.json'));
  const installed = await readLock(join(folder, 'node_modules/.package-lock.json')).catch(
    () => new Map<string, string>(),
  );
  return [...locked].filter(([name, version]) => installed.get(name) !== version).length;
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
