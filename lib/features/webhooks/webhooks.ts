import { attempt } from '../../core/delivery/attempt.js';
import { createDeliveryWorker, type DeliveryWorker } from '../../core/delivery/delivery-worker.js';
import { DELIVERY_TIMEOUT, GIVE_UP_AFTER, newMessage, RETENTION } from '../../core/delivery/new-messages.js';
import type { Outbox, WebhookMessage } from '../../core/delivery/outbox.js';
import type { AuditEntry } from '../../core/observability/audit-log.js';
import { createEntryQueue } from '../../core/observability/entry-queue.js';
import { type OAuthEvents, Storing } from '../../core/observability/events.js';
import { recordEvents } from '../../core/observability/recorded-events.js';
import { notifyHost } from '../../core/observability/report.js';
import type { OnError } from '../../settings/options/on-error.js';
import { option } from '../../settings/table/option.js';
import { parseOptions } from '../../settings/table/parse-options.js';
import { count, flag, text } from '../../settings/table/shapes.js';
import { addSeconds } from '../../shared/date.js';
import { unableForTheMoment } from '../../shared/errors.js';
import type { WebhookSettings } from './options.js';
import { chosenEvents } from './subscribed-events.js';

/** A message that was not taken yet, as the site sees it. */
export type ListedWebhook = Pick<
  WebhookMessage,
  'id' | 'endpoint' | 'type' | 'payload' | 'createdAt' | 'attempts' | 'nextAt' | 'problem' | 'failedAt'
>;

/** What has happened and has not been taken by its receiver yet. */
export interface Webhooks {
  /**
   * What waits and what was given up, the newest first; with `failed: true` only what was given up. What was taken is
   * not kept.
   *
   * @throws TypeError if the option `webhooks` is not set
   */
  list(query?: {
    readonly failed?: boolean | undefined;
    readonly limit?: number | undefined;
  }): Promise<ListedWebhook[]>;
  /**
   * Sends at once what waits or was given up: for all receivers, for one of them by its name, or one message by its id.
   * A receiver that was gone (410) is tried again. Returns how many messages they are.
   *
   * @throws TypeError if the option `webhooks` is not set
   */
  retry(which?: {
    readonly endpoint?: string | undefined;
    readonly id?: string | undefined;
  }): Promise<number>;
}

/** The webhooks with what the server itself does with them. */
export interface RunningWebhooks extends Webhooks {
  /** Stores what is not stored yet, and resolves once nothing is being sent. */
  close(): Promise<void>;
}

