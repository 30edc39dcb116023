import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { ServiceMessage } from './service.js';
import { StartError } from './settings.js';

const STOP_TIMEOUT = 5000;

/** Ctrl-C, which reaches all processes of a terminal, has ended one that could not handle it yet. */
export class Interrupted extends Error {}

/** One of the example's processes, as `start.ts` sees it. */
export interface ServiceProcess {
  /** @throws StartError if it could not start, Interrupted */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended, with a sentence that says how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly name: string;
  /** Path of its program, relative to this folder. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function startService({ name, program, environment }: ServiceOptions): ServiceProcess {
  // the same TypeScript loader as in this process: fork passes on its arguments
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    env: { ...process.env, ...environment },
  });

  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`${name} could not run: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(`${name} has stopped by itself (${signal ?? `exit code ${code}`}).`),
    );
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: ServiceMessage) => {
      if (message.type === 'ready') resolve();
      else reject(new StartError(`${name} could not start: ${message.message}`));
    });
    void ended.then((how) =>
      reject(child.signalCode === 'SIGINT' ? new Interrupted(how) : new StartError(how)),
    );
  });
  // a caller that starts two services may hear of the other one's failure first
  ready.catch(() => undefined);

  return {
    ready,
    ended,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
      await ended;
      clearTimeout(timer);
    },
  };
}
