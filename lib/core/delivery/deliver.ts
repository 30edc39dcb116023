import { addSeconds } from '../../shared/date.js';
import { type DeliveryOutcome, nextAttemptAt } from './attempt.js';
import { type Receiver, RETENTION } from './new-messages.js';
import type { Lease, MessageQueue, WebhookMessage } from './outbox.js';

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
