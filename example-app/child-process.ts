import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { ServiceMessage } from './service.js';
import { StartError } from './settings.js';

const STOP_TIMEOUT = 5000;

/** Ctrl-C, which reaches all processes of a terminal, has ended a process before it could handle the signal. */
export class Interrupted extends Error {}

/** A process of the example, for `start.ts`. */
export interface ServiceProcess {
  /** @throws StartError if the process could not start, Interrupted */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended, with a sentence about the cause. */
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
  // fork passes on the arguments of this process, and so the TypeScript loader
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
  // a caller of two services may handle the other one's failure first
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