export interface WebhooksDependencies {
  readonly endpoints: readonly WebhookSettings[];
  readonly outbox: Outbox;
  readonly events: OAuthEvents;
  readonly onError?: OnError | undefined;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** The most messages that wait for the database: some megabytes. */
const CAPACITY = 10_000;
/** Milliseconds until the database is tried again. */
const STORED_AGAIN = 1000;

/**
 * Tells receivers what happens. It is stored first and sent afterwards, so no request waits for a receiver, and another
 * process sends what one has left.
 */
export function createWebhooks(dependencies: WebhooksDependencies): RunningWebhooks {
  const { endpoints, outbox, events, onError } = dependencies;
  const senders = endpoints.map((endpoint) => createTellingSender(endpoint, dependencies));
  const wake = (): void => senders.forEach((sender) => sender.wake());
  const store = createStore({
    endpoints,
    outbox,
    warn: (detail, cause) => notifyHost(onError, unableForTheMoment(detail, cause), CONTEXT),
    onStored: wake,
  });
  const recorder = recordEvents(events, (entries) => store.add(entries));

  return {
    async list(query = {}) {
      const { failed, limit } = parseOptions('webhooks.list', listOptions, query);
      await store.flush();
      const found = await outbox.list({ isFailed: failed, limit: Math.min(limit, MAX_LIMIT) });
      return found.map(toListed);
    },
    async retry(which = {}) {
      const { id, endpoint } = parseOptions('webhooks.retry', retryOptions, which);
      await store.flush();
      const named = endpoint === undefined ? endpoints.map(({ name }) => name) : [endpoint];
      const retried = await retryWebhooks(
        outbox,
        id === undefined ? named.map((name) => ({ endpoint: name })) : [{ id }],
      );
      wake();
      return retried;
    },
    async close() {
      recorder.close();
      await Promise.all([store.close(), ...senders.map((sender) => sender.close())]);
    },
  };
}

/** Stands in for the webhooks if the option is not set. */
export const NO_WEBHOOKS: Webhooks = {
  list: () => Promise.reject(notSet('list')),
  retry: () => Promise.reject(notSet('retry')),
};

/** Messages that are being sent at the moment are left alone. */
export async function retryWebhooks(
  outbox: Outbox,
  which: readonly ({ readonly id: string } | { readonly endpoint: string })[],
): Promise<number> {
  const now = new Date();
  const counts = await Promise.all(
    which.map((one) => outbox.retry(one, { now, expiresAt: addSeconds(now, RETENTION) })),
  );
  return counts.reduce((all, one) => all + one, 0);
}

/** Leaves out what only the outbox needs. */
export function toListed({
  id,
  endpoint,
  type,
  payload,
  createdAt,
  attempts,
  nextAt,
  problem,
  failedAt,
}: WebhookMessage): ListedWebhook {
  return {
    id,
    endpoint,
    type,
    payload,
    createdAt,
    attempts,
    ...(nextAt && { nextAt }),
    ...(problem !== undefined && { problem }),
    ...(failedAt && { failedAt }),
  };
}

const listOptions = {
  /** Only what was given up. Default: `false`. */
  failed: option({ shape: flag, default: false }),
  /** How many at most, up to 1000. Default: `100`. */
  limit: option({ shape: () => count({ example: 100 }), default: DEFAULT_LIMIT }),
};

const retryOptions = {
  /** Only those for the receiver of this name. */
  endpoint: option({ shape: () => text('a text, the name of a receiver') }),
  /** Only the one with this id. */
  id: option({ shape: () => text('a text, the id of a message') }),
};

const CONTEXT = { requestId: '', endpoint: 'webhooks' };

interface StoreOptions {
  readonly endpoints: readonly WebhookSettings[];
  readonly outbox: Outbox;
  readonly warn: (detail: string, cause?: unknown) => void;
  readonly onStored: () => void;
}

/** Puts what happened into the outbox, at once and without holding up the request. */
function createStore({ endpoints, outbox, warn, onStored }: StoreOptions) {
  const subscriptions = endpoints.map((endpoint) => ({ endpoint, names: chosenEvents(endpoint) }));
  const queue = createEntryQueue<WebhookMessage>({
    of: 'the outbox of webhooks',
    append: (batch) => outbox.add(batch),
    warn,
    capacity: CAPACITY,
  });
  let due: Storing | undefined;
  let again: NodeJS.Timeout | undefined;

  const flush = async (): Promise<boolean> => {
    due = undefined;
    if (await queue.flush()) {
      onStored();
      return true;
    }
    again ??= setTimeout(() => {
      again = undefined;
      void flush();
    }, STORED_AGAIN);
    again.unref();
    return false;
  };

  return {
    add(entries: readonly AuditEntry[]): Storing | undefined {
      const now = new Date();
      const messages = entries.flatMap((entry) =>
        subscriptions
          .filter(({ names }) => names.has(entry.type))
          .map(({ endpoint }) => newMessage(endpoint, entry, now)),
      );
      for (const message of messages) queue.add(message);
      if (messages.length === 0) return undefined;
      // all that one step emits is stored with one command
      due ??= new Storing(Promise.resolve().then(flush));
      return due;
    },
    flush: () => queue.flush(),
    async close(): Promise<void> {
      clearTimeout(again);
      await queue.flush();
    },
  };
}

/** Sends to one receiver, and tells the site when it begins to fail. */
function createTellingSender(
  endpoint: WebhookSettings,
  { outbox, events, onError }: WebhooksDependencies,
): DeliveryWorker {
  let isFailing = false;
  const notify = (detail: string, cause?: unknown): void =>
    notifyHost(onError, unableForTheMoment(`webhooks to ${endpoint.name}: ${detail}`, cause), CONTEXT);
  return createDeliveryWorker({
    endpoint: { ...endpoint, timeout: DELIVERY_TIMEOUT, giveUpAfter: GIVE_UP_AFTER },
    attempt: (message, now) => attempt(endpoint, message, now),
    outbox,
    onProblem(problem) {
      if (problem !== undefined && !isFailing) notify(`${problem}; they are kept and sent again`);
      isFailing = problem !== undefined;
    },
    onGivenUp(reason, count) {
      if (count === 0) return;
      notify(reason === 'gone' ? 'the receiver wants no more of them (410)' : `${count} given up`);
      events.emit('webhook.failed', { endpoint: endpoint.name, reason, count });
    },
    onAway: (cause) => notify('the database did not answer', cause),
  });
}

function notSet(name: string): TypeError {
  return new TypeError(
    `webhooks.${name}: there are none; write the option webhooks: [{ url, secret, events }]`,
  );
}
