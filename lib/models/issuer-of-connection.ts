import type { Connection } from 'mongoose';

import { mistake } from '../settings/parse-options.js';

/** Which issuer a connection has, and how many servers of it are on it. */
interface Use {
  readonly issuer: string;
  readonly servers: number;
}

const uses = new WeakMap<Connection, Use>();

/**
 * Takes a connection for an issuer. What is stored does not say whose it is: a code, a token or a consent of one issuer
 * would be good at another one, whose people and clients are others. Several servers of one issuer may share it.
 *
 * @returns what gives it free again, once
 * @throws TypeError if the connection has another issuer
 */
export function takeConnection(connection: Connection, issuer: string): () => void {
  const { issuer: taken = issuer, servers = 0 } = uses.get(connection) ?? {};
  if (taken !== issuer)
    throw mistake(
      'authorizationServer',
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
