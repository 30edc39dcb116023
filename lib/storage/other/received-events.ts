import type { MessageQueue, WebhookMessage } from '../../delivery/outbox.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection } from '../connection/model.js';
import { createOutbox, GIVEN_UP_MESSAGES, messageFields } from './webhooks.js';

/** A security event from another service; its content is deleted once the event is processed. */
export const RECEIVED_EVENTS = defineCollection<WebhookMessage>({
  model: 'AuthorizationServerReceivedEvent',
  name: 'oauth_received_events',
  people: GIVEN_UP_MESSAGES,
  fields: messageFields,
  ttl: 'expiresAt',
  indexes: [[{ endpoint: 1, nextAt: 1 }]],
});

/** The document of an event also records its id, so that one insert both stores the event and detects a replay. */
export function createInbox(database: Database) {
  const messages = new Collection(database, RECEIVED_EVENTS);
  return {
    ...createOutbox(database, RECEIVED_EVENTS),
    /** False if any process has received the message before. The id is stored until the message expires. */
    receive: (message: WebhookMessage) => messages.insert(message),
    async remove({ id, until }) {
      await messages.updateOne(
        { _id: id, nextAt: until },
        { $set: { payload: '{}' }, $unset: { nextAt: '', isSending: '', problem: '' } },
      );
    },
    // this queue has no receiver that could be gone
    isStopped: () => Promise.resolve(false),
  } satisfies MessageQueue & Record<string, unknown>;
}
