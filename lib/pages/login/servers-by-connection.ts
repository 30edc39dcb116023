import type { OAuthEvents } from '../../core/observability/events.js';
import type { Settings } from '../../settings/settings.js';
import type { DescribeRequest, FindWaitingRedirectUris } from './waiting-request.js';

/** What a login page uses of a server: its options and events, and for whom somebody logs in. */
export interface LoginServices {
  readonly settings: Settings;
  /** Whether the issuer is on loopback: whoever sees its pages is the developer. */
  readonly isLoopback: boolean;
  readonly events: Pick<OAuthEvents, 'emit'>;
  /** Undefined if the server signs nobody in at other sites. */
  readonly sessions:
    { end(of: { readonly userId: string; readonly sid?: string }): Promise<number> } | undefined;
  readonly describeRequest: DescribeRequest;
  readonly findRedirectUris: FindWaitingRedirectUris;
}

/**
 * By the connection, which the site gives to `createUsers` as well: `localLogin` may be made before the server. A
 * server that is an option of `localLogin` is found by its `describeRequest`.
 */
export const loginServices = new WeakMap<object, LoginServices>();

/** @returns a function that takes them back, unless another server has come in their place */
export function offerLoginServices(connection: object, services: LoginServices): () => void {
  const keys = [connection, services.describeRequest];
  for (const key of keys) loginServices.set(key, services);
  return () => {
    for (const key of keys) if (loginServices.get(key) === services) loginServices.delete(key);
  };
}

/** Where `localLogin` asks whether to log out, as browsers see the path; found as it finds its server. */
export const logoutPaths = new WeakMap<object, string>();

export function findLogoutPath(connection: object): string | undefined {
  const { describeRequest } = loginServices.get(connection) ?? {};
  return logoutPaths.get(connection) ?? (describeRequest && logoutPaths.get(describeRequest));
}
