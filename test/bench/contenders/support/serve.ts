import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import type { ContenderDescription, ContenderMessage } from '../../contender.js';
import { REDIRECT_URI, SCOPE, USER_ID } from './setup.js';

export interface Place {
  readonly url: string;
  readonly databaseUri: string;
}

type Given = 'workloads' | 'paths' | 'client' | 'jwtParameters' | 'isConstant' | 'version';

export interface Made extends Pick<ContenderDescription, Given>, Partial<Omit<ContenderDescription, Given>> {
  readonly listener: RequestListener;
  /** Called once it listens; resolves to the cookie of the user. */
  readonly logIn?: () => Promise<string>;
}

/** Runs a contender in this process: listens, seeds, describes itself, reports its usage until the benchmark ends. */
export async function serve(make: (place: Place) => Promise<Made> | Made): Promise<void> {
  const notify = (message: ContenderMessage) => process.send?.(message);
  process.on('disconnect', () => process.exit());
  try {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { MONGODB_URI: databaseUri = '' } = process.env;
    const { listener, logIn, ...made } = await make({ url, databaseUri });
    server.on('request', listener);
    const cookie = logIn === undefined ? 'session=none' : await logIn();
    process.on('message', () => notify({ usage: readUsage() }));
    notify({ ready: { url, redirectUri: REDIRECT_URI, scope: SCOPE, userId: USER_ID, cookie, ...made } });
  } catch (error) {
    notify({ failed: inspect(error) });
  }
}

function readUsage() {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
}

/** The version of an installed package, whose `exports` may hide its package.json from `require`. */
export function versionOf(packageName: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  const file = folders.map((folder) => `${folder}/${packageName}/package.json`).find(existsSync);
  if (file === undefined) throw new Error(`${packageName} is not installed`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
