import type { PushedRequest, PushedRequestStore } from '../../core/grants/pushed-request-store.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A pushed request, as stored. Its hash is the id, so it is unique even in a sharded collection. */
export interface StoredPushedRequest extends PushedRequest {
  readonly _id: string;
}

export const PUSHED_REQUESTS = defineCollection<StoredPushedRequest>({
  model: 'AuthorizationServerPushedRequest',
  name: 'oauth_pushed_requests',
  // the login_hint, and what else a client says about whom it expects
  people: {
    paths: { parameters: { person: 'subject', atEnd: 'delete', text: 'form' } },
    exported: 'clientId expiresAt',
  },
  fields: () => ({
    clientId: requiredType(String),
    parameters: requiredType(String),
    isSigned: { type: Boolean },
    promptKey: requiredType(String),
    keptUntil: requiredType(Date),
  }),
  ttl: 'expiresAt',
});

export function createPushedRequestStore(database: Database): PushedRequestStore {
  const requests = new Collection(database, PUSHED_REQUESTS);

  return {
    insert: async (id, request) => void (await requests.insert({ _id: id, ...request })),
    async open(id, now) {
      const found = await requests.findOne({ _id: id });
      if (found === null || found.expiresAt <= now) return null;
      // opened for the first time: a login takes longer than a redirect (RFC 9126 §4 speaks of reloads)
      if (found.expiresAt < found.keptUntil)
        await requests.updateOne({ _id: id }, { $set: { expiresAt: found.keptUntil } });
      return found;
    },
    remove: (id) => requests.deleteOne({ _id: id }),
  };
}
