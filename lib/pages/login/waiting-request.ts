import type { Request, Response } from 'express';

import type { ResolveDependencies } from '../../core/authorization/authorization-request.js';
import { consentClientOf } from '../../core/authorization/consent-client.js';
import { RequestNeedsLogin } from '../../core/authorization/request-source.js';
import { resolveRequest } from '../../core/authorization/resolve-request.js';
import { queryOf } from '../../core/http/query.js';
import type { Report } from '../../core/observability/report.js';
import {
  findReturnTo,
  isReference,
  type ReturnToSettings,
  safeReturnPath,
} from '../../core/sessions/return-to.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { toOAuthError } from '../../shared/errors.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Form } from '../../shared/protocol/parameters.js';
import { parseReturnPath } from './return-path.js';

/** The client for which somebody logs in. */
export interface RequestDescription {
  readonly clientId: string;
  /** What the client calls itself: text, not escaped yet. */
  readonly clientName: string;
  /** Whether the users of this site vouch for the client. */
  readonly isVerified: boolean;
  /** Who stands behind the client, if an administrator has said so of a verified one: text, not escaped yet. */
  readonly publisher?: string;
}

/** `undefined` if no client waits, or if its request is wrong: users who go back to it read there what is wrong. */
export type DescribeRequest = (req: Request, res: Response) => Promise<RequestDescription | undefined>;

/** The registered redirect URIs to which the requests that wait for a login may be answered. */
export type FindWaitingRedirectUris = (req: Request, res: Response) => Promise<readonly string[]>;

/** What a login page asks of the requests that wait: the client of the first, and where each may be answered. */
export function createWaitingRequests({
  settings,
  resolveDependencies,
  report,
}: {
  readonly settings: ReturnToSettings;
  readonly resolveDependencies: ResolveDependencies;
  readonly report: Report;
}) {
  /**
   * The request of a query, checked as the authorization endpoint checks it, or one that is not fetched before the
   * login; undefined if it must not be answered with a redirect.
   */
  const findRequest = async (query: Form, req: Request, res: Response) => {
    try {
      // nothing is fetched for a login page: whoever opens it may be anybody
      const getCaller = (): FetchCaller => ({ ip: '', isVisitor: true });
      return await resolveRequest(query, { ...resolveDependencies, getCaller }, new Date());
    } catch (error) {
      if (error instanceof RequestNeedsLogin) return error;
      if (toOAuthError(error).status >= 500) report(error, { endpoint: 'login', req, res });
      return undefined;
    }
  };
  return {
    describeRequest: async (req: Request, res: Response): ReturnType<DescribeRequest> => {
      const [first] = findWaitingQueries(settings, req);
      const client = first && (await findRequest(first, req, res))?.client;
      if (client === undefined) return undefined;
      const { clientId, name, publisher } = consentClientOf(client);
      const isVerified = client.verified === true;
      return { clientId, clientName: name, isVerified, ...(publisher !== undefined && { publisher }) };
    },
    findRedirectUris: async (req: Request, res: Response): ReturnType<FindWaitingRedirectUris> => {
      const queries = findWaitingQueries(settings, req);
      const found = await Promise.all(queries.map((query) => findRequest(query, req, res)));
      return found.flatMap((request) => {
        if (request === undefined) return [];
        // a request that is not fetched yet may name any that its client has registered
        return 'redirectUri' in request ? [request.redirectUri] : request.client.redirectUris;
      });
    },
  };
}

/** The queries of the requests that wait for a login: in the address of the login page, and in the return cookie. */
function findWaitingQueries(settings: ReturnToSettings, req: Request): Form[] {
  const authorize = pathOf(settings, 'authorize');
  // all of the address: the site may call the parameter with the way back anything, and each request has a client_id
  let inAddress: readonly unknown[] = [];
  try {
    if (req.url.includes('client_id')) inAddress = Object.values(queryOf(req));
  } catch {
    // an address that cannot be read names no request
  }
  const paths = new Set(inAddress.filter((value) => typeof value === 'string'));
  paths.add(findReturnTo(settings, req) ?? '');
  return (
    [...paths]
      .filter((path) => path.split('?')[0] === authorize && safeReturnPath(path, '') !== '')
      .map(parseReturnPath)
      // the request itself is in the cookie
      .filter((query) => !isReference(query))
  );
}
