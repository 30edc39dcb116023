import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { ContenderMessage } from './contender.js';

export interface ContenderOptions {
  readonly databaseUri: string;
  /** Options of Node, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  /** The root of its tree. Default: this one. */
  readonly tree?: string;
  /** Hears each line of what the MongoDB driver logs of its commands. */
  readonly onDriverLog?: (line: string) => void;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STARTS_WITHIN = 600_000;

export type ContenderProcess = Awaited<ReturnType<typeof startContender>>;

export async function startContender(
  name: string,
  { databaseUri, nodeOptions = [], tree = ROOT, onDriverLog }: ContenderOptions,
) {
  const file = join(tree, `test/bench/dist/${name}.js`);
  const environment = {
    ...process.env,
    NODE_ENV: 'production',
    NODE_OPTIONS: '',
    MONGODB_URI: databaseUri,
    ...(onDriverLog && { MONGODB_LOG_COMMAND: 'debug', MONGODB_LOG_PATH: 'stderr' }),
  };
  const child = fork(file, {
    execArgv: [...nodeOptions],
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)));
  if (onDriverLog) createInterface({ input: child.stderr! }).on('line', onDriverLog);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${String(code)}:\n${output}`);
  });
  ended.catch(() => undefined);
  const message = await Promise.race([nextMessage(child), ended, tooLate(name)]);
  if ('failed' in message) {
    child.kill();
    throw new Error(`${name} does not start: ${message.failed}\n${output}`);
  }
  if (!('ready' in message)) throw new Error(`${name} spoke before it was ready`);
  return {
    description: message.ready,
    async usage() {
      const answer = Promise.race([nextMessage(child), ended]);
      child.send('usage');
      const reported = await answer;
      if (!('usage' in reported)) throw new Error(`${name} did not tell its usage`);
      return reported.usage;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.disconnect();
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exit;
      clearTimeout(patience);
    },
  };
}

async function nextMessage(child: ChildProcess): Promise<ContenderMessage> {
  const [message] = (await once(child, 'message')) as [ContenderMessage];
  return message;
}

function tooLate(name: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(
      () => reject(new Error(`${name} did not start within ${STARTS_WITHIN / 1000} s`)),
      STARTS_WITHIN,
    ).unref();
  });
}
