import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A request that its client has sent itself, before the user comes with it (RFC 9126). */
export interface PushedRequest {
  /** The hash of the last part of its `request_uri`: unique even in a sharded collection. */
  readonly _id: string;
  readonly clientId: string;
  /** Its parameters as they were sent, without those that prove who the client is. */
  readonly parameters: string;
  /** Whether the client has signed them (RFC 9101). */
  readonly isSigned?: boolean;
  /** The key that signs which prompts have been answered, so that nobody can write that into an address. */
  readonly promptKey: string;
  /** Until when a user may open it. */
  readonly expiresAt: Date;
  /** Until when a user who has opened it may decide. */
  readonly keptUntil: Date;
}

export type PushedRequestStore = ReturnType<typeof createPushedRequestStore>;

export const PUSHED_REQUESTS = defineCollection<PushedRequest>({
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

export function createPushedRequestStore(database: Database) {
  const requests = new Collection(database, PUSHED_REQUESTS);

  return {
    insert: (request: PushedRequest) => requests.insert(request),
    /** The request if it may be opened, or is open: from then on it lives for as long as users may take to decide. */
    async open(id: string, now: Date): Promise<PushedRequest | null> {
      const found = await requests.findOne({ _id: id });
      if (found === null || found.expiresAt <= now) return null;
      // opened for the first time: a login takes longer than a redirect (RFC 9126 §4 speaks of reloads)
      if (found.expiresAt < found.keptUntil)
        await requests.updateOne({ _id: id }, { $set: { expiresAt: found.keptUntil } });
      return found;
    },
    /** False if it has been used. */
    remove: (id: string) => requests.deleteOne({ _id: id }),
  };
}
