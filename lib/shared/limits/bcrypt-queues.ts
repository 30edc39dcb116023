import { availableParallelism } from 'node:os';

import { lazy } from '../lazy.js';
import { createWorkQueue, type WorkQueue } from './work-queue.js';

// bcrypt computes on libuv's threads, where JWT signatures, DNS and files wait behind it. The threads belong to the
// process, and so do these queues. Unless the site has set fewer than three threads, at least one stays free.
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;
/** Two threads stay free for client secrets and everything else. More threads than cores would not be faster. */
const PASSWORDS_AT_ONCE = Math.max(1, Math.min(availableParallelism(), THREADS - 2));
/** Some seconds of work for two threads. */
const WAITING = 40;
/** Milliseconds: the longest wait for bcrypt; afterwards users and clients try again. */
export const BCRYPT_PATIENCE = 8000;

/** Passwords of users, in all stores of this process. */
export const queueForPassword = patientQueue('passwords', PASSWORDS_AT_ONCE);

/** Client secrets that a user chose: their queue and the logins' do not delay each other. */
export const queueForSecret = patientQueue('client secrets', 1);

function patientQueue(name: string, atOnce: number) {
  const queue = createWorkQueue({ name, atOnce, waiting: WAITING });
  return {
    run: ((work, waiting) => queue.run(work, { patience: BCRYPT_PATIENCE, ...waiting })) as WorkQueue['run'],
  };
}

/** bcrypt, loaded at its first use: its binary takes 9 ms of CPU time, and many sites never use it. */
export const loadBcrypt = lazy(async () => (await import('bcrypt')).default);
