import type { RequestHandler } from 'express';

import type { DescribeRequest } from './waiting-request.js';

/** What a login page uses of a server: for whom somebody logs in, and where its form may lead. */
export interface LoginServices {
  readonly describeRequest: DescribeRequest;
  readonly loginPage: RequestHandler;
}

/**
 * By the connection, which the host gives to `createUsers` as well: `localLogin` stands before the server in the app, or
 * is made before it.
 */
const servers = new WeakMap<object, LoginServices>();

export function findLoginServices(connection: object | undefined): LoginServices | undefined {
  return connection && servers.get(connection);
}

/** @returns a function that takes them back, unless another server has come in their place */
export function offerLoginServices(connection: object, services: LoginServices): () => void {
  servers.set(connection, services);
  return () => void (servers.get(connection) === services && servers.delete(connection));
}
