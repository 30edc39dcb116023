import type { Request, Response } from 'express';

import {
  type AuthorizationRequest,
  type RefusedRequest,
  type RequestRules,
} from '../../core/authorization/authorization-request.js';
import { resolveRequest } from '../../core/authorization/resolve-request.js';
import { findRequestName } from '../../core/authorization/return-path.js';
import { UnreadRequest } from '../../core/authorization/unread-request.js';
import { queryOf } from '../../core/http/query.js';
import type { Report } from '../../core/observability/report.js';
import { safeReturnPath } from '../../core/sessions/return-path.js';
import { isReference } from '../../core/sessions/return-reference.js';
import { findReturnTo, type ReturnToSettings } from '../../core/sessions/return-to.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { toOAuthError } from '../../shared/errors.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Form } from '../../shared/protocol/parameters.js';

export interface WaitingRequestDependencies {
  readonly settings: ReturnToSettings;
  readonly rules: RequestRules;
  readonly report: Report;
}

/**
 * A request that waits until somebody has logged in, checked as the authorization endpoint checks it, or one that is not
 * fetched before.
 */
export type WaitingRequest = AuthorizationRequest | RefusedRequest | UnreadRequest;

/** The client for which somebody logs in. */
export interface RequestDescription {
  readonly clientId: string;
  /** What the client calls itself: text, not escaped yet. */
  readonly clientName: string;
  /** Whether the people of this site vouch for the client. */
  readonly isVerified: boolean;
}

/** `undefined` if no client waits, or if its request is wrong: people who go back to it read there what is wrong. */
export type DescribeRequest = (req: Request, res: Response) => Promise<RequestDescription | undefined>;

/** Finds the client for whose request somebody is to log in. */
export function createDescribeRequest(dependencies: WaitingRequestDependencies): DescribeRequest {
  return async (req, res) => {
    const [first] = findRequestNames(dependencies.settings, req);
    const client = first && (await findRequest(dependencies, first, { req, res }))?.client;
    return (
      client && { clientId: client.clientId, clientName: client.name, isVerified: client.verified === true }
    );
  };
}

/** The names of the requests that wait for a login page: in its address, and in the cookie of the way back. */
export function findRequestNames(settings: ReturnToSettings, req: Request): Form[] {
  const authorize = pathOf(settings, 'authorize');
  const isRequest = (path: string) => path.split('?')[0] === authorize && safeReturnPath(path, '') !== '';
  return (
    [...new Set([...valuesOf(req), findReturnTo(settings, req) ?? ''])]
      .filter(isRequest)
      .map(findRequestName)
      // the request itself is in the cookie
      .filter((name) => !isReference(name))
  );
}

/** The request of that name; undefined if it must not be answered with a redirect. */
export async function findRequest(
  { rules, report }: WaitingRequestDependencies,
  name: Form,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<WaitingRequest | undefined> {
  try {
    return await resolveRequest(name, forVisitor(rules), new Date());
  } catch (refusal) {
    if (refusal instanceof UnreadRequest) return refusal;
    if (toOAuthError(refusal).status >= 500) report(refusal, { endpoint: 'login', req, res });
    return undefined;
  }
}

/** Nothing is fetched for a login page: whoever opens it may be anybody. */
function forVisitor(rules: RequestRules): RequestRules {
  const getCaller = (): FetchCaller => ({ ip: '', isVisitor: true });
  return { ...rules, getCaller, findClient: (id) => rules.findClient(id, getCaller) };
}

/** All of them: the host may call the parameter with the way back anything. */
function valuesOf(req: Request): readonly string[] {
  // the name of each request contains it
  if (!req.url.includes('client_id')) return [];
  try {
    return Object.values(queryOf(req)).filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}
