import type { OAuthEvents } from '../../core/observability/events.js';
import type { Settings } from '../../settings/settings.js';
import type { DescribeRequest, FindWaitingRedirectUris } from './waiting-request.js';

/** The services of a server that its login page uses. */
export interface LoginServices {
  readonly settings: Settings;
  /** Whether the issuer is on loopback, so that the visitor is the developer. */
  readonly isLoopback: boolean;
  readonly events: Pick<OAuthEvents, 'emit'>;
  /** Undefined without OpenID Connect. */
  readonly sessions:
    { end(of: { readonly userId: string; readonly sid?: string }): Promise<number> } | undefined;
  readonly describeRequest: DescribeRequest;
  readonly findRedirectUris: FindWaitingRedirectUris;
}

/**
 * Servers by connection, which the site also gives to `createUsers`: `localLogin` may be called before the server
 * exists. A server in the options of `localLogin` is found by its `describeRequest`.
 */
export const loginServices = new WeakMap<object, LoginServices>();

/** @returns a function that removes the services, unless another server has replaced them */
export function offerLoginServices(connection: object, services: LoginServices): () => void {
  const keys = [connection, services.describeRequest];
  for (const key of keys) loginServices.set(key, services);
  return () => {
    for (const key of keys) if (loginServices.get(key) === services) loginServices.delete(key);
  };
}

/** The public path of `localLogin`'s logout page, by the same keys as its server. */
export const logoutPaths = new WeakMap<object, string>();

export function findLogoutPath(connection: object): string | undefined {
  const { describeRequest } = loginServices.get(connection) ?? {};
  return logoutPaths.get(connection) ?? (describeRequest && logoutPaths.get(describeRequest));
}
