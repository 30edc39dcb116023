import { hashSecret } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { type DeliveryOutcome, nextAttemptAt } from './attempt.js';
import { type Receiver, RETENTION } from './new-messages.js';
import type { Lease, MessageQueue, WebhookMessage } from './outbox.js';

export interface DeliveryWorkerDependencies extends Omit<DeliveryDependencies, 'stops' | 'onPutOff'> {
  /** Called when the database does not answer, only once until it answers again. */
  readonly onAway: (cause: unknown) => void;
  /** How many are sent at the same time; one that hangs does not hold up the others. Default: 4. */
  readonly atOnce?: number;
}

/** Sends what waits for one receiver. It looks for that by itself, too. */
export interface DeliveryWorker {
  /** Makes it look for what is due. */
  wake(): void;
  /** Begins nothing more, and resolves once nothing is being sent. */
  close(): Promise<void>;
}

/** Messages about one grant, in their order. */
interface DeliveryQueue {
  readonly key: string;
  readonly messages: readonly WebhookMessage[];
}

/** How many messages are read together. */
const BATCH = 40;
/** For how many grants messages are sent at the same time. */
const AT_ONCE = 4;
/** Milliseconds between two looks for what others have left, or put off. */
const LOOKS = 10_000;

/** How messages are given up whose receiver wants no more. */
function asGone(now: Date) {
  return { problem: 'the receiver is gone (410)', failedAt: now, expiresAt: addSeconds(now, RETENTION) };
}

export function createDeliveryWorker({
  onAway,
  atOnce = AT_ONCE,
  ...dependencies
}: DeliveryWorkerDependencies): DeliveryWorker {
  const { endpoint, outbox, onGivenUp } = dependencies;
  const stops = `${endpoint.name} ${hashSecret(endpoint.url)}`;
  const deliver = createDelivery({
    ...dependencies,
    stops,
    onPutOff: (until) => alarm.setTo(until.getTime()),
  });
  const waiting: DeliveryQueue[] = [];
  /** The grants of those that wait here or are being sent. */
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

  const look = async (): Promise<void> => {
    const due = await outbox.findDue(endpoint.name, new Date(), BATCH);
    const lines = byGrant(due).filter(({ key }) => !taken.has(key));
    if (lines.length === 0) return;
    if (await outbox.isStopped(stops))
      return onGivenUp('gone', await outbox.giveUpAll(endpoint.name, asGone(new Date())));
    for (const line of lines) taken.add(line.key);
    waiting.push(...lines);
    while (waiting.length > 0 && working.size < atOnce && !isClosing) begin();
  };

  const work = async (): Promise<void> => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      for (const message of line.messages) if (isClosing || !(await deliver(message))) break;
      taken.delete(line.key);
    }
  };
  const begin = (): void => {
    const worker = work()
      .then(wake, (cause: unknown) => {
        // whatever the cause: nothing is lost, and the next look finds it
        taken.clear();
        waiting.length = 0;
        beAway(cause);
      })
      .finally(() => void working.delete(worker));
    working.add(worker);
  };

  const wake = (): void => {
    isWoken = true;
    looking ??= lookWhileWoken().finally(() => {
      looking = undefined;
      // woken again while it was ending
      if (isWoken && !isClosing) wake();
    });
  };
  const lookWhileWoken = async (): Promise<void> => {
    while (isWoken && !isClosing) {
      isWoken = false;
      await look().then(() => void (isAway = false), beAway);
    }
  };

  const alarm = createAlarm(wake);
  const looks = setInterval(wake, LOOKS);
  // a process that has nothing else to do may end
  looks.unref();

  return {
    wake,
    async close() {
      isClosing = true;
      clearInterval(looks);
      alarm.close();
      await looking;
      await Promise.all(working);
    },
  };
}

interface Alarm {
  setTo(time: number): void;
  close(): void;
}

