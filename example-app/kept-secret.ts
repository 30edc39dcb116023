import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A stored secret, created at the first start, readable by its owner only. */
export async function keepSecret(folder: string, name: 'session-secret' | 'key-secret'): Promise<string> {
  const file = join(folder, name);
  const made = join(folder, `${name}.${process.pid}`);
  await mkdir(folder, { recursive: true });
  await writeFile(made, randomBytes(32).toString('base64url'), { mode: 0o600 });
  // a hard link appears whole or not at all, so two concurrent first starts agree on one secret
  await link(made, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(made);
  return readFile(file, 'utf8');
}
