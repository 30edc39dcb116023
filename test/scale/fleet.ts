import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

import { programOf } from '../support/programs.js';

/** A process of the fleet. */
interface Member {
  readonly url: string;
  readonly child: ChildProcess;
  underWay: number;
}

/** An answer of the fleet, and its process. */
export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  readonly cookies: readonly string[];
  readonly by: string;
  /** When the request was sent, by `performance.now()`. */
  readonly sentAt: number;
  /** When its answer arrived. */
  readonly answeredAt: number;
}

export type Request = Pick<RequestInit, 'method' | 'headers' | 'body'>;

/** Processes as behind a load balancer: each request goes to another one, and an ending one gets no more. */
export interface Fleet {
  readonly urls: () => readonly string[];
  /** @param at one of them. Default: another one each time */
  readonly ask: (path: string, request?: Request, at?: string) => Promise<Answer>;
  /** Replaces all of them, two at a time: the new ones take requests before the old ones are told to end. */
  readonly roll: () => Promise<void>;
  /** Ends the rest; resolves to the exit of each, including earlier ones. */
  readonly close: () => Promise<readonly (number | NodeJS.Signals | null)[]>;
}

export async function startFleet(count: number, databaseUri: string, issuer: string): Promise<Fleet> {
  const ends: (number | NodeJS.Signals | null)[] = [];
  const start = async (): Promise<Member> => {
    const child = fork(programOf('test/support/fleet-site.ts'), {
      execArgv: [],
      env: { ...process.env, DATABASE_URI: databaseUri, ISSUER: issuer, NODE_OPTIONS: '' },
    });
    child.once('exit', (code, signal) => ends.push(code ?? signal));
    const failed = once(child, 'exit').then(() =>
      Promise.reject(new Error('a process of the fleet has ended')),
    );
    const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
    failed.catch(() => undefined);
    return { url: `http://127.0.0.1:${String(port)}`, child, underWay: 0 };
  };
  const members = await Promise.all(Array.from({ length: count }, start));

  let context = 0;
  const ask: Fleet['ask'] = async (path, request = {}, at) => {
    const member = members.find(({ url }) => url === at) ?? members[context++ % members.length]!;
    member.underWay += 1;
    const sentAt = performance.now();
    try {
      const response = await fetch(`${member.url}${path}`, { ...request, redirect: 'manual' });
      const text = await response.text();
      return {
        status: response.status,
        location: response.headers.get('location'),
        text,
        cookies: response.headers.getSetCookie(),
        by: member.url,
        sentAt,
        answeredAt: performance.now(),
      };
    } finally {
      member.underWay -= 1;
    }
  };

  const replace = async (place: number): Promise<void> => {
    const [old, fresh] = [members[place]!, await start()];
    members[place] = fresh;
    // the draining of a balancer
    while (old.underWay > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await end(old);
  };

  return {
    urls: () => members.map(({ url }) => url),
    ask,
    async roll() {
      for (let place = 0; place < count; place += 2)
        await Promise.all([place, place + 1].filter((each) => each < count).map(replace));
    },
    async close() {
      await Promise.all(members.map(end));
      return ends;
    },
  };
}

async function end({ child }: Member): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
