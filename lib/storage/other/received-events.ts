import type { MessageQueue, WebhookMessage } from '../../delivery/outbox.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection } from '../connection/model.js';
import { createOutbox, GIVEN_UP_MESSAGES, messageFields } from './webhooks.js';

/** A security event that another service has sent; what it says is deleted once the event is acted on. */
export const RECEIVED_EVENTS = defineCollection<WebhookMessage>({
  model: 'AuthorizationServerReceivedEvent',
  name: 'oauth_received_events',
  people: GIVEN_UP_MESSAGES,
  fields: messageFields,
  ttl: 'expiresAt',
  indexes: [[{ endpoint: 1, nextAt: 1 }]],
});

/** The document of an event is the record of its id as well, so that one insert both keeps it and finds a replay. */
export function createInbox(database: Database) {
  const messages = new Collection(database, RECEIVED_EVENTS);
  return {
    ...createOutbox(database, RECEIVED_EVENTS),
    /** False if it was received before, in any process. The id is stored until the message expires. */
    receive: (message: WebhookMessage) => messages.insert(message),
    async remove({ id, until }) {
      await messages.updateOne(
        { _id: id, nextAt: until },
        { $set: { payload: '{}' }, $unset: { nextAt: '', isSending: '', problem: '' } },
      );
    },
    // no receiver of these has gone
    isStopped: () => Promise.resolve(false),
  } satisfies MessageQueue & Record<string, unknown>;
}
