import type { Answer, Metadata } from '../metadata.js';
import type { ReportFinding } from './finding.js';
import { allowsForeignOrigin, describeAnswer, postForm, sendPreflight, urlIn } from './requests.js';

/** Endpoints that accept a form by POST. Registration is left out, because it would leave a client behind. */
const ENDPOINTS = [
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
];
const FIRST_LINE =
  'Write app.use(oauth.clientRouter) as the first line of the app, before sessions, CSRF checks, limits, cors() and logins; and app.use(oauth.pageRouter) after the session.';
/** The errors of RFC 6749 §5.2 and its extensions. */
const OAUTH_ERROR = /^(invalid_|unsupported_|unauthorized_client$|temporarily_|server_error$|slow_down$)/;

/** Possible obstacles before an endpoint, recognized by the response; the first match counts. */
const CAUSES: readonly {
  readonly check: string;
  readonly fits: (answer: Answer) => boolean;
  readonly answers: (answer: Answer) => string;
  readonly why: string;
  readonly cure?: string;
}[] = [
  {
    check: 'endpoint.silent',
    fits: ({ failure }) => failure !== undefined,
    answers: describeAnswer,
    why: 'Clients get no token.',
    cure: 'Look into the log of the site, and what stands before it.',
  },
  {
    check: 'endpoint.trust-proxy',
    fits: ({ json }) => isOAuthError(json),
    answers: () => 'the request came by https:, and the site takes it for one without TLS',
    why: 'A proxy before the site ends TLS, and what it says of that is not believed: everything is refused.',
    cure: "app.set('trust proxy', 1) for one proxy, and let it send X-Forwarded-Proto.",
  },
  {
    check: 'endpoint.login-wall',
    fits: ({ status }) => status >= 300 && status < 400,
    answers: describeAnswer,
    why: 'Something before it sends away whoever has no login. Clients have none, and get no token.',
  },
  {
    check: 'endpoint.login-wall',
    fits: ({ status }) => status === 401,
    answers: () => '401, by something that wants a login of its own',
    why: 'Something before it asks for a login. Clients have none, and get no token.',
  },
  {
    check: 'endpoint.csrf',
    fits: ({ status, text }) => status === 403 || /csrf/i.test(text),
    answers: ({ status }) => `${status}, as CSRF checks answer`,
    why: 'Something before it asks for a token of the session, against forms of other sites. Clients have none, and get no token.',
  },
  {
    check: 'endpoint.limit',
    fits: ({ status }) => status === 429,
    answers: () => '429, and not by the authorization server',
    why: 'Something before it counts requests by address; all users of a client come from one, that of its server.',
  },
  {
    check: 'endpoint.catch-all',
    fits: ({ status }) => status < 300 || status === 404 || status === 405,
    answers: ({ status, headers }) =>
      `${status}${headers.get('content-type')?.includes('html') ? ' with a page' : ''}, by something else than the authorization server`,
    why: 'A route of the site, such as a catch-all, answers before it is reached, or it is not mounted there.',
  },
  {
    check: 'endpoint.other',
    fits: () => true,
    answers: ({ status }) => `${status}, which is no answer of OAuth`,
    why: 'Something before it answers, or the site is in trouble: its log says why.',
  },
];

/**
 * Checks that clients reach their endpoints: it posts an invalid request, and expects an OAuth error. Other responses
 * are reported with their cause.
 */
export async function checkClientEndpoints(
  report: ReportFinding,
  issuer: string,
  metadata: Metadata,
  ofMetadata: Headers,
): Promise<void> {
  // each obstacle once, with all endpoints that it affects
  const obstacles = new Map<
    string,
    { readonly obstacle: Parameters<ReportFinding>; readonly endpoints: string[] }
  >();
  const reportAt =
    (endpoint: string): ReportFinding =>
    (...obstacle) => {
      if (obstacle[0] === false) return;
      const key = `${obstacle[1]} ${obstacle[2].what}`;
      const { endpoints } = obstacles.get(key) ?? { endpoints: [] };
      obstacles.set(key, { obstacle, endpoints: [...endpoints, endpoint] });
    };
  reportTraces(reportAt('the metadata'), ofMetadata);
  for (const name of ENDPOINTS) {
    const url = urlIn(metadata[name]);
    // the options allow no other origin
    if (url === undefined || new URL(url).origin !== new URL(issuer).origin) continue;
    const { pathname } = new URL(url);
    const answer = await postForm(url, { grant_type: 'doctor', token: 'doctor' });
    const isWithoutTls = /requires TLS/.test(String(answer.json?.error_description));
    if (!isOAuthError(answer.json) || isWithoutTls) {
      const { check, answers, why, cure = FIRST_LINE } = CAUSES.find(({ fits }) => fits(answer))!;
      reportAt(pathname)('serious', check, { what: answers(answer), why, cure });
      continue;
    }
    reportTraces(reportAt(pathname), answer.headers);
    // introspection is for servers
    if (name === 'introspection_endpoint') continue;
    const preflight = await sendPreflight(url, 'authorization');
    if (preflight.failure === undefined && !allowsForeignOrigin(preflight))
      reportAt(pathname)('warning', 'endpoint.origins', {
        what: 'scripts of other origins may not call it',
        why: "The site's cors(), or what stands before it, has a list of origins: clients in browsers get no token.",
        cure: FIRST_LINE,
      });
  }
  for (const { obstacle, endpoints } of obstacles.values()) {
    const [severity, check, text] = obstacle;
    report(severity, check, { ...text, what: `${endpoints.join(', ')}: ${text.what}` });
  }
}

function isOAuthError(json: Metadata | undefined): boolean {
  return typeof json?.error === 'string' && OAUTH_ERROR.test(json.error);
}

/** Reports signs that a request has passed through the site's middleware. */
function reportTraces(report: ReportFinding, headers: Headers): void {
  const [cookie] = headers.getSetCookie();
  if (cookie !== undefined)
    report('warning', 'endpoint.cookie', {
      what: `a cookie is set, ${cookie.split('=', 1)[0]}`,
      why: 'Clients send no cookies back: with saveUninitialized: true each of their requests stores a session.',
      cure: `${FIRST_LINE} And session({ saveUninitialized: false }).`,
    });
  const limit = ['ratelimit', 'ratelimit-limit', 'x-ratelimit-limit'].find((name) => headers.has(name));
  if (limit !== undefined)
    report('warning', 'endpoint.counted', {
      what: `requests are counted by something of the site (${limit}: ${headers.get(limit)})`,
      why: 'All users of a client come from one address, that of its server: soon all of them are refused. Guesses are limited by the authorization server itself.',
      cure: FIRST_LINE,
    });
}
