import type { Connection } from 'mongoose';

import { serverOptionError } from '../../settings/table/parse-options.js';

/** The issuer of a connection, and how many of its servers use the connection. */
interface Use {
  readonly issuer: string;
  readonly servers: number;
}

const uses = new WeakMap<Connection, Use>();

/**
 * Takes a connection for an issuer. Stored documents do not say whose they are: a code, token or consent of one issuer
 * would be good at another one, with other users and clients. Several servers of one issuer may share it.
 *
 * @returns a function that releases it, once
 * @throws TypeError if the connection has another issuer
 */
export function takeConnection(connection: Connection, issuer: string): () => void {
  const { issuer: taken = issuer, servers = 0 } = uses.get(connection) ?? {};
  if (taken !== issuer)
    throw serverOptionError(
      'connection',
      `${taken} is on this connection already, and two issuers there would take each other's tokens and consents; give each a database of its own: connection.useDb('another_name')`,
    );
  uses.set(connection, { issuer, servers: servers + 1 });
  let isTaken = true;
  return () => {
    const use = uses.get(connection);
    if (!isTaken || use === undefined) return;
    isTaken = false;
    if (use.servers === 1) uses.delete(connection);
    else uses.set(connection, { ...use, servers: use.servers - 1 });
  };
}
