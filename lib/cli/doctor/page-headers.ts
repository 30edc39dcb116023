import { directivesOf } from './content-policies.js';
import type { ReportFinding } from './finding.js';
import { pageNameOf } from './login-form.js';

/** Whether other sites learn more than the origin. (Referrer Policy §3) */
const TELLS_ADDRESS: Readonly<Record<string, boolean>> = {
  'no-referrer': false,
  'same-origin': false,
  origin: false,
  'strict-origin': false,
  'origin-when-cross-origin': false,
  'strict-origin-when-cross-origin': false,
  'no-referrer-when-downgrade': true,
  'unsafe-url': true,
};

/** `*`, or any host of a scheme. */
const ANY_SITE = /^(\*|https?:)$/i;

/** `oauth.loginPage` sets missing headers of the page. */
const BY_LOGIN_PAGE = "app.use('/login', oauth.loginPage) before the page sets it; or write";

/**
 * Finds weak headers of the login page.
 *
 * @param crossOrigin the headers of the same page for a script of another site
 */
export function checkPageHeaders(report: ReportFinding, headers: Headers, url: string, crossOrigin: Headers) {
  // CSP Level 3 §6.4.2.2: browsers ignore `X-Frame-Options` if a policy has `frame-ancestors`
  const ancestors = directivesOf(headers, 'frame-ancestors');
  const isRefused = listOf(headers, 'x-frame-options').some((option) => /^(deny|sameorigin)$/.test(option));
  if (
    ancestors.length > 0
      ? ancestors.every((sources) => sources.some((source) => ANY_SITE.test(source)))
      : !isRefused
  )
    report('serious', 'page.framing', {
      what: `the login page ${pageNameOf(url)} can be shown inside another site`,
      why: 'People can be made to click what they do not see (RFC 6749 §10.13).',
      cure:
        ancestors.length > 0
          ? "Write frame-ancestors 'self' in the Content-Security-Policy of the page."
          : `${BY_LOGIN_PAGE} res.set('X-Frame-Options', 'SAMEORIGIN').`,
    });
  report(headers.get('x-content-type-options') !== 'nosniff' && 'warning', 'page.nosniff', {
    what: 'the login page has no X-Content-Type-Options: nosniff',
    why: 'Browsers may take an upload for a script.',
    cure: `${BY_LOGIN_PAGE} res.set('X-Content-Type-Options', 'nosniff'), best for all of the site.`,
  });
  // Referrer Policy §8.1: the last known value counts
  const referrer = listOf(headers, 'referrer-policy').findLast((policy) =>
    Object.hasOwn(TELLS_ADDRESS, policy),
  );
  report((TELLS_ADDRESS[referrer ?? ''] ?? true) && 'warning', 'page.referrer', {
    what: 'the login page has no Referrer-Policy, or one that tells its whole address to other sites',
    why: 'Its address holds the authorization request, and may be told to other sites (RFC 9700 §4.2).',
    cure:
      referrer === undefined
        ? `${BY_LOGIN_PAGE} res.set('Referrer-Policy', 'strict-origin-when-cross-origin').`
        : `Write strict-origin-when-cross-origin in the place of ${referrer}.`,
  });
  const hasHsts = !url.startsWith('https:') || headers.get('strict-transport-security') !== null;
  report(!hasHsts && 'warning', 'page.hsts', {
    what: 'the site sends no Strict-Transport-Security',
    why: 'The first request of a user may go by http:.',
    cure: "Set it where TLS ends, or in the site: res.set('Strict-Transport-Security', 'max-age=31536000').",
  });
  const origin = crossOrigin.get('access-control-allow-origin');
  if (origin !== null) {
    // Fetch §4.10: with `*`, browsers send no cookies, so a script reads only what its own server could fetch
    const isWithCookies = origin !== '*' && crossOrigin.get('access-control-allow-credentials') === 'true';
    report(isWithCookies ? 'serious' : 'warning', 'page.cors', {
      what: `the login page answers scripts of other sites (Access-Control-Allow-Origin: ${origin}${isWithCookies ? ', with credentials' : ''})`,
      why: isWithCookies
        ? 'They can read its form and log users in as somebody else.'
        : 'They can read its form, as anybody can who is not logged in.',
      cure: "Move app.use(oauth.router), and the login page, before cors(). Or use cors() on your API alone: app.use('/api', cors()).",
    });
  }
}

function listOf(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((value) => value.trim().toLowerCase());
}
