import type { Inbox } from '../../core/delivery/outbox.js';
import { openCollection, SCHEMA_OPTIONS } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import type { CollectionDefinition } from '../connection/model.js';
import { createOutbox, GIVEN_UP_MESSAGES, MESSAGE_FIELDS, type StoredWebhook } from './webhooks.js';

/** A security event that another service has sent; what it says is deleted once the event is acted on. */
export type StoredReceivedEvent = StoredWebhook;

export const RECEIVED_EVENTS: CollectionDefinition<StoredReceivedEvent> = {
  model: 'AuthorizationServerReceivedEvent',
  name: 'oauth_received_events',
  people: GIVEN_UP_MESSAGES,
  schema: ({ Schema }) =>
    new Schema<StoredReceivedEvent>(MESSAGE_FIELDS, SCHEMA_OPTIONS)
      .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
      .index({ endpoint: 1, nextAt: 1 }),
};

/** The document of an event is the record of its id as well, so that one insert both keeps it and finds a replay. */
export function createInbox(database: Database): Inbox {
  const messages = openCollection(database, RECEIVED_EVENTS);
  const stored = createOutbox(database, RECEIVED_EVENTS);
  return {
    findDue: (...query) => stored.findDue(...query),
    lease: (...message) => stored.lease(...message),
    findOlder: (message) => stored.findOlder(message),
    putOff: (...to) => stored.putOff(...to),
    giveUp: (...as) => stored.giveUp(...as),
    giveUpAll: (...as) => stored.giveUpAll(...as),
    receive: ({ id, ...message }) => messages.insert({ _id: id, ...message }),
    async remove({ id, until }) {
      await messages.updateOne(
        { _id: id, nextAt: until },
        { $set: { payload: '{}' }, $unset: { nextAt: '', isSending: '', problem: '' } },
      );
    },
    // no receiver of these has gone
    isStopped: () => Promise.resolve(false),
  };
}
