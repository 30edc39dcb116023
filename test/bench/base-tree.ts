import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { compileContenders } from './compile-contenders.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache');
const run = promisify(execFile);
const git = async (...parameters: string[]) => (await run('git', parameters, { cwd: ROOT })).stdout.trim();

/** An earlier commit, built, together with its benchmark. */
export interface BaseTree {
  readonly commit: string;
  readonly folder: string;
}

/**
 * Where this work begins: the merge base with `main`; on `main` itself the last commit, or the one before it if nothing
 * has been changed since.
 *
 * @param named a commit to use instead
 * @throws TypeError if there is no such commit
 */
export async function findBase(named?: string): Promise<string> {
  const commitOf = (ref: string) => git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  try {
    if (named !== undefined) return await commitOf(named);
    const main = await commitOf('origin/main').catch(() => commitOf('main'));
    const [base, head] = [await git('merge-base', 'HEAD', main), await commitOf('HEAD')];
    if (base !== head) return base;
    return await commitOf((await git('status', '--porcelain')) === '' ? 'HEAD^' : 'HEAD');
  } catch {
    throw new TypeError(
      named === undefined
        ? '--check: there is no branch main to compare with; write --base with a commit'
        : `--base: there is no commit '${named}' here`,
    );
  }
}

/** Builds it with the packages that are installed here, only once: the next `--check` finds it. */
export async function buildBase(commit: string, say: (line: string) => void): Promise<BaseTree> {
  const folder = join(CACHE, `bench-${commit}`);
  if (existsSync(folder)) return { commit, folder };
  say(`Building ${commit.slice(0, 12)}, half a minute; this happens once`);
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'bench-base-'));
  try {
    const archive = join(fresh, 'tree.tar');
    await git('archive', '--format=tar', `--output=${archive}`, commit);
    await run('tar', ['-xf', archive, '-C', fresh]);
    await rm(archive);
    await symlink(join(ROOT, 'node_modules'), join(fresh, 'node_modules'), 'junction');
    await run('npm', ['run', 'build', '--silent'], { cwd: fresh });
    await compileContenders(fresh);
    await rename(fresh, folder);
    await forgetOthers(folder);
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true });
    const { stderr = '' } = cause as { readonly stderr?: string };
    throw new Error(`${commit.slice(0, 12)} cannot be built with the packages that are here\n${stderr}`, {
      cause,
    });
  }
  return { commit, folder };
}

async function forgetOthers(stored: string): Promise<void> {
  const earlier = (await readdir(CACHE)).filter((name) => /^bench-[0-9a-f]{40}$/.test(name));
  const folders = earlier.map((name) => join(CACHE, name)).filter((folder) => folder !== stored);
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
}
