import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A request that a client has sent directly, before the user brings its `request_uri` (RFC 9126). */
export interface PushedRequest {
  /** The hash of the last part of its `request_uri`: unique even in a sharded collection. */
  readonly _id: string;
  readonly clientId: string;
  /** The parameters as they were sent, without the client's credentials. */
  readonly parameters: string;
  /** Whether the client has signed the parameters (RFC 9101). */
  readonly isSigned?: boolean;
  /** The key that signs which prompts are completed, so that nobody can forge this in an address. */
  readonly promptKey: string;
  /** Until when a user may open the request. */
  readonly expiresAt: Date;
  /** Until when a user who has opened the request may decide. */
  readonly keptUntil: Date;
}

export type PushedRequestStore = ReturnType<typeof createPushedRequestStore>;

export const PUSHED_REQUESTS = defineCollection<PushedRequest>({
  model: 'AuthorizationServerPushedRequest',
  name: 'oauth_pushed_requests',
  // the login_hint, and other parameters about the expected user
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
    /** The request if it may be opened, or is open: opening it gives users the time that they may take to decide. */
    async open(id: string, now: Date): Promise<PushedRequest | null> {
      const request = await requests.findOne({ _id: id });
      if (request === null || request.expiresAt <= now) return null;
      // opened for the first time: a login takes longer than a redirect (RFC 9126 §4 allows reloads)
      if (request.expiresAt < request.keptUntil)
        await requests.updateOne({ _id: id }, { $set: { expiresAt: request.keptUntil } });
      return request;
    },
    /** False if the request was used before. */
    remove: (id: string) => requests.deleteOne({ _id: id }),
  };
}
