import type { LocalLoginSettings } from './local-login-options.js';
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

export function findLoginServices({ users: { connection }, describeRequest }: LocalLoginSettings) {
  const found = connection && servers.get(connection);
  return found ?? (describeRequest && servers.get(describeRequest));
}

/** @returns a function that takes them back, unless another server has come in their place */
export function offerLoginServices(connection: object, services: LoginServices): () => void {
  const keys = [connection, services.describeRequest];
  for (const key of keys) servers.set(key, services);
  return () => {
    for (const key of keys) if (servers.get(key) === services) servers.delete(key);
  };
}

/** Where `localLogin` asks whether to log out, as browsers see the path; found as it finds its server. */
const logoutPaths = new WeakMap<object, string>();

export function offerLogoutPath(
  { users: { connection }, describeRequest }: LocalLoginSettings,
  path: string,
): void {
  for (const key of [connection, describeRequest]) if (key !== undefined) logoutPaths.set(key, path);
}

export function findLogoutPath(connection: object): string | undefined {
  const { describeRequest } = servers.get(connection) ?? {};
  return logoutPaths.get(connection) ?? (describeRequest && logoutPaths.get(describeRequest));
}
