import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const PREVIOUS = '0.1.0';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARBALL = fileURLToPath(new URL(`./express-authorization-server-${PREVIOUS}.tgz`, import.meta.url));

export interface PreviousSite {
  readonly url: string;
  stop(): Promise<void>;
}

export interface PreviousSiteOptions {
  /** Connection string with the name of the database. */
  readonly uri: string;
  readonly issuer: string;
}

/**
 * Unpacks the release that hosts have today, as npm would: below node_modules, where it finds the libraries that it
 * shares with this tree.
 */
export async function unpackPrevious(): Promise<{ readonly entry: string; remove(): Promise<void> }> {
  const folder = `${ROOT}node_modules/.previous-release-${process.pid}`;
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('tar', ['-xzf', TARBALL, '-C', folder]);
  return {
    entry: `${folder}/package/dist/index.js`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A site on that release, in a process of its own, where every request comes from ada, who is logged in. */
export async function startPrevious(entry: string, options: PreviousSiteOptions): Promise<PreviousSite> {
  const child = fork(fileURLToPath(new URL('./previous-site.mjs', import.meta.url)), [
    entry,
    JSON.stringify(options),
  ]);
  const ended = once(child, 'exit');
  const [message] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`the site on ${PREVIOUS} ended with ${code} before it listened`);
    }),
  ])) as [{ url: string }];
  return {
    url: message.url,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
