import { type EventName, type OAuthEvent, Storing } from '../../core/observability/events.js';
import { createBackgroundReport } from '../../core/observability/report.js';
import { createDeliveryWorker } from '../../delivery/delivery-worker.js';
import { buildMessage, TO_PEOPLE } from '../../delivery/new-messages.js';
import type { WebhookMessage } from '../../delivery/outbox.js';
import { createStoreUntilDone } from '../../delivery/store-until-done.js';
import type { Server } from '../../server/server.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { messageOf } from '../../shared/errors.js';
import { withTimeout } from '../../shared/limits/deadline.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { findOccasion, type Occasion, occasionOfToken } from './find-occasion.js';
import { writeNotification } from './write-notification.js';

/** Seconds until a message that the hook does not accept is dropped. */
const GIVE_UP_AFTER = 86_400;
/** Timeout of the hook in milliseconds. */
const TIMEOUT = 30_000;
/** Milliseconds between two searches for tokens that expire soon. */
const REMINDER_INTERVAL = 3_600_000;
/** Maximum number of tokens in one read. */
const MAX_EXPIRING = 100;
/** Seconds until another process takes over the tokens of a killed process. */
const LEASE = 600;
/** Notifications of one kind to one user in an hour; further ones are dropped. */
const MAX_PER_HOUR = 20;
/** Each token leaks and expires once, and a user has at most 50 tokens. */
const UNLIMITED: readonly Occasion['kind'][] = ['tokenExpiring', 'tokenLeaked'];
const EVENTS = [
  'consent.given',
  'token.issued',
  'grant.revoked',
  'token.blocked',
  'refresh.reused',
  'code.replayed',
  'client.blocked',
] as const satisfies readonly EventName[];

/**
 * Notifies users of changes to their accounts through the site's hook. Each message is stored in the outbox of webhooks
 * before the response: no request waits for the hook, and another process sends what a killed one has left.
 */
export function createNotifications({ settings, models, events, rendering }: Server) {
  const { notify, people, onError } = settings;
  const { outbox, grants } = models;
  const limit = createFailureLimit({ failures: MAX_PER_HOUR, window: 3600, counted: 'notifications' });
  let isClosing = false;
  const report = createBackgroundReport(onError, 'notify');

  const worker = createDeliveryWorker({
    endpoint: { name: TO_PEOPLE, timeout: TIMEOUT, giveUpAfter: GIVE_UP_AFTER },
    // calls the hook, in the current language of the user
    async attempt({ _id: id, payload }) {
      const { userId, ...occasion } = JSON.parse(payload) as Occasion & { readonly userId: string };
      try {
        const name = occasion.name ?? (await models.clients.find(occasion.clientId))?.name;
        const translator = rendering.termsIn(await people.language?.(userId));
        const written = writeNotification({ ...occasion, name }, settings, translator);
        // a hook that never ends must not delay other messages
        await withTimeout(
          TIMEOUT,
          () => Promise.resolve(notify?.({ id, userId, ...written })),
          () => new Error(`it did not end within ${TIMEOUT / 1000} seconds`),
        );
        return {};
      } catch (error) {
        return { problem: messageOf(error) };
      }
    },
    outbox,
    onProblem: (problem) => problem !== undefined && report(`notify failed, and is called again: ${problem}`),
    onGivenUp: (_reason, count) => count > 0 && report(`${count} notifications were given up`),
    onAway: (cause) => report('the database did not answer', cause),
  });

  const createMessages = async ({ userIds, once, ...occasion }: Occasion): Promise<WebhookMessage[]> => {
    const now = new Date();
    const messages: WebhookMessage[] = [];
    for (const userId of new Set(userIds)) {
      const { kind } = occasion;
      try {
        if (!UNLIMITED.includes(kind)) await limit.consume(`${kind} ${userId}`);
      } catch {
        continue;
      }
      // the id depends only on the occasion, so that another process adds the message of a killed one only once
      const id = once && `msg_${hashSecret(JSON.stringify([kind, once, userId]))}`;
      const message = { id, type: kind, payload: JSON.stringify({ ...occasion, userId }) };
      messages.push(buildMessage({ name: TO_PEOPLE, giveUpAfter: GIVE_UP_AFTER }, message, now));
    }
    return messages;
  };
  const store = async (messages: readonly WebhookMessage[]): Promise<void> => {
    if (messages.length === 0) return;
    await outbox.add(messages);
    worker.wake();
  };

  const untilStored = createStoreUntilDone('a notification', report);
  const hear = (event: OAuthEvent): Storing => {
    // built once, so that a repeated store uses the same ids and counts once
    let messages: readonly WebhookMessage[] | undefined;
    return new Storing(
      untilStored.start(async () => {
        const occasion = messages === undefined ? await findOccasion(event, models) : undefined;
        messages ??= occasion === undefined ? [] : await createMessages({ once: event.id, ...occasion });
        await store(messages);
      }),
    );
  };
  for (const name of EVENTS) events.on(name, hear);

  /** Several processes share the tokens: each leases some, and ends a lease once the messages are stored. */
  const remindOfExpiring = async (): Promise<void> => {
    const now = new Date();
    const until = addSeconds(now, LEASE);
    while (!isClosing) {
      const leased = await grants.leaseExpiring({ now, until }, MAX_EXPIRING);
      if (leased.length === 0) return;
      for (const grant of leased) {
        const { grantId, accessTokens } = grant;
        const expiresAt = (accessTokens.at(-1) ?? grant).expiresAt.toISOString();
        const once = `${grantId} ${expiresAt}`;
        await store(await createMessages({ ...occasionOfToken('tokenExpiring', grant), once, expiresAt }));
        await grants.endReminder({ grantId, until });
      }
    }
  };
  let reminding: Promise<void> | undefined;
  /** A failed store is repeated when the lease has ended. */
  const remind = (): void => {
    reminding ??= remindOfExpiring()
      .catch((cause: unknown) => report('reminders of tokens that expire could not be stored', cause))
      .finally(() => (reminding = undefined));
  };
  const timer = setInterval(remind, REMINDER_INTERVAL);
  // the timer must not keep the process alive
  timer.unref();
  if (!settings.personalAccessTokens) clearInterval(timer);
  else remind();

  return {
    /** Stores pending messages, and resolves once none is being sent. */
    async close() {
      isClosing = true;
      clearInterval(timer);
      for (const name of EVENTS) events.off(name, hear);
      await Promise.all([reminding, untilStored.close()]);
      await worker.close();
    },
  };
}
