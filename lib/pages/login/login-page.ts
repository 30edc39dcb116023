import type { RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

import { formTargetOf } from '../rendering/form-targets.js';
import type { FindWaitingRedirectUris } from './waiting-request.js';

/** Matches the directive up to the next one, or to the next policy in the same header; the rest is left as it is. */
const FORM_ACTION = /(?<=^|[;,])(\s*form-action)(\s[^;,]*)(?=[;,]|$)/gi;

/**
 * Changes a Content-Security-Policy header so that forms may lead to these sources as well. If a policy says nothing
 * about forms, they may lead anywhere; if it forbids them all (`'none'`), there is nothing to widen.
 *
 * @see CSP Level 3 §2.2.1, §6.4.2 (form-action, which does not fall back to default-src)
 */
export function widenFormAction(policy: string, sources: readonly string[]): string {
  return policy.replace(FORM_ACTION, (directive: string, name: string, value: string) => {
    const allowed = value.trim().split(/\s+/);
    if (allowed[0] === '' || allowed.some((source) => source.toLowerCase() === "'none'")) return directive;
    const missing = sources.filter((source) => !allowed.includes(source));
    return [`${name}${value.trimEnd()}`, ...missing].join(' ');
  });
}

const POLICY = 'Content-Security-Policy';

/**
 * Lets the form of a site's own login page lead on to the client that waits for the login: browsers apply the page's
 * `form-action` to the redirects after a form. The request in the address or in a cookie is checked as the
 * authorization endpoint checks it, so only the registered redirect URI of an existing client gets in.
 */
export function createLoginPage(findRedirectUris: FindWaitingRedirectUris): RequestHandler {
  return function letFormLeadToClient(req, res, next) {
    findRedirectUris(req, res).then((redirectUris) => {
      const targets = redirectUris.flatMap((uri) => formTargetOf(uri) ?? []);
      // as late as possible: the policy may be set before this or after it
      if (targets.length > 0) onHeaders(res, () => widenPolicies(res, [...new Set(targets)]));
      next();
    }, next);
  };
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
