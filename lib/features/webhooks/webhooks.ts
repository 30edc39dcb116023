import { createEntryQueue } from '../../core/observability/entry-queue.js';
import { EVENT_NAMES, Storing } from '../../core/observability/events.js';
import { recordEvents } from '../../core/observability/recorded-events.js';
import { createBackgroundReport } from '../../core/observability/report.js';
import { createDeliveryWorker } from '../../delivery/delivery-worker.js';
import { DELIVERY_TIMEOUT, RETENTION } from '../../delivery/new-messages.js';
import type { WebhookMessage } from '../../delivery/outbox.js';
import type { Server } from '../../server/server.js';
import { option, type OptionsOf } from '../../settings/table/option.js';
import { parseOptions, serverOptionError, suggest } from '../../settings/table/parse-options.js';
import { count, flag, text } from '../../settings/table/shapes.js';
import { addSeconds } from '../../shared/date.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Stores } from '../../storage/stores.js';
import { attempt, newMessage } from './standard-webhooks.js';

/** An undelivered message, without the internal members. */
export type ListedWebhook = { readonly id: string } & Pick<
  WebhookMessage,
  'endpoint' | 'type' | 'payload' | 'createdAt' | 'attempts' | 'nextAt' | 'problem' | 'failedAt'
>;

const listOptions = {
  /** Only messages that were given up. Default: `false`. */
  failed: option({ shape: flag, default: false }),
  /** Maximum number of messages, up to 1000. Default: `100`. */
  limit: option({ shape: () => count({ example: 100 }), default: 100 }),
};

const retryOptions = {
  /** Only messages for the receiver of this name. */
  endpoint: option({ shape: () => text('a text, the name of a receiver') }),
  /** Only the message with this id. */
  id: option({ shape: () => text('a text, the id of a message') }),
};

/** Undelivered webhook messages. */
export interface Webhooks {
  /**
   * Messages that wait or were given up, the newest first; with `failed: true` only the latter. Delivered messages are
   * deleted.
   *
   * @throws TypeError if the option `webhooks` is not set
   */
  list(query?: OptionsOf<typeof listOptions>): Promise<ListedWebhook[]>;
  /**
   * Sends waiting and failed messages at once: for all receivers, for one by its name, or one message by its id. A
   * receiver that was gone (410) is tried again. Resolves to the number of messages.
   *
   * @throws TypeError if the option `webhooks` is not set
   */
  retry(which?: OptionsOf<typeof retryOptions>): Promise<number>;
}

const MAX_LIMIT = 1000;
/** Maximum number of messages that wait for the database: some megabytes. */
const CAPACITY = 10_000;
/** Milliseconds until the next attempt to write to the database. */
const STORED_AGAIN = 1000;
/** All events except the failure of a webhook, which would cause further failures for ever. */
const NAMES = EVENT_NAMES.filter((name) => name !== 'webhook.failed');

/**
 * Notifies receivers of events. Each message is stored before it is sent, so that no request waits for a receiver, and
 * another process sends the messages of a killed one.
 *
 * @throws TypeError if a receiver names an unknown event, which would never be sent
 */
export function createWebhooks({ settings, models: { outbox }, events }: Server) {
  const { webhooks: endpoints = [], onError } = settings;
  const report = createBackgroundReport(onError, 'webhooks');
  const senders = endpoints.map((endpoint) => {
    let isFailing = false;
    const notify = (detail: string, cause?: unknown): void =>
      report(`webhooks to ${endpoint.name}: ${detail}`, cause);
    return createDeliveryWorker({
      endpoint: { ...endpoint, timeout: DELIVERY_TIMEOUT },
      attempt: (message, now) => attempt(endpoint, message, now),
      outbox,
      // the site gets one report when a receiver begins to fail
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
  });
  const wake = (): void => senders.forEach((sender) => sender.wake());

  const subscriptions = endpoints.map((endpoint) => {
    const names = endpoint.events.flatMap((desired) => {
      const fitting = NAMES.filter((name) =>
        desired.endsWith('*') ? name.startsWith(desired.slice(0, -1)) : name === desired,
      );
      if (fitting.length > 0) return fitting;
      throw serverOptionError(
        'webhooks',
        `there is no event '${desired}', which ${endpoint.name} asks for; ${suggest(desired, NAMES)}`,
      );
    });
    return { endpoint, names: new Set<string>(names) };
  });
  const queue = createEntryQueue<WebhookMessage>({
    of: 'the outbox of webhooks',
    append: (batch) => outbox.add(batch),
    warn: report,
    capacity: CAPACITY,
  });
  let due: Storing | undefined;
  let again: NodeJS.Timeout | undefined;
  const flush = async (): Promise<boolean> => {
    due = undefined;
    if (await queue.flush()) {
      wake();
      return true;
    }
    again ??= setTimeout(() => {
      again = undefined;
      void flush();
    }, STORED_AGAIN);
    again.unref();
    return false;
  };
  const recorder = recordEvents(events, (entries) => {
    const now = new Date();
    const messages = entries.flatMap((entry) =>
      subscriptions
        .filter(({ names }) => names.has(entry.type))
        .map(({ endpoint }) => newMessage(endpoint, entry, now)),
    );
    for (const message of messages) queue.add(message);
    if (messages.length === 0) return undefined;
    // one command stores all events of one step
    due ??= new Storing(Promise.resolve().then(flush));
    return due;
  });

  const webhooks: Webhooks = {
    async list(query = {}) {
      const { failed, limit } = parseOptions('webhooks.list', listOptions, query);
      await queue.flush();
      const messages = await outbox.list({ isFailed: failed, limit: Math.min(limit, MAX_LIMIT) });
      return messages.map(toListed);
    },
    async retry(which = {}) {
      const { id, endpoint } = parseOptions('webhooks.retry', retryOptions, which);
      await queue.flush();
      const names = endpoint === undefined ? endpoints.map(({ name }) => name) : [endpoint];
      const retried = await retryWebhooks(
        outbox,
        id === undefined ? names.map((name) => ({ endpoint: name })) : [{ id }],
      );
      wake();
      return retried;
    },
  };
  return {
    ...webhooks,
    /** Stores pending messages, and resolves once none is being sent. */
    async close() {
      recorder.close();
      clearTimeout(again);
      await Promise.all([queue.flush(), ...senders.map((sender) => sender.close())]);
    },
  };
}

const notSet = (name: string) => (): Promise<never> =>
  Promise.reject(
    new TypeError(`webhooks.${name}: there are none; write the option webhooks: [{ url, secret, events }]`),
  );
/** Replaces the webhooks if the option is not set. */
export const NO_WEBHOOKS: Webhooks = { list: notSet('list'), retry: notSet('retry') };

/** Messages that are being sent are left alone. */
export async function retryWebhooks(
  outbox: Stores['outbox'],
  which: readonly ({ readonly id: string } | { readonly endpoint: string })[],
): Promise<number> {
  const now = new Date();
  const counts = await Promise.all(
    which.map((one) => outbox.retry(one, { now, expiresAt: addSeconds(now, RETENTION) })),
  );
  return counts.reduce((all, one) => all + one, 0);
}

/** Omits the internal members of the outbox. */
export function toListed(message: WebhookMessage): ListedWebhook {
  const { _id: id, endpoint, type, payload, createdAt, attempts, nextAt, problem, failedAt } = message;
  const result = { id, endpoint, type, payload, createdAt, attempts };
  return { ...result, ...withoutUndefined({ nextAt, problem, failedAt }) };
}
