import { createWorkQueue } from './work-queue.js';

// bcrypt computes on libuv's threads, where signatures of JWTs, DNS and files wait behind it. The threads belong to the
// process, and so do these queues. Unless the host has set fewer than three, at least one stays free of them.
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;
/** Some seconds of work for two threads. */
const WAITING = 40;

/** Passwords of people, in all stores of this process. */
export const queueForPassword = createWorkQueue({
  name: 'passwords',
  atOnce: Math.max(1, Math.floor(THREADS / 2)),
  waiting: WAITING,
});

/** Client secrets that a person chose: a burst of logins does not hold them up, nor the other way round. */
export const queueForSecret = createWorkQueue({ name: 'client secrets', atOnce: 1, waiting: WAITING });
