import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

import { type RequestRules, resolveRequest } from '../../authorization/authorization-request.js';
import { findRequestName } from '../../authorization/return-path.js';
import { toOAuthError } from '../../errors.js';
import { widenFormAction } from '../../http/form-action.js';
import { queryOf } from '../../http/query.js';
import { safeReturnPath } from '../../http/return-path.js';
import { findWayBack, type WayBackSettings } from '../../http/way-back.js';
import type { Report } from '../../observability/report.js';
import type { Form } from '../../protocol/parameters.js';
import { formTargetOf } from '../../rendering/form-targets.js';
import { pathOf } from '../../settings/endpoint-urls.js';

const POLICY = 'Content-Security-Policy';

interface LoginPageDependencies {
  readonly settings: WayBackSettings;
  readonly rules: RequestRules;
  readonly report: Report;
}

/**
 * Lets the form of a host's own login page lead on to the client that waits for the login: browsers hold the redirects
 * after a form to the page's `form-action`. What the address or a cookie says of the request is checked as the
 * authorization endpoint checks it, so nothing but the registered redirect URI of a client that there is gets in.
 */
export function createLoginPage({ settings, rules, report }: LoginPageDependencies): RequestHandler {
  const findTarget = async (name: Form, req: Request, res: Response): Promise<string | undefined> => {
    try {
      return formTargetOf((await resolveRequest(name, rules)).redirectUri);
    } catch (refusal) {
      // whoever comes back with a wrong request reads what is wrong with it there
      if (toOAuthError(refusal).status >= 500) report(refusal, { endpoint: 'login', req, res });
      return undefined;
    }
  };
  return function letFormLeadToClient(req, res, next) {
    const names = findRequestNames(settings, req);
    if (names.length === 0) return next();
    Promise.all(names.map((name) => findTarget(name, req, res))).then((found) => {
      const targets = [...new Set(found.filter((target) => target !== undefined))];
      // as late as possible: the policy may be set before this or after it
      if (targets.length > 0) onHeaders(res, () => widenPolicies(res, targets));
      next();
    }, next);
  };
}

/** In the address, whatever the host calls the parameter, and in the cookie that keeps the way back. */
function findRequestNames(settings: WayBackSettings, req: Request): Form[] {
  const authorize = pathOf(settings, 'authorize');
  const isRequest = (path: string) => path.split('?')[0] === authorize && safeReturnPath(path, '') !== '';
  return [...new Set([...valuesOf(req), findWayBack(settings, req) ?? ''])]
    .filter(isRequest)
    .map(findRequestName);
}

function valuesOf(req: Request): readonly string[] {
  // a word that the name of each request has
  if (!req.url.includes('client_id')) return [];
  try {
    return Object.values(queryOf(req)).filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}

function widenPolicies(res: Response, targets: readonly string[]): void {
  const policies = res.getHeader(POLICY);
  if (policies === undefined) return;
  res.setHeader(
    POLICY,
    Array.isArray(policies)
      ? policies.map((policy) => widenFormAction(policy, targets))
      : widenFormAction(String(policies), targets),
  );
}
