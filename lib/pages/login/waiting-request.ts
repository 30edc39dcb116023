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

/** The client that waits for a login. */
export interface RequestDescription {
  readonly clientId: string;
  /** The client's name: plain text, not escaped. */
  readonly clientName: string;
  /** Whether the site has verified the client. */
  readonly isVerified: boolean;
  /** The publisher of a verified client, if an administrator has set it: plain text, not escaped. */
  readonly publisher?: string;
}

/** Undefined if no client waits, or its request is invalid: the authorization endpoint then shows the error. */
export type DescribeRequest = (req: Request, res: Response) => Promise<RequestDescription | undefined>;

/** The registered redirect URIs of the requests that wait for a login. */
export type FindWaitingRedirectUris = (req: Request, res: Response) => Promise<readonly string[]>;

/** Finds the waiting requests of a login page: the client of the first, and the redirect URIs of all. */
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
   * The request of a query, validated as at the authorization endpoint, or not fetched before the login; undefined if
   * it must not get a redirect.
   */
  const findRequest = async (query: Form, req: Request, res: Response) => {
    try {
      // a login page fetches nothing, because any visitor can open it
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
      const requests = await Promise.all(queries.map((query) => findRequest(query, req, res)));
      return requests.flatMap((request) => {
        if (request === undefined) return [];
        // a request that is not fetched may use any registered redirect URI
        return 'redirectUri' in request ? [request.redirectUri] : request.client.redirectUris;
      });
    },
  };
}

/** The queries of the waiting requests, in the address of the login page and in the return cookie. */
function findWaitingQueries(settings: ReturnToSettings, req: Request): Form[] {
  const authorize = pathOf(settings, 'authorize');
  // searches the whole address: the site may choose the parameter's name, and each request has a client_id
  let inAddress: readonly unknown[] = [];
  try {
    if (req.url.includes('client_id')) inAddress = Object.values(queryOf(req));
  } catch {
    // an invalid address has no request
  }
  const paths = new Set(inAddress.filter((value) => typeof value === 'string'));
  paths.add(findReturnTo(settings, req) ?? '');
  return (
    [...paths]
      .filter((path) => path.split('?')[0] === authorize && safeReturnPath(path, '') !== '')
      .map(parseReturnPath)
      // the cookie has the request itself
      .filter((query) => !isReference(query))
  );
}
