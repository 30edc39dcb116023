import type { Request, Response } from 'express';

import type { ResolveDependencies, ResolvedRequest } from '../../core/authorization/authorization-request.js';
import { type ConsentClient, consentClientOf } from '../../core/authorization/consent-client.js';
import { RequestNeedsLogin } from '../../core/authorization/request-source.js';
import { resolveRequest } from '../../core/authorization/resolve-request.js';
import { parseReturnPath } from '../../core/authorization/return-path.js';
import type { Client } from '../../core/clients/client.js';
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

export interface WaitingRequestDependencies {
  readonly settings: ReturnToSettings;
  readonly resolveDependencies: ResolveDependencies;
  readonly report: Report;
}

/**
 * A request that waits until somebody has logged in, checked as the authorization endpoint checks it, or one that is
 * not fetched before.
 */
export type WaitingRequest = ResolvedRequest | RequestNeedsLogin;

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

/** Finds the client for whose request somebody is to log in. */
export function createDescribeRequest(dependencies: WaitingRequestDependencies): DescribeRequest {
  return async (req, res) => {
    const [first] = findWaitingQueries(dependencies.settings, req);
    const client = first && (await findRequest(dependencies, first, { req, res }))?.client;
    return client && describe(consentClientOf(client), client);
  };
}

/** The registered redirect URIs to which the requests that wait for a login may be answered. */
export type FindWaitingRedirectUris = (req: Request, res: Response) => Promise<readonly string[]>;

export function createFindWaitingRedirectUris(
  dependencies: WaitingRequestDependencies,
): FindWaitingRedirectUris {
  return async (req, res) => {
    const queries = findWaitingQueries(dependencies.settings, req);
    const found = await Promise.all(queries.map((query) => findRequest(dependencies, query, { req, res })));
    return found.flatMap(redirectUrisOf);
  };
}

/** A request that is not fetched yet may name any that its client has registered. */
function redirectUrisOf(request: WaitingRequest | undefined): readonly string[] {
  if (request === undefined) return [];
  return 'redirectUri' in request ? [request.redirectUri] : request.client.redirectUris;
}

function describe({ clientId, name, publisher }: ConsentClient, { verified }: Client): RequestDescription {
  return {
    clientId,
    clientName: name,
    isVerified: verified === true,
    ...(publisher !== undefined && { publisher }),
  };
}

/** The queries of the requests that wait for a login: in the address of the login page, and in the return cookie. */
function findWaitingQueries(settings: ReturnToSettings, req: Request): Form[] {
  const authorize = pathOf(settings, 'authorize');
  const isRequest = (path: string) => path.split('?')[0] === authorize && safeReturnPath(path, '') !== '';
  return (
    [...new Set([...valuesOf(req), findReturnTo(settings, req) ?? ''])]
      .filter(isRequest)
      .map(parseReturnPath)
      // the request itself is in the cookie
      .filter((query) => !isReference(query))
  );
}

/** The request of a query; undefined if it must not be answered with a redirect. */
async function findRequest(
  { resolveDependencies, report }: WaitingRequestDependencies,
  query: Form,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<WaitingRequest | undefined> {
  try {
    return await resolveRequest(query, forVisitor(resolveDependencies), new Date());
  } catch (error) {
    if (error instanceof RequestNeedsLogin) return error;
    if (toOAuthError(error).status >= 500) report(error, { endpoint: 'login', req, res });
    return undefined;
  }
}

/** Nothing is fetched for a login page: whoever opens it may be anybody. */
function forVisitor(dependencies: ResolveDependencies): ResolveDependencies {
  const getCaller = (): FetchCaller => ({ ip: '', isVisitor: true });
  return { ...dependencies, getCaller, findClient: (id) => dependencies.findClient(id, getCaller) };
}

/** All of them: the site may call the parameter with the way back anything. */
function valuesOf(req: Request): readonly string[] {
  // the query of each request contains it
  if (!req.url.includes('client_id')) return [];
  try {
    return Object.values(queryOf(req)).filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}
