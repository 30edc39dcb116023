import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { disposable } from './disposable.js';

/** A folder in which programs find this package and those that are installed in it. */
export const INSIDE = join(process.cwd(), 'test-artifacts');

export type Folder = Awaited<ReturnType<typeof openFolder>>;

/** A temporary folder with files, by their paths. */
export async function openFolder(files: Readonly<Record<string, string>> = {}, within = tmpdir()) {
  await mkdir(within, { recursive: true });
  const path = await mkdtemp(join(within, 'test-'));
  const folder = {
    ...disposable,
    path,
    /** Writes a file; its whole path. */
    async write(name: string, text: string): Promise<string> {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), text);
      return join(path, name);
    },
    close: () => rm(path, { recursive: true, force: true }),
  };
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  return folder;
}
