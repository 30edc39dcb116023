import type { Connection } from 'mongoose';

import { serverOptionError } from '../../settings/table/parse-options.js';
import { lazy } from '../../shared/lazy.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { Collection } from '../connection/collection.js';
import { type Database, isDuplicateKey } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** One database has one issuer, so there is one id. */
const ID = 'issuer';
/** No document has this id. */
const NOBODY = 'nobody';

/** The issuer of all codes, tokens and consents in a database: one document, with a fixed id. */
export const ISSUERS = defineCollection<{ readonly _id: string; readonly issuer: string }>({
  model: 'AuthorizationServerIssuer',
  name: 'oauth_issuers',
  fields: () => ({ issuer: requiredType(String) }),
  // the first document makes the collection, which has no index: a database of a loopback issuer needs none
  options: { autoCreate: false },
});

/** Stores the issuer to which a database belongs. */
export function createIssuerStore(database: Database) {
  const issuers = new Collection(database, ISSUERS);
  const find = async () => (await issuers.findOne({ _id: ID }))?.issuer ?? null;
  return {
    /** Resolves to null if no issuer is recorded. */
    find,
    /** Records an issuer unless one is recorded already. Resolves to the recorded one. */
    async record(issuer: string): Promise<string> {
      try {
        const recorded = await issuers.findOneAndUpdate(
          { _id: ID },
          { $setOnInsert: { issuer } },
          { upsert: true },
        );
        if (recorded !== null) return recorded.issuer;
      } catch (error) {
        // another process has just recorded an issuer
        if (!isDuplicateKey(error)) throw error;
      }
      return (await find()) ?? issuer;
    },
    /** Resolves to false, and changes nothing, if `from` is not the recorded issuer. */
    rename: (from: string, to: string) =>
      issuers.updateOne({ _id: ID, issuer: from }, { $set: { issuer: to } }),
    /**
     * A write without a change. MongoDB acknowledges it like any other: once the majority of the members has all
     * previous writes of the primary.
     *
     * @throws OAuthError temporarily_unavailable (503)
     */
    async checkWrite() {
      await issuers.updateOne({ _id: NOBODY }, { $set: { issuer: '' } });
    },
  };
}

/** The issuer of a connection, and how many of its servers use the connection. */
const uses = new WeakMap<Connection, { readonly issuer: string; servers: number }>();

/**
 * Reserves a connection for an issuer. Stored documents do not name their issuer: a code, token or consent of one
 * issuer would be valid at another one, with other users and clients. Several servers of one issuer may share the
 * connection.
 *
 * @returns a function that releases it, once
 * @throws TypeError if the connection has another issuer
 */
export function takeConnection(connection: Connection, issuer: string): () => void {
  const use = uses.get(connection) ?? { issuer, servers: 0 };
  if (use.issuer !== issuer)
    throw serverOptionError(
      'connection',
      `${use.issuer} is on this connection already, and two issuers there would take each other's tokens and consents; give each a database of its own: connection.useDb('another_name')`,
    );
  uses.set(connection, use);
  use.servers += 1;
  return lazy(() => {
    use.servers -= 1;
    if (use.servers === 0) uses.delete(connection);
  });
}

/**
 * Records the issuer in its database, or compares it with the recorded one: two processes on one database may have
 * connections of their own, which `takeConnection` cannot see. A loopback issuer, whose port may change at each start,
 * is compared but never recorded.
 *
 * @throws TypeError if the database belongs to another issuer
 */
export async function checkIssuer(
  store: ReturnType<typeof createIssuerStore>,
  issuer: string,
  databaseName: string,
): Promise<void> {
  const recorded = await (isOnLoopback(issuer) ? store.find() : store.record(issuer));
  if (recorded === null || !isAnotherIssuer(recorded, issuer)) return;
  throw serverOptionError(
    'connection',
    `the database ${databaseName} belongs to ${recorded}, and two issuers there would take each other's tokens and consents; give ${issuer} a database of its own, or, if ${recorded} is the former name of this site, run: npx express-authorization-server issuer rename ${recorded} ${issuer}`,
  );
}

/** Whether two issuers would conflict in a database. Two on loopback are one site in development, on two ports. */
export function isAnotherIssuer(recorded: string, issuer: string): boolean {
  return recorded !== issuer && !(isOnLoopback(recorded) && isOnLoopback(issuer));
}

function isOnLoopback(issuer: string): boolean {
  return URL.canParse(issuer) && isLoopbackHost(new URL(issuer).hostname);
}
