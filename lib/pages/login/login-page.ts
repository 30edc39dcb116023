import type { RequestHandler } from 'express';
import onHeaders from 'on-headers';

import { formTargetOf } from '../rendering/form-targets.js';
import type { FindWaitingRedirectUris } from './waiting-request.js';

/** Matches the directive up to the next directive or policy in the header. */
const FORM_ACTION = /(?<=^|[;,])(\s*form-action)(\s[^;,]*)(?=[;,]|$)/gi;

/**
 * Adds sources to `form-action` of a Content-Security-Policy header. A policy without the directive allows all targets
 * already; `'none'` is kept.
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
 * Lets the form of a site's login page redirect to the client that waits for the login: browsers apply
 * `form-action` to redirects after a form. Requests in the address and in the cookie are validated as at the
 * authorization endpoint, so only registered redirect URIs of existing clients are added. It also sets missing security
 * headers.
 */
export function createLoginPage(findRedirectUris: FindWaitingRedirectUris): RequestHandler {
  return function letFormLeadToClient(req, res, next) {
    findRedirectUris(req, res).then((redirectUris) => {
      const targets = [...new Set(redirectUris.flatMap((uri) => formTargetOf(uri) ?? []))];
      // as late as possible: the site may set the headers before or after this handler
      onHeaders(res, () => {
        const policies = [res.getHeader(POLICY) ?? []].flat().map(String);
        if (policies.length > 0 && targets.length > 0)
          res.setHeader(
            POLICY,
            policies.map((policy) => widenFormAction(policy, targets)),
          );
        // RFC 6749 §10.13; browsers ignore it if a policy has `frame-ancestors` (CSP Level 3 §6.4.2.2)
        if (!res.hasHeader('X-Frame-Options') && !policies.some((policy) => /frame-ancestors/i.test(policy)))
          res.setHeader('X-Frame-Options', 'SAMEORIGIN');
        // RFC 9700 §4.2.4; the default of newer browsers
        if (!res.hasHeader('Referrer-Policy'))
          res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
        // only for HTML, not for other content of the path
        if (/^text\/html\b/i.test(String(res.getHeader('Content-Type'))))
          res.setHeader('X-Content-Type-Options', 'nosniff');
      });
      next();
    }, next);
  };
}
