import { hashSecret } from '../shared/crypto/secrets.js';
import { addSeconds } from '../shared/date.js';
import { GIVE_UP_AFTER, RETENTION } from './new-messages.js';
import type { Lease, MessageQueue, WebhookMessage } from './outbox.js';

/** The result of an attempt. */
export interface DeliveryOutcome {
  /** Why the receiver did not accept the message; undefined if it did. */
  readonly problem?: string;
  /** The receiver is gone for good. */
  readonly isGone?: boolean;
  /** The next attempt would fail, too. */
  readonly isFinal?: boolean | undefined;
  /** Seconds that the receiver requests as a pause. */
  readonly wait?: number | undefined;
  /** The message was not sent, and is due at this time. */
  readonly later?: Date;
}

interface DeliveryWorkerDependencies {
  readonly endpoint: {
    readonly name: string;
    /** Undefined for a receiver that cannot be gone (410). */
    readonly url?: string;
    /** Milliseconds of the longest attempt. */
    readonly timeout: number;
    /** Seconds. Default: `GIVE_UP_AFTER`. */
    readonly giveUpAfter?: number;
  };
  /** Sends a message once. Always resolves. */
  readonly attempt: (message: WebhookMessage, now: Date) => Promise<DeliveryOutcome>;
  readonly outbox: MessageQueue;
  /** Called with the problem if a message will be sent again, or without one if it was accepted. */
  readonly onProblem?: (problem: string | undefined) => void;
  /** Called with the number of messages that were given up. */
  readonly onGivenUp: (reason: 'given_up' | 'gone', count: number) => void;
  /** Called once per outage of the database. */
  readonly onAway: (cause: unknown) => void;
  /** How many messages are sent at once, so that a hanging one does not delay the others. Default: 4. */
  readonly atOnce?: number;
}

/** Seconds until the next attempt, by the number of failures; the last one repeats. */
const PAUSES = [5, 30, 300, 1800, 7200, 18_000, 36_000] as const;
/** A pause is longer by a random part up to this one, so that messages that failed together do not return together. */
const SPREAD = 0.2;
/** How many messages are read together. */
const BATCH = 40;
/** Milliseconds between two checks for messages that other processes have left, or put off. */
const LOOKS = 10_000;
/** Seconds that a lease lasts beyond the request's timeout: for the database, and for clocks. */
const MARGIN = 30;
/** Seconds after which a message checks again whether the previous one was sent. */
const BRIEFLY = 2;

