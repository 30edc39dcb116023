import { directivesOf } from './content-policies.js';
import { type Finding, finding } from './finding.js';
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

/** Finds what the headers of the page where users type their passwords leave open. */
export function checkPageHeaders({ headers }: Response, url: string): Finding[] {
  const findings: Finding[] = [];
  if (canBeFramed(headers)) {
    findings.push(
      finding('serious', 'page.framing', {
        what: `the login page ${pageNameOf(url)} can be shown inside another site`,
        why: 'People can be made to click what they do not see (RFC 6749 §10.13).',
        cure: 'app.use(helmet())',
      }),
    );
  }
  if (headers.get('x-content-type-options') !== 'nosniff') {
    findings.push(
      finding('warning', 'page.nosniff', {
        what: 'the login page has no X-Content-Type-Options: nosniff',
        why: 'Browsers may take an upload for a script.',
        cure: 'app.use(helmet())',
      }),
    );
  }
  if (tellsAddress(headers)) {
    findings.push(
      finding('warning', 'page.referrer', {
        what: 'the login page has no Referrer-Policy, or one that tells its whole address to other sites',
        why: 'Its address holds the authorization request, and may be told to other sites (RFC 9700 §4.2).',
        cure: 'app.use(helmet())',
      }),
    );
  }
  if (url.startsWith('https:') && headers.get('strict-transport-security') === null) {
    findings.push(
      finding('warning', 'page.hsts', {
        what: 'the site sends no Strict-Transport-Security',
        why: 'The first request of a user may go by http:.',
        cure: 'app.use(helmet())',
      }),
    );
  }
  if (headers.get('access-control-allow-origin') !== null) {
    findings.push(
      finding('serious', 'page.cors', {
        what: 'the login page answers scripts of other sites (Access-Control-Allow-Origin)',
        why: 'They can read its form and log users in as somebody else.',
        cure: 'Use cors() on your API alone, not on the whole app.',
      }),
    );
  }
  return findings;
}

/** CSP Level 3 §6.4.2.2: where a policy has `frame-ancestors`, browsers pass over `X-Frame-Options`. */
function canBeFramed(headers: Headers): boolean {
  const ancestors = directivesOf(headers, 'frame-ancestors');
  if (ancestors.length > 0) return ancestors.every((sources) => sources.some(isAnySite));
  const options = listOf(headers, 'x-frame-options');
  return !options.some((option) => option === 'deny' || option === 'sameorigin');
}

/** `*`, or all that a scheme reaches. */
function isAnySite(source: string): boolean {
  return source === '*' || /^https?:$/i.test(source);
}

/** Referrer Policy §8.1: of several, the last that a browser knows counts. */
function tellsAddress(headers: Headers): boolean {
  const known = listOf(headers, 'referrer-policy').filter((policy) => Object.hasOwn(TELLS_ADDRESS, policy));
  return TELLS_ADDRESS[known.at(-1) ?? ''] ?? true;
}

function listOf(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((value) => value.trim().toLowerCase());
}
