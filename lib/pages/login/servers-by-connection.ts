import type { DescribeRequest, FindWaitingRedirectUris } from './waiting-request.js';

/** What a login page uses of a server: for whom somebody logs in, where its form may lead, and what errors tell. */
export interface LoginServices {
  /** Whether the issuer is on loopback: whoever sees its pages is the developer. */
  readonly isLoopback: boolean;
  readonly describeRequest: DescribeRequest;
  readonly findRedirectUris: FindWaitingRedirectUris;
}

/**
 * By the connection, which the site gives to `createUsers` as well: `localLogin` stands before the server in the app,
 * or is made before it. A site with users of its own may give it `describeRequest`, so they are found by that, too.
 */
const servers = new WeakMap<object, LoginServices>();

/** @param keys the connection or `describeRequest` of the server */
export function findLoginServices(...keys: readonly (object | undefined)[]): LoginServices | undefined {
  return keys.map((key) => key && servers.get(key)).find((services) => services !== undefined);
}

/** @returns a function that takes them back, unless another server has come in their place */
export function offerLoginServices(connection: object, services: LoginServices): () => void {
  const keys = [connection, services.describeRequest];
  for (const key of keys) servers.set(key, services);
  return () => {
    for (const key of keys) if (servers.get(key) === services) servers.delete(key);
  };
}

/** By the connection of the users: where `localLogin` asks whether to log out, as browsers see the path. */
const logoutPaths = new WeakMap<object, string>();

export function offerLogoutPath(connection: object, path: string): void {
  logoutPaths.set(connection, path);
}

export function findLogoutPath(connection: object): string | undefined {
  return logoutPaths.get(connection);
}
