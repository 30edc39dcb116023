import { TO_PEOPLE } from '../../delivery/new-messages.js';
import type { Outbox, OutboxPart, WebhookMessage } from '../../delivery/outbox.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { Collection, type Filter } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { type CollectionDefinition, defineCollection, requiredType } from '../connection/model.js';

/** The fields of a waiting message. */
export const messageFields = () => ({
  endpoint: requiredType(String),
  type: requiredType(String),
  about: String,
  payload: requiredType(String),
  createdAt: requiredType(Date),
  triedSince: requiredType(Date),
  attempts: requiredType(Number),
  nextAt: Date,
  isSending: Boolean,
  problem: String,
  failedAt: Date,
  stops: String,
});

/**
 * Waiting messages of a deleted user are still delivered, because they may tell a client of the logout, except mail to
 * the user. Messages that were given up are deleted.
 */
export const GIVEN_UP_MESSAGES: CollectionDefinition<WebhookMessage>['people'] = {
  paths: {
    payload: {
      person: 'subject',
      atEnd: 'delete',
      text: 'json',
      where: ({ nextAt, endpoint }) => nextAt === undefined || endpoint === TO_PEOPLE,
    },
  },
  exported: 'type endpoint createdAt failedAt',
};

export const WEBHOOKS = defineCollection<WebhookMessage>({
  model: 'AuthorizationServerWebhook',
  name: 'oauth_webhooks',
  people: GIVEN_UP_MESSAGES,
  fields: messageFields,
  ttl: 'expiresAt',
  sparse: [{ failedAt: -1 }, { stops: 1 }],
  indexes: [
    [{ endpoint: 1, nextAt: 1 }],
    [
      { endpoint: 1, about: 1, _id: 1 },
      { partialFilterExpression: { about: { $exists: true }, nextAt: { $exists: true } } },
    ],
  ],
});

const FOR_GOOD = { nextAt: '', isSending: '' } as const;

export function createOutbox(
  database: Database,
  collection: CollectionDefinition<WebhookMessage> = WEBHOOKS,
) {
  const messages = new Collection(database, collection);

  return {
    add: (batch) => messages.insertAll(batch),
    findDue(endpoint: string, now: Date, limit: number, type?: string) {
      const due = withoutUndefined({ endpoint, nextAt: { $lte: now }, type });
      return messages.find(due, { sort: { nextAt: 1 }, limit });
    },
    /** The ids among these of messages that wait for a receiver. */
    async findWaiting(endpoint: string, ids: readonly string[]): Promise<readonly string[]> {
      if (ids.length === 0) return [];
      const waiting = await messages.find({ _id: { $in: ids }, endpoint }, { projection: { _id: 1 } });
      return waiting.map(({ _id }) => _id);
    },
    async acknowledge(endpoint, ids) {
      if (ids.length > 0) await messages.deleteMany({ _id: { $in: ids }, endpoint });
    },
    /** Deletes waiting messages. */
    async discard(part: OutboxPart): Promise<void> {
      await messages.deleteMany(filterOf(part));
    },
    /** Makes waiting messages due now, for `to.endpoint`. */
    async transfer(part: OutboxPart, to: { readonly endpoint: string; readonly nextAt: Date }) {
      await messages.updateMany(filterOf(part), { $set: to, $unset: { isSending: '' } });
    },
    lease: ({ _id, nextAt }, until) =>
      messages.updateOne({ _id, nextAt: nextAt ?? null }, { $set: { nextAt: until, isSending: true } }),
    async findOlder({ endpoint, about, _id }) {
      if (about === undefined) return null;
      return messages.findOne({ endpoint, about, _id: { $lt: _id }, nextAt: { $exists: true } });
    },
    async remove({ id, until }) {
      await messages.deleteOne({ _id: id, nextAt: until });
    },
    async putOff({ id, until }, { problem, ...to }) {
      await messages.updateOne(
        { _id: id, nextAt: until },
        { $set: { ...to, problem }, $unset: { isSending: '' } },
      );
    },
    async giveUp({ id, until }, as) {
      await messages.updateOne({ _id: id, nextAt: until }, { $set: as, $unset: FOR_GOOD });
    },
    isStopped: async (stops) => (await messages.findOne({ stops }, { _id: 1 })) !== null,
    giveUpAll: (endpoint, as) =>
      messages.updateMany(
        { endpoint, nextAt: { $exists: true }, isSending: { $ne: true } },
        { $set: as, $unset: FOR_GOOD },
      ),
    /** The newest messages first; with `isFailed` only those that were given up. */
    list: ({ isFailed = false, limit }: { readonly isFailed?: boolean; readonly limit: number }) =>
      isFailed
        ? messages.find({ failedAt: { $exists: true } }, { sort: { failedAt: -1 }, limit })
        : messages.find({}, { sort: { _id: -1 }, limit }),
    /** Makes waiting and given-up messages due now, except those being sent. Returns their number. */
    async retry(
      which: { readonly id: string } | { readonly endpoint: string },
      { now, expiresAt }: { readonly now: Date; readonly expiresAt: Date },
    ): Promise<number> {
      const of = 'id' in which ? { _id: which.id } : { endpoint: which.endpoint };
      // retrying one message trusts its receiver, too: another message that got a 410 would stop this one again
      const one = 'id' in which ? await messages.findOne(of, { endpoint: 1 }) : null;
      if (one !== null)
        await messages.updateMany(
          { endpoint: one.endpoint, stops: { $exists: true } },
          { $unset: { stops: '' } },
        );
      return messages.updateMany(
        { ...of, isSending: { $ne: true } },
        {
          $set: { nextAt: now, triedSince: now, expiresAt },
          $unset: { failedAt: '', problem: '', stops: '' },
        },
      );
    },
  } satisfies Outbox & Record<string, unknown>;
}

function filterOf({ endpoint, aboutPrefix }: OutboxPart): Filter {
  const about = { $gte: aboutPrefix, $lt: `${aboutPrefix}\uffff` };
  return { endpoint, about, nextAt: { $exists: true } };
}
