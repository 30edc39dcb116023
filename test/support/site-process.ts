import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Notification } from '../../lib/index.js';
import { openDatabase } from './database.js';
import { programOf } from './programs.js';
import { shiftClock } from './shifted-clock.js';
import { openSite, type SiteOptions } from './site.js';

/** The test site in a separate process: like a second machine, it shares nothing but the database. */
export interface SiteProcess {
  readonly url: string;
  stop(): Promise<void>;
  /** Kills it in the middle of its work. */
  kill(): Promise<void>;
  /** Its memory and handles, after it has released everything it can. */
  weigh(): Promise<Weight>;
  /** Makes changes by code, and waits for none. */
  change(changes: Changes): void;
}

/** The work of the site's code. */
interface Changes {
  readonly blocks: string;
  readonly makesTokenOf: string;
}

export interface Weight {
  /** Bytes. */
  readonly heap: number;
  readonly resident: number;
  /** Sockets, timers and the like. */
  readonly resources: number;
}

export interface SiteProcessOptions extends Pick<
  SiteOptions,
  | 'grantTypes'
  | 'security'
  | 'lifetimes'
  | 'advanced'
  | 'tokens'
  | 'audit'
  | 'personalAccessTokens'
  | 'webhooks'
  | 'unready'
> {
  /** Name of the database, which is not dropped. */
  readonly database: string;
  /** Its MongoDB. Default: that of the run. */
  readonly mongo?: string;
  /** Seconds that its clock is ahead. Default: 0. */
  readonly clock?: number;
  /** Whether it has the hook `notify`, which records each notice in a collection, `told`. */
  readonly notifies?: boolean;
}

export async function startSiteProcess(options: SiteProcessOptions): Promise<SiteProcess> {
  const file = programOf('test/support/site-process.ts');
  const child = spawn(process.execPath, ['--expose-gc', file, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [message] = (await Promise.race([once(child, 'message'), failed(child)])) as [{ url: string }];
  return {
    url: message.url,
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    change: (changes) => void child.send(changes),
    async weigh() {
      child.send('weigh');
      const [weight] = (await once(child, 'message')) as [Weight];
      return weight;
    },
  };
}

async function failed(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the process of the site ended with ${code} before it listened`);
}

async function runSite({
  database: name,
  mongo,
  clock = 0,
  notifies = false,
  ...options
}: SiteProcessOptions): Promise<void> {
  if (clock !== 0) shiftClock(clock * 1000);
  const database = await openDatabase(name, mongo);
  const site = await openSite({
    ...options,
    ...(notifies && {
      notify: async ({ id, userId, kind }: Notification) => {
        await database.collection('told').insertOne({ id, userId, kind });
      },
    }),
    database,
    // unforeseen errors, whose reason is in no answer
    onError: (error) => void (error.status === 500 && console.error(error.cause ?? error)),
  });
  process.on('disconnect', () => {
    void site
      .close()
      .then(() => database.connection.close())
      .then(() => process.exit());
  });
  process.on('message', (message: 'weigh' | Changes) => {
    if (message === 'weigh') return void process.send?.(weigh());
    const { blocks, makesTokenOf: userId } = message;
    void site.oauth.clients.block(blocks);
    void site.oauth.personalAccessTokens.create({ userId, name: 'Job', scopes: ['profile'] });
  });
  process.send?.({ url: site.url });
}

function weigh(): Weight {
  globalThis.gc?.();
  const { heapUsed: heap, rss: resident } = process.memoryUsage();
  return { heap, resident, resources: process.getActiveResourcesInfo().length };
}

// run, not imported
const [, script, options] = process.argv;
if (script === fileURLToPath(import.meta.url) && options !== undefined)
  await runSite(JSON.parse(options) as SiteProcessOptions);
