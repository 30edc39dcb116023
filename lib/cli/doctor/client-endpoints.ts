import { fetchOnce } from '../metadata.js';
import { type Finding, finding, type Severity } from './finding.js';

type Metadata = Readonly<Record<string, unknown>>;
type Answer = Pick<Response, 'status' | 'headers'> & { readonly text: string };

/** Endpoints that answer a form sent by POST. Registration is left out, because it would leave a client behind. */
const ENDPOINTS = [
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
];
/** An origin that a list of origins would refuse. RFC 2606 §2: nobody has it */
const FOREIGN_ORIGIN = 'https://doctor.invalid';
const FIRST_LINE =
  'Write app.use(oauth.clientRouter) as the first line of the app, before sessions, CSRF checks, limits, cors() and logins; and app.use(oauth.pageRouter) after the session.';

/** Something in front of an endpoint, or in its place. */
interface Obstacle {
  readonly severity: Severity;
  readonly check: string;
  /** How the endpoints answer. */
  readonly answers: string;
  readonly why: string;
  readonly cure: string;
}

/**
 * Whether clients reach the endpoints that they call: it posts nonsense there and expects an OAuth error. Answers of
 * something else in front of them are reported with their cause.
 */
export async function checkClientEndpoints(
  issuer: string,
  metadata: Metadata,
  ofMetadata: Headers,
): Promise<Finding[]> {
  const { origin } = new URL(issuer);
  const found = new Map<string, { readonly obstacle: Obstacle; readonly endpoints: string[] }>();
  const note = (obstacle: Obstacle, endpoint: string) => {
    const key = `${obstacle.check} ${obstacle.answers}`;
    const known = found.get(key) ?? { obstacle, endpoints: [] };
    known.endpoints.push(endpoint);
    found.set(key, known);
  };
  for (const obstacle of traces(ofMetadata)) note(obstacle, 'the metadata');
  for (const name of ENDPOINTS) {
    const url = metadata[name];
    // the options allow no other origin
    if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).origin !== origin) continue;
    const path = new URL(url).pathname;
    for (const obstacle of await obstaclesAt(url, name)) note(obstacle, path);
  }
  return [...found.values()].map(({ obstacle: { severity, check, answers, why, cure }, endpoints }) =>
    finding(severity, check, { what: `${endpoints.join(', ')}: ${answers}`, why, cure }),
  );
}

async function obstaclesAt(url: string, name: string): Promise<readonly Obstacle[]> {
  const answer = await post(url).catch((error: unknown) => error as Error);
  if (answer instanceof Error) return [silent(answer)];
  const obstacle = obstacleOf(answer);
  if (obstacle !== undefined) return [obstacle];
  // introspection is for servers
  const preflight = name === 'introspection_endpoint' ? [] : await preflightAt(url);
  return [...traces(answer.headers), ...preflight];
}

async function post(url: string): Promise<Answer> {
  const response = await fetchOnce(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=doctor&token=doctor',
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** What is in front of an endpoint, going by the answer; the first one that fits. */
const CAUSES: readonly {
  readonly check: string;
  readonly fits: (answer: Answer) => boolean;
  readonly answers: (answer: Answer) => string;
  readonly why: string;
}[] = [
  {
    check: 'endpoint.login-wall',
    fits: ({ status }) => status >= 300 && status < 400,
    answers: ({ status, headers }) => `a redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`,
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

function obstacleOf(answer: Answer): Obstacle | undefined {
  const error = oauthErrorOf(answer.text);
  if (/requires TLS/.test(error?.error_description ?? '')) return noTls();
  if (error !== undefined) return undefined;
  const { check, answers, why } = CAUSES.find(({ fits }) => fits(answer))!;
  return { severity: 'serious', check, answers: answers(answer), why, cure: FIRST_LINE };
}

/** RFC 6749 §5.2 */
function oauthErrorOf(text: string): { readonly error_description?: string } | undefined {
  try {
    const body = JSON.parse(text) as { error?: unknown; error_description?: string } | null;
    const isOwn = /^(invalid_|unsupported_|unauthorized_client$|temporarily_|server_error$|slow_down$)/;
    return typeof body?.error === 'string' && isOwn.test(body.error) ? body : undefined;
  } catch {
    return undefined;
  }
}

function noTls(): Obstacle {
  return {
    severity: 'serious',
    check: 'endpoint.trust-proxy',
    answers: 'the request came by https:, and the site takes it for one without TLS',
    why: 'A proxy before the site ends TLS, and what it says of that is not believed: everything is refused.',
    cure: "app.set('trust proxy', 1) for one proxy, and let it send X-Forwarded-Proto.",
  };
}

function silent({ message, cause }: Error): Obstacle {
  return {
    severity: 'serious',
    check: 'endpoint.silent',
    answers: `no answer (${cause instanceof Error && cause.message !== '' ? cause.message : message})`,
    why: 'Clients get no token.',
    cure: 'Look into the log of the site, and what stands before it.',
  };
}

/** Signs that a request has passed through a middleware of the site. */
function traces(headers: Headers): readonly Obstacle[] {
  const found: Obstacle[] = [];
  const [cookie] = headers.getSetCookie();
  if (cookie !== undefined)
    found.push({
      severity: 'warning',
      check: 'endpoint.cookie',
      answers: `a cookie is set, ${cookie.split('=', 1)[0]}`,
      why: 'Clients send no cookies back: with saveUninitialized: true each of their requests stores a session.',
      cure: `${FIRST_LINE} And session({ saveUninitialized: false }).`,
    });
  const limit = ['ratelimit', 'ratelimit-limit', 'x-ratelimit-limit'].find((name) => headers.has(name));
  if (limit !== undefined)
    found.push({
      severity: 'warning',
      check: 'endpoint.counted',
      answers: `requests are counted by something of the site (${limit}: ${headers.get(limit)})`,
      why: 'All users of a client come from one address, that of its server: soon all of them are refused. Guesses are limited by the authorization server itself.',
      cure: FIRST_LINE,
    });
  return found;
}

async function preflightAt(url: string): Promise<readonly Obstacle[]> {
  const answer = await fetchOnce(url, {
    method: 'OPTIONS',
    headers: {
      Origin: FOREIGN_ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  }).catch(() => undefined);
  const allowed = answer?.headers.get('access-control-allow-origin') ?? '';
  if (answer === undefined || allowed === '*' || allowed === FOREIGN_ORIGIN) return [];
  return [
    {
      severity: 'warning',
      check: 'endpoint.origins',
      answers: 'scripts of other origins may not call it',
      why: "The site's cors(), or what stands before it, has a list of origins: clients in browsers get no token.",
      cure: FIRST_LINE,
    },
  ];
}