/** Calls `wake` when something is due soon. */
function createAlarm(wake: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  /** The last of the times at which something is due soon. */
  let last = 0;
  const setTo = (time: number): void => {
    // a regular look comes first
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

/** Messages about one grant are a line, in order; each of the others is its own. */
function byGrant(due: readonly WebhookMessage[]): DeliveryQueue[] {
  const lines = new Map<string, WebhookMessage[]>();
  for (const message of due) {
    const key = message.about ?? message.id;
    lines.set(key, [...(lines.get(key) ?? []), message]);
  }
  return [...lines].map(([key, messages]) => ({
    key,
    messages: messages.sort((one, other) => (one.id < other.id ? -1 : 1)),
  }));
}

export interface DeliveryDependencies {
  readonly endpoint: Pick<Receiver, 'name' | 'url' | 'timeout' | 'giveUpAfter'>;
  /** Sends a message once. Resolves in any case. */
  readonly attempt: (message: WebhookMessage, now: Date) => Promise<DeliveryOutcome>;
  readonly outbox: MessageQueue;
  /** What identifies the receiver if it wants nothing more. */
  readonly stops: string;
  /** Called if a message was not taken and is sent again, or, without a problem, if it was taken. */
  readonly onProblem: (problem: string | undefined) => void;
  /** Called if a message is due then, and not before. */
  readonly onPutOff: (until: Date) => void;
  /** Called with the number of messages that are given up. */
  readonly onGivenUp: (reason: 'given_up' | 'gone', count: number) => void;
}

/**
 * Sends a message if it is its turn and no other process sends it. False if those about the same grant must wait, too.
 */
export type Deliver = (message: WebhookMessage) => Promise<boolean>;

/** Seconds that a process holds a message beyond the request's timeout: for the database, and for clocks. */
const MARGIN = 30;
/** Seconds until a message checks again whether the one before it has gone. */
const BRIEFLY = 2;

export function createDelivery({
  endpoint,
  attempt,
  outbox,
  stops,
  onProblem,
  onPutOff,
  onGivenUp,
}: DeliveryDependencies): Deliver {
  const putOff = async (lease: Lease, to: Parameters<MessageQueue['putOff']>[1]): Promise<void> => {
    await outbox.putOff(lease, to);
    onPutOff(to.nextAt);
  };
  const settle = async (
    message: WebhookMessage,
    lease: Lease,
    outcome: DeliveryOutcome,
  ): Promise<boolean> => {
    const { problem, isGone = false, isFinal = isGone, wait, later } = outcome;
    if (later !== undefined) {
      await putOff(lease, { nextAt: later, attempts: message.attempts });
      return false;
    }
    if (problem === undefined) {
      onProblem(undefined);
      await outbox.remove(lease);
      return true;
    }
    const now = new Date();
    const attempts = message.attempts + 1;
    if (!isFinal && now < addSeconds(message.triedSince, endpoint.giveUpAfter)) {
      await putOff(lease, { nextAt: nextAttemptAt(attempts, wait, now), attempts, problem });
      onProblem(problem);
      return false;
    }
    const failed = { attempts, problem, failedAt: now, expiresAt: addSeconds(now, RETENTION) };
    await outbox.giveUp(lease, { ...failed, ...(isGone && { stops }) });
    onGivenUp(isGone ? 'gone' : 'given_up', 1);
    return false;
  };

  return async (message) => {
    const until = addSeconds(new Date(), endpoint.timeout / 1000 + MARGIN);
    if (!(await outbox.lease(message, until))) return false;
    const lease = { id: message.id, until };
    const older = await outbox.findOlder(message);
    if (older !== null) {
      await putOff(lease, { nextAt: waitFor(older), attempts: message.attempts });
      return true;
    }
    return settle(message, lease, await attempt(message, new Date()));
  };
}

/** A message that has failed has its time; about one that is sent for the first time, more is known in a moment. */
function waitFor({ attempts, nextAt }: WebhookMessage): Date {
  const soon = addSeconds(new Date(), BRIEFLY);
  return attempts === 0 || nextAt === undefined || nextAt < soon ? soon : nextAt;
}