/** Sends the waiting messages of one receiver, and checks for new ones at intervals. */
export function createDeliveryWorker({
  endpoint,
  attempt,
  outbox,
  onProblem,
  onGivenUp,
  onAway,
  atOnce = 4,
}: DeliveryWorkerDependencies) {
  /** The key of a receiver that is gone. */
  const stops = `${endpoint.name} ${hashSecret(endpoint.url ?? '')}`;
  /** Queues of messages: one for each grant, in order, and one for each other message. */
  const waiting: (readonly [key: string, messages: readonly WebhookMessage[]])[] = [];
  /** The keys of the queues that wait here or are being sent. */
  const taken = new Set<string>();
  const working = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let isWoken = false;
  let isClosing = false;
  let isAway = false;
  const beAway = (cause: unknown): void => {
    if (!isAway) onAway(cause);
    isAway = true;
  };

  const putOff = async (lease: Lease, to: Parameters<MessageQueue['putOff']>[1]): Promise<void> => {
    await outbox.putOff(lease, to);
    alarm.setTo(to.nextAt.getTime());
  };
  /** Sends a message if it is first in order and no other process sends it. False if its queue must wait, too. */
  const deliver = async (message: WebhookMessage): Promise<boolean> => {
    const until = addSeconds(new Date(), endpoint.timeout / 1000 + MARGIN);
    if (!(await outbox.lease(message, until))) return false;
    const lease = { id: message._id, until };
    const older = await outbox.findOlder(message);
    if (older !== null) {
      // an older message that has failed has its own time; a first attempt at it ends in a moment
      const soon = addSeconds(new Date(), BRIEFLY);
      const { nextAt = soon } = older;
      await putOff(lease, {
        nextAt: older.attempts === 0 || nextAt < soon ? soon : nextAt,
        attempts: message.attempts,
      });
      return true;
    }

    const outcome = await attempt(message, new Date());
    const { problem, isGone = false, isFinal = isGone, wait, later } = outcome;
    if (later !== undefined) {
      await putOff(lease, { nextAt: later, attempts: message.attempts });
      return false;
    }
    if (problem === undefined) {
      onProblem?.(undefined);
      await outbox.remove(lease);
      return true;
    }
    const now = new Date();
    const attempts = message.attempts + 1;
    const { giveUpAfter = GIVE_UP_AFTER } = endpoint;
    if (!isFinal && now < addSeconds(message.triedSince, giveUpAfter)) {
      await putOff(lease, { nextAt: nextAttemptAt(attempts, wait, now), attempts, problem });
      onProblem?.(problem);
      return false;
    }
    const failed = { attempts, problem, failedAt: now, expiresAt: addSeconds(now, RETENTION) };
    await outbox.giveUp(lease, { ...failed, ...(isGone && { stops }) });
    onGivenUp(isGone ? 'gone' : 'given_up', 1);
    return false;
  };

  const look = async (): Promise<void> => {
    const now = new Date();
    const queues = new Map<string, WebhookMessage[]>();
    for (const message of await outbox.findDue(endpoint.name, now, BATCH)) {
      const key = message.about ?? message._id;
      if (!taken.has(key)) queues.set(key, [...(queues.get(key) ?? []), message]);
    }
    if (queues.size === 0) return;
    if (await outbox.isStopped(stops)) {
      const gone = {
        problem: 'the receiver is gone (410)',
        failedAt: now,
        expiresAt: addSeconds(now, RETENTION),
      };
      return onGivenUp('gone', await outbox.giveUpAll(endpoint.name, gone));
    }
    for (const [key, messages] of queues) {
      taken.add(key);
      waiting.push([key, messages.sort((one, other) => (one._id < other._id ? -1 : 1))]);
    }
    while (waiting.length > 0 && working.size < atOnce && !isClosing) {
      const worker = work()
        .then(wake, (cause: unknown) => {
          // with any cause: nothing is lost, and the next check finds the messages
          taken.clear();
          waiting.length = 0;
          beAway(cause);
        })
        .finally(() => void working.delete(worker));
      working.add(worker);
    }
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [key, messages] = next;
      for (const message of messages) if (isClosing || !(await deliver(message))) break;
      taken.delete(key);
    }
  };

  const lookWhileWoken = async (): Promise<void> => {
    while (isWoken && !isClosing) {
      isWoken = false;
      await look().then(() => void (isAway = false), beAway);
    }
  };
  const wake = (): void => {
    isWoken = true;
    looking ??= lookWhileWoken().finally(() => {
      looking = undefined;
      // woken again while it was ending
      if (isWoken && !isClosing) wake();
    });
  };

  const alarm = createAlarm(wake);
  const looks = setInterval(wake, LOOKS);
  // the timer does not keep the process alive
  looks.unref();

  return {
    /** Starts a check for due messages. */
    wake,
    /** Starts nothing more, and resolves once nothing is being sent. */
    async close() {
      isClosing = true;
      clearInterval(looks);
      alarm.close();
      await looking;
      await Promise.all(working);
    },
  };
}

/** Calls `wake` when something is due soon. */
function createAlarm(wake: () => void) {
  let timer: NodeJS.Timeout | undefined;
  /** The latest of the times at which a message is due soon. */
  let last = 0;
  const setTo = (time: number): void => {
    // a regular check comes first
    if (time - Date.now() > LOOKS) return;
    last = Math.max(last, time);
    // a timer may be early by a millisecond
    timer ??= setTimeout(
      () => {
        timer = undefined;
        wake();
        if (last > Date.now()) setTo(last);
      },
      time - Date.now() + 5,
    );
    timer.unref();
  };
  return { setTo, close: () => clearTimeout(timer) };
}

/** The time of the next attempt after this many failures. */
function nextAttemptAt(attempts: number, wait = 0, now: Date): Date {
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? PAUSES[0];
  return addSeconds(now, Math.max(pause, wait) * (1 + Math.random() * SPREAD));
}
