import { type Finding, finding, type Severity } from '../finding.js';

const GUARD =
  "Put the guard before the endpoint: app.use('/mcp', oauth.mcp({ … })) as one of the first lines of the app.";
const UNCHANGED = 'Serve the metadata of this package unchanged:';
const FIRST_LINE = 'app.use(oauth.clientRouter) as the first line of the app.';

/** What keeps an agent out, or hinders it: how bad that is, why, and the cure. `{name}` is filled in. */
const FINDINGS = {
  silent: [
    'serious',
    'No agent can connect. Those of Claude and ChatGPT ask from the internet, not from your network.',
    'Is the site running, and reached from outside by this name, with a certificate that others trust?',
  ],
  redirect: [
    'serious',
    'Agents do not follow a redirect with their message: a router that wants a slash at the end, or a redirect to the login, keeps all of them out.',
    `Let the endpoint answer at exactly this URL, with and without a slash. ${GUARD}`,
  ],
  route: [
    'serious',
    'There is no endpoint that takes messages by POST.',
    'Is this the URL that users are told, letter by letter? Mount the endpoint there, and its router before a catch-all.',
  ],
  open: ['serious', 'Whoever knows the URL is let in without a token, and no agent asks the user.', GUARD],
  refused: [
    'serious',
    'Something else than the guard answers: a CSRF check, a limit, a list of origins, or a body parser. Agents begin only after 401.',
    GUARD,
  ],
  challenge: [
    'serious',
    'Agents read there that a token is needed, and where it comes from (RFC 6750 §3); many give up without.',
    `${GUARD} If a proxy or an error handler of yours takes the header away, let it stay.`,
  ],
  'challenge-metadata': [
    'warning',
    'Agents have to guess where the metadata of the resource are (RFC 9728 §5.1).',
    GUARD,
  ],
  pages: [
    'note',
    'Agents that run in a browser, such as inspectors, do not connect. Others do.',
    'oauth.mcp allows it. A cors() of yours before it has to let all origins in, and expose WWW-Authenticate and Mcp-Session-Id.',
  ],
  'resource-metadata': [
    'serious',
    'Agents learn there who gives the tokens, and go no further without (RFC 9728 §3).{elsewhere}',
    'Mount oauth.router, or oauth.wellKnown, at the root of the site that {named} is on, before a catch-all.',
  ],
  resource: [
    'serious',
    'Agents that compare the two, as they must (RFC 9728 §3.3), stop here; others ask for a token that the endpoint then refuses.',
    "Name the endpoint by exactly this URL: resources: { '{url}': {} }, and oauth.mcp({ resource: '{url}' }).",
  ],
  'well-known': [
    'warning',
    'Agents that do not read the challenge look there (RFC 9728 §3.1).',
    'Mount oauth.router or oauth.wellKnown at the root of the site; what stands before it has to pass /.well-known/ on.',
  ],
  'authorization-servers': [
    'serious',
    'Agents do not know who gives the tokens (authorization_servers, RFC 9728 §2).',
    'Serve the metadata of oauth.router, or of bearerGuard, unchanged.',
  ],
  'step-up': [
    'note',
    'Agents built on version 1 of the MCP SDK refresh their token when a tool needs more, instead of asking the user: with a refresh token they never get it, and report a 403.',
    'If such agents matter to you, name all scopes at the endpoint: oauth.mcp({ scopes: [ … ] }). Agents built on version 2 ask the user.',
  ],
  'server-metadata': [
    'serious',
    'Agents find its endpoints there (RFC 8414 §3), and refuse to go on without knowing of PKCE.',
    'Mount oauth.router, or oauth.wellKnown for an issuer with a path, at the root of its site, before a catch-all.',
  ],
  issuer: [
    'serious',
    'Agents MUST NOT use metadata whose issuer is another, letter by letter: a slash at the end is one (RFC 8414 §3.3).',
    'Write the same URL as the option issuer of authorizationServer, and of bearerGuard in other processes.',
  ],
  endpoints: [
    'serious',
    'Agents have nobody to ask.',
    "Take 'authorization_code' into the option grantTypes.",
  ],
  pkce: [
    'serious',
    'Agents MUST refuse to go on (MCP, Authorization Code Protection).',
    `${UNCHANGED} it is always on.`,
  ],
  code: ['serious', 'Agents ask users by it.', "Take 'authorization_code' into the option grantTypes."],
  refresh: [
    'warning',
    'People have to connect their agent again each time its access token ends.',
    "Take 'refresh_token' into the option grantTypes.",
  ],
  public: [
    'serious',
    'Editors, command lines and most agents can keep no secret.',
    `${UNCHANGED} public clients use PKCE.`,
  ],
  registration: [
    'serious',
    'Only those connect for which somebody has registered a client, and typed its id in.',
    'Write agents: true.',
  ],
  documents: [
    'warning',
    'The protocol recommends them since 2026-07-28, and some agents have no other way; registration is there for the old ones.',
    'Write clientIdMetadataDocuments: true, or agents: true.',
  ],
  'no-registration': [
    'note',
    'Older ones know no other way.',
    'Write registration: { open: true }, or agents: true, if you want them.',
  ],
  iss: [
    'warning',
    'The protocol is about to ask for it, against codes that are sent to the wrong server (RFC 9207).',
    `${UNCHANGED} it is always there.`,
  ],
  root: [
    'note',
    'Some agents read no metadata and call /authorize, /token and /register at the root of the site; those fail.',
    'Write advanced: { rootAliases: true }, or agents: true; for an issuer with a path also app.use(oauth.wellKnown).',
  ],
  'redirect-uri': [
    'serious',
    '{name} cannot connect that way (RFC 7591 §3.2.2).',
    'Let in where {name} is called back: a list of hosts that stands before the registration, or a rule of yours, keeps it out.',
  ],
  register: [
    'serious',
    '{name} cannot connect that way (RFC 7591 §3.2.2).',
    'Write registration: { open: true }, or agents: true; 503 and 429 pass by themselves. If something else answers, let the request through.',
  ],
  left: [
    'note',
    'Nobody uses it. This package removes it by itself after a day.',
    'Delete it: clients delete, followed by its id.',
  ],
  'document-unread': [
    'note',
    'Whether the site lets it in was not tried. The site itself has to reach it as well.',
    'Try again where the internet is reached; or name another, by --client-document.',
  ],
  untried: [
    'warning',
    'There was no client to ask with, so the authorization endpoint and the token endpoint were not tried.',
    'See what is said of registration and documents.',
  ],
  unanswered: [
    'serious',
    'People who connect {name} see that, and nothing else. A 400 says that its client or its redirect URI is not known.',
    'Open the authorization endpoint in a browser with that client: the page, and the log of the site, say what is wrong.',
  ],
  request: [
    'serious',
    '{name} gets no code.',
    'The scopes of the guard have to be among those of the server, of the resource, and of what such clients can have (registration.scopes, clientIdMetadataDocuments.scopes).',
  ],
  target: [
    'serious',
    '{name} gets no code.',
    "Write resources: { '{resource}': {} } in the options of authorizationServer, the URL letter by letter.",
  ],
  answer: [
    'serious',
    'Agents refuse it (RFC 6749 §10.12, RFC 9207 §2.4).',
    'Let the redirects of the authorization endpoint through unchanged.',
  ],
  'pkce-optional': [
    'warning',
    'A stolen code is good for its thief (OAuth 2.1 §7.5.2).',
    "Write security: { pkce: 'all' }, or agents: true.",
  ],
  'offline-access': [
    'serious',
    'Agents add offline_access whatever the metadata say, and then get no code (OpenID Connect Core §3.1.2.1: scopes that are not understood SHOULD be ignored).',
    'Let the authorization server leave out scopes that it does not have.',
  ],
  token: [
    'serious',
    '{name} gets no token, or does not hear that it has to ask the user again.',
    `Something stands before the endpoint, or the grant type is off: ${FIRST_LINE}`,
  ],
  revoke: [
    'warning',
    'Whoever disconnects in the agent leaves its tokens good until they end (RFC 7009).',
    FIRST_LINE,
  ],
} as const satisfies Record<string, readonly [Severity, string, string]>;

export type AgentCheck = keyof typeof FINDINGS;

/** @param values what stands in the place of `{name}` in the texts */
export function agentFinding(
  check: AgentCheck,
  what: string,
  values: Readonly<Record<string, string>> = {},
): Finding {
  const [severity, ...texts] = FINDINGS[check];
  const [why, cure] = texts.map((text) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''),
  );
  // an authorization request is one check, whether a page or an error answers it
  return finding(severity, `agents.${check === 'unanswered' ? 'request' : check}`, {
    what,
    why: why!,
    cure: cure!,
  });
}
