import type { RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

import { widenFormAction } from '../../http/form-action.js';
import { formTargetOf } from '../../rendering/form-targets.js';
import {
  findRequest,
  findRequestNames,
  type WaitingRequest,
  type WaitingRequestDependencies,
} from './waiting-request.js';

const POLICY = 'Content-Security-Policy';

/**
 * Lets the form of a host's own login page lead on to the client that waits for the login: browsers apply the page's
 * `form-action` to the redirects after a form. The request in the address or in a cookie is checked as the
 * authorization endpoint checks it, so only the registered redirect URI of an existing client gets in.
 */
export function createLoginPage(dependencies: WaitingRequestDependencies): RequestHandler {
  return function letFormLeadToClient(req, res, next) {
    const names = findRequestNames(dependencies.settings, req);
    if (names.length === 0) return next();
    Promise.all(names.map((name) => findRequest(dependencies, name, { req, res }))).then((found) => {
      const targets = found.flatMap((request) =>
        redirectUrisOf(request).flatMap((uri) => formTargetOf(uri) ?? []),
      );
      // as late as possible: the policy may be set before this or after it
      if (targets.length > 0) onHeaders(res, () => widenPolicies(res, [...new Set(targets)]));
      next();
    }, next);
  };
}

/** A request that is not fetched yet may name any that its client has registered. */
function redirectUrisOf(request: WaitingRequest | undefined): readonly string[] {
  if (request === undefined) return [];
  return 'redirectUri' in request ? [request.redirectUri] : request.client.redirectUris;
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
