import type { RequestHandler } from 'express';
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
 * authorization endpoint checks it, so only the registered redirect URI of an existing client gets in. Headers of a login
 * page that the site does not set are set as well.
 */
export function createLoginPage(findRedirectUris: FindWaitingRedirectUris): RequestHandler {
  return function letFormLeadToClient(req, res, next) {
    findRedirectUris(req, res).then((redirectUris) => {
      const targets = [...new Set(redirectUris.flatMap((uri) => formTargetOf(uri) ?? []))];
      // as late as possible: the headers may be set before this or after it
      onHeaders(res, () => {
        const policies = [res.getHeader(POLICY) ?? []].flat().map(String);
        if (policies.length > 0 && targets.length > 0)
          res.setHeader(
            POLICY,
            policies.map((policy) => widenFormAction(policy, targets)),
          );
        // RFC 6749 §10.13; browsers pass over it where a policy has `frame-ancestors` (CSP Level 3 §6.4.2.2)
        if (!res.hasHeader('X-Frame-Options') && !policies.some((policy) => /frame-ancestors/i.test(policy)))
          res.setHeader('X-Frame-Options', 'SAMEORIGIN');
        // RFC 9700 §4.2.4; what newer browsers do by default
        if (!res.hasHeader('Referrer-Policy'))
          res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
        // nothing that the path serves beside the page changes its meaning
        if (/^text\/html\b/i.test(String(res.getHeader('Content-Type'))))
          res.setHeader('X-Content-Type-Options', 'nosniff');
      });
      next();
    }, next);
  };
}
