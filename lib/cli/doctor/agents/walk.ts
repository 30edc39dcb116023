import { randomBytes } from 'node:crypto';

import { challengeOf } from '../../../shared/protocol/pkce.js';
import {
  AUTHORIZATION_SERVER_METADATA,
  OPENID_CONFIGURATION,
  wellKnownUrlsOf,
} from '../../../shared/protocol/well-known.js';
import { CliError, EXIT } from '../../exit.js';
import type { Io } from '../../io.js';
import type { Finding } from '../finding.js';
import { type AgentCheck, agentFinding } from './findings.js';
import { KNOWN_CLIENTS, type KnownClient } from './known-clients.js';
import {
  type Answer,
  describeAnswer,
  documentIn,
  type Json,
  postForm,
  postJson,
  send,
  stringsOf,
  urlIn,
} from './requests.js';

type Report = (check: AgentCheck, what: string, values?: Readonly<Record<string, string>>) => void;

interface AgentClient {
  readonly name: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** RFC 7592 §3; none for a client with a document. */
  readonly registration?: { readonly uri: string | undefined; readonly token: unknown };
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doctor', version: '1' } },
};
/** RFC 2606 §2: nobody has it */
const FOREIGN_ORIGIN = 'https://doctor.invalid';
/** The errors of a correct silent request while nobody is logged in (OpenID Connect Core §3.1.2.6). */
const SILENT_ERRORS = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];
/** Many agents ask for it whatever the metadata say (OpenID Connect Core §11). */
const OFFLINE_ACCESS = 'offline_access';
/** How often a client with a document is introduced: a site may have several processes. */
const INTRODUCTIONS = 3;

const has = (metadata: Json, name: string, value: string) => stringsOf(metadata[name]).includes(value);
const hasDocuments = (metadata: Json) => metadata.client_id_metadata_document_supported === true;
const hasRegistration = (metadata: Json) => urlIn(metadata.registration_endpoint) !== undefined;

/** What agents need of the metadata of the authorization server. */
const METADATA_RULES: readonly (readonly [AgentCheck, (metadata: Json) => boolean, string])[] = [
  [
    'endpoints',
    (metadata) => [metadata.authorization_endpoint, metadata.token_endpoint].every(urlIn),
    'the metadata have no authorization_endpoint or no token_endpoint',
  ],
  [
    'pkce',
    (metadata) => has(metadata, 'code_challenge_methods_supported', 'S256'),
    'the metadata do not offer PKCE with S256 (code_challenge_methods_supported)',
  ],
  [
    'code',
    (metadata) =>
      metadata.grant_types_supported === undefined ||
      has(metadata, 'grant_types_supported', 'authorization_code'),
    'the authorization code grant is off',
  ],
  [
    'refresh',
    (metadata) => has(metadata, 'grant_types_supported', 'refresh_token'),
    'there are no refresh tokens',
  ],
  [
    'public',
    (metadata) => has(metadata, 'token_endpoint_auth_methods_supported', 'none'),
    'clients without a secret are not let in (token_endpoint_auth_methods_supported has no none)',
  ],
  [
    'registration',
    (metadata) => hasDocuments(metadata) || hasRegistration(metadata),
    'agents can neither describe themselves by a document nor register',
  ],
  [
    'documents',
    (metadata) => hasDocuments(metadata) || !hasRegistration(metadata),
    'client metadata documents are off',
  ],
  [
    'no-registration',
    (metadata) => hasRegistration(metadata) || !hasDocuments(metadata),
    'agents cannot register themselves (RFC 7591)',
  ],
  [
    'iss',
    (metadata) => metadata.authorization_response_iss_parameter_supported === true,
    'answers do not name their issuer (authorization_response_iss_parameter_supported)',
  ],
];

/**
 * Does what agents do, and reports what they would meet.
 *
 * @param options.url the URL of the MCP endpoint
 * @param options.clientDocument the URL of a client metadata document, to be tried instead of the known ones
 * @see Model Context Protocol 2026-07-28, Authorization
 */
export async function checkAgents(
  io: Io,
  { url, clientDocument }: { readonly url: string; readonly clientDocument?: string | undefined },
): Promise<Finding[]> {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CliError(
      `'${url}' is not the URL of an MCP endpoint`,
      EXIT.usage,
      'Write --mcp https://photos.example/mcp',
    );
  if (clientDocument !== undefined && !URL.canParse(clientDocument))
    throw new CliError(
      `'${clientDocument}' is not a URL`,
      EXIT.usage,
      'Write --client-document https://ink.example/client.json',
    );
  const findings: Finding[] = [];
  const report: Report = (...found) => void findings.push(agentFinding(...found));
  const say = (label: string) => void io.stderr.write(`… ${label}\n`);

  say(`calling ${url} without a token`);
  const first = await postJson(url, INITIALIZE);
  const { status } = first;
  if (status !== 401) {
    if (status === 0) report('silent', `${url} gives ${describeAnswer(first)}`);
    else {
      const isRedirect = status >= 300 && status < 400;
      const isMissing = status === 404 || status === 405;
      report(
        isRedirect ? 'redirect' : isMissing ? 'route' : status < 300 ? 'open' : 'refused',
        `${url} answers a call without a token by ${describeAnswer(first)}, not by 401`,
      );
    }
    return findings;
  }
  // RFC 6750 §3, RFC 9728 §5.1: the challenge
  const challenge = first.headers.get('www-authenticate') ?? '';
  const attribute = (name: string) => new RegExp(`[ ,]${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
  const requiredScope = attribute('scope');
  if (!/^\s*(bearer|dpop)\b/i.test(challenge))
    report(
      'challenge',
      `${url} answers 401 without a challenge of OAuth (WWW-Authenticate: ${challenge || 'none'})`,
    );
  else if (attribute('resource_metadata') === undefined)
    report('challenge-metadata', `the challenge of ${url} has no resource_metadata`);
  await checkPages(url, report);

  say('reading the metadata of the resource');
  // RFC 9728 §3.1: between host and path. Older agents look at the root.
  const { origin, pathname } = new URL(url);
  const [place, root] = [
    `${origin}${RESOURCE_METADATA}${pathname === '/' ? '' : pathname}`,
    `${origin}${RESOURCE_METADATA}`,
  ];
  const named = attribute('resource_metadata') ?? place;
  const answer = await send(named);
  const document = documentIn(answer);
  if (document === undefined) {
    const others = [...new Set([place, root])].filter((other) => other !== named);
    const answers = await Promise.all(others.map((other) => send(other)));
    const found = others.find((_other, index) => documentIn(answers[index]!) !== undefined);
    const elsewhere = found === undefined ? '' : ` There is one at ${found}, where nobody was sent.`;
    const what = `the metadata of the resource are not at ${named}: ${describeAnswer(answer)}`;
    report('resource-metadata', what, { named, elsewhere });
    return findings;
  }
  // RFC 9728 §3.3: metadata of another resource MUST NOT be used
  const resource = typeof document.resource === 'string' ? document.resource : undefined;
  if (!resource || !URL.canParse(resource) || new URL(resource).href !== new URL(url).href)
    report('resource', `the metadata of ${url} describe ${resource ?? 'no resource'}`, { url });
  if (named !== place) {
    const atPlace = await send(place);
    if (documentIn(atPlace) === undefined)
      report('well-known', `the challenge names ${named}, and at ${place} is ${describeAnswer(atPlace)}`);
  }
  const [issuer] = stringsOf(document.authorization_servers);
  const isIssuer = issuer !== undefined && URL.canParse(issuer);
  if (!isIssuer) report('authorization-servers', `the metadata at ${named} name no authorization server`);
  // of SDK 1, `client/auth.js` answers a 403 with the refresh token that it has, and asks nobody
  const scopes = stringsOf(document.scopes_supported);
  const requiredScopes = requiredScope?.split(' ') ?? scopes;
  const later = scopes.filter((name) => !requiredScopes.includes(name));
  if (later.length > 0)
    report(
      'step-up',
      `the challenge of the endpoint names ${requiredScopes.join(' ')}, and ${later.join(' ')} is asked for later`,
    );
  if (!isIssuer) return findings;

  say(`reading the metadata of ${issuer}`);
  const metadata = await readServerMetadata(issuer, report);
  if (metadata === undefined) return findings;

  const known: readonly KnownClient[] =
    clientDocument === undefined
      ? KNOWN_CLIENTS
      : [
          ...KNOWN_CLIENTS.map(({ name, redirectUris }) => ({ name, redirectUris })),
          { name: new URL(clientDocument).host, redirectUris: [], document: clientDocument },
        ];
  const scope = requiredScope ?? (scopes.join(' ') || undefined);
  const target = { metadata, resource: resource ?? url, scope };
  const clients: AgentClient[] = [];
  try {
    const registrationEndpoint = urlIn(metadata.registration_endpoint);
    if (registrationEndpoint !== undefined) {
      say('registering as agents do');
      await register(registrationEndpoint, known, clients, report);
    }
    if (hasDocuments(metadata)) {
      say('reading the documents of agents');
      await readDocuments(known, clients, report);
    }
    for (const client of clients) {
      say(`asking for authorization as ${client.name}`);
      await checkAuthorizationRequest(client, target, report);
    }
    const [anyone] = clients;
    if (anyone === undefined) report('untried', `no agent could be played at ${String(metadata.issuer)}`);
    else {
      say(`asking with offline_access as ${anyone.name}`);
      await checkOfflineAccess(anyone, target, report);
      say('redeeming, refreshing and revoking');
      await checkTokens(anyone, metadata, report);
    }
  } finally {
    await unregister(clients, report);
  }
  return findings;
}

/** For agents in browsers, such as inspectors. */
async function checkPages(url: string, report: Report): Promise<void> {
  const preflight = await send(url, {
    method: 'OPTIONS',
    headers: {
      Origin: FOREIGN_ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
    },
  });
  const refused = await postJson(url, INITIALIZE, { Origin: FOREIGN_ORIGIN });
  const isOpen = ({ headers }: Answer) =>
    ['*', FOREIGN_ORIGIN].includes(headers.get('access-control-allow-origin') ?? '');
  const exposed = refused.headers.get('access-control-expose-headers') ?? '';
  if (!isOpen(preflight) || !isOpen(refused) || !/www-authenticate|\*/i.test(exposed))
    report('pages', `pages of other sites cannot call ${url}, or cannot read its challenge`);
}

/** MCP 2026-07-28, Authorization Server Metadata Discovery: in this order. */
async function readServerMetadata(issuer: string, report: Report): Promise<Json | undefined> {
  const openid = wellKnownUrlsOf(issuer, OPENID_CONFIGURATION);
  const { beforePath } = wellKnownUrlsOf(issuer, AUTHORIZATION_SERVER_METADATA);
  const tried: string[] = [];
  for (const place of new Set([beforePath, openid.beforePath, openid.belowPath])) {
    const answer = await send(place);
    const metadata = documentIn(answer);
    if (metadata === undefined) {
      tried.push(`${place} (${describeAnswer(answer)})`);
      continue;
    }
    // RFC 8414 §3.3
    if (metadata.issuer !== issuer)
      report(
        'issuer',
        `the resource names the authorization server ${issuer}, and the metadata at ${place} say ${String(metadata.issuer)}`,
      );
    for (const [check, isRight, what] of METADATA_RULES) if (!isRight(metadata)) report(check, what);
    // agents that read no metadata use the root of the site (MCP 2025-03-26)
    const root = `${new URL(issuer).origin}/token`;
    if (metadata.token_endpoint !== root) {
      const atRoot = await postForm(root, { grant_type: 'authorization_code', code: 'doctor' });
      if (!/^(invalid_|unauthorized_client)/.test(String(atRoot.json?.error)))
        report('root', `${root} answers ${describeAnswer(atRoot)}`);
    }
    return metadata;
  }
  report('server-metadata', `the authorization server ${issuer} has no metadata: ${tried.join(', ')}`);
  return undefined;
}

/** RFC 7591 §3 */
async function register(
  endpoint: string,
  known: readonly KnownClient[],
  clients: AgentClient[],
  report: Report,
): Promise<void> {
  for (const { name, redirectUris } of known.filter((agent) => agent.redirectUris.length > 0)) {
    const { json, ...answer } = await postJson(endpoint, {
      client_name: `Doctor as ${name}`,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    if (answer.status === 201 && typeof json?.client_id === 'string') {
      const { client_id: clientId, registration_client_uri: uri, registration_access_token: token } = json;
      clients.push({
        name,
        clientId,
        redirectUri: redirectUris[0]!,
        registration: { uri: urlIn(uri), token },
      });
      continue;
    }
    const text = describeAnswer({ json, ...answer });
    report(
      text.includes('redirect') ? 'redirect-uri' : 'register',
      `${name} cannot register at ${endpoint} with ${redirectUris.join(', ')}: ${text}`,
      { name },
    );
  }
}

/** Removes the clients that were registered for a try: nobody uses them (RFC 7592 §2.3). */
async function unregister(clients: readonly AgentClient[], report: Report): Promise<void> {
  for (const { name, clientId, registration } of clients) {
    if (registration === undefined) continue;
    const { uri, token } = registration;
    const headers = { Authorization: `Bearer ${String(token)}` };
    const answer = uri && (await send(uri, { method: 'DELETE', headers }));
    if (!answer || answer.status === 0 || answer.status >= 300)
      report(
        'left',
        `the client ${clientId}, registered for a try as ${name}, could not be taken away again`,
      );
  }
}

/** OAuth Client ID Metadata Document §4: agents from their documents, as the server will read them. */
async function readDocuments(
  known: readonly KnownClient[],
  clients: AgentClient[],
  report: Report,
): Promise<void> {
  for (const { name, document } of known) {
    if (document === undefined) continue;
    const answer = await send(document, { headers: { Accept: 'application/json' } });
    const [redirectUri] = stringsOf(answer.json?.redirect_uris);
    if (redirectUri !== undefined)
      clients.push({ name: `${name} by its document`, clientId: document, redirectUri });
    else
      report(
        'document-unread',
        `the document of ${name} could not be read from here: ${document} gives ${describeAnswer(answer)}`,
      );
  }
}

interface Target {
  readonly metadata: Json;
  readonly resource: string;
  readonly scope: string | undefined;
}

/**
 * Sends an authorization request like an agent, except for `prompt=none`, so that nobody has to log in and errors come
 * back.
 */
async function checkAuthorizationRequest(client: AgentClient, target: Target, report: Report): Promise<void> {
  const { metadata, resource, scope } = target;
  const { name, redirectUri } = client;
  if (urlIn(metadata.authorization_endpoint) === undefined) return;
  const request = requestOf(client, target);
  const { answer, params } = await askAs(client, request, metadata);
  if (params === undefined)
    return report(
      'unanswered',
      `an authorization request of ${name} is answered ${describeAnswer(answer)}, and ${redirectUri} hears nothing`,
      { name },
    );
  const error = params.get('error') ?? '';
  if (!SILENT_ERRORS.includes(error))
    report(
      error === 'invalid_target' ? 'target' : 'request',
      `an authorization request of ${name} for ${resource}${scope === undefined ? '' : ` with the scope ${scope}`} is answered ${error}: ${params.get('error_description')}`,
      { name, resource },
    );
  const isFromIssuer =
    metadata.authorization_response_iss_parameter_supported !== true || params.get('iss') === metadata.issuer;
  if (params.get('state') !== request.state || !isFromIssuer)
    report(
      'answer',
      `the answer to ${name} has not the state that was sent, or the iss ${params.get('iss') ?? 'missing'}`,
    );
  // without a challenge there must be no code
  const { code_challenge, code_challenge_method, ...withoutPkce } = request;
  const { params: unproven } = await ask(client, withoutPkce, metadata);
  if (SILENT_ERRORS.includes(unproven?.get('error') ?? ''))
    report('pkce-optional', `a request of ${name} without PKCE is taken`);
}

/** Asks once more with a scope that the server may not know, as agents do that want to stay connected. */
async function checkOfflineAccess(client: AgentClient, target: Target, report: Report): Promise<void> {
  const { metadata, scope } = target;
  if (urlIn(metadata.authorization_endpoint) === undefined) return;
  if (scope === undefined || scope.split(' ').includes(OFFLINE_ACCESS)) return;
  const request = { ...requestOf(client, target), scope: `${scope} ${OFFLINE_ACCESS}` };
  const { params } = await askAs(client, request, metadata);
  if (params?.get('error') === 'invalid_scope')
    report(
      'offline-access',
      `an authorization request of ${client.name} with the scope ${request.scope} is answered invalid_scope: ${params.get('error_description')}`,
    );
}

function requestOf({ clientId, redirectUri }: AgentClient, { resource, scope }: Target) {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: randomBytes(16).toString('base64url'),
    code_challenge: challengeOf(randomBytes(32).toString('base64url')),
    code_challenge_method: 'S256',
    resource,
    prompt: 'none',
    scope,
  };
}

/** The parameters of the redirect to the client; undefined if it hears nothing. */
async function ask({ redirectUri }: AgentClient, request: object, metadata: Json) {
  const url = new URL(String(metadata.authorization_endpoint));
  for (const [name, value] of Object.entries(request))
    if (typeof value === 'string') url.searchParams.set(name, value);
  const answer = await send(url.href);
  const location = answer.headers.get('location') ?? '';
  const isForClient = location.startsWith(redirectUri) && URL.canParse(location);
  return { answer, params: isForClient ? new URL(location).searchParams : undefined };
}

/**
 * A site reads no document for an authorization request of somebody who is not logged in, so a client that has one is
 * introduced first, where no user is needed: at the token endpoint.
 */
async function askAs(client: AgentClient, request: object, metadata: Json): ReturnType<typeof ask> {
  const { clientId } = client;
  const endpoint = urlIn(metadata.token_endpoint);
  if (endpoint === undefined || !URL.canParse(clientId)) return ask(client, request, metadata);
  for (let count = 1; ; count += 1) {
    await postForm(endpoint, { client_id: clientId, grant_type: 'refresh_token', refresh_token: 'doctor' });
    const result = await ask(client, request, metadata);
    if (result.params !== undefined || count === INTRODUCTIONS) return result;
  }
}

/** Tries what an agent does later: redeeming, refreshing, revoking; each with something that does not exist. */
async function checkTokens(
  { name, clientId: client_id, redirectUri: redirect_uri }: AgentClient,
  metadata: Json,
  report: Report,
): Promise<void> {
  const endpoint = urlIn(metadata.token_endpoint);
  if (endpoint === undefined) return;
  const code = { code: 'doctor', code_verifier: 'doctor'.repeat(8), redirect_uri };
  const tries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'redeems a code': { grant_type: 'authorization_code', ...code },
    refreshes: { grant_type: 'refresh_token', refresh_token: 'doctor' },
  };
  for (const [deed, form] of Object.entries(tries)) {
    const answer = await postForm(endpoint, { client_id, ...form });
    if (answer.json?.error !== 'invalid_grant')
      report(
        'token',
        `${endpoint} answers ${describeAnswer(answer)} to ${name}, which ${deed} that does not exist; it should be 400 invalid_grant`,
        { name },
      );
  }
  // RFC 7009 §2.2: 200 for a token that does not exist
  const revocation = urlIn(metadata.revocation_endpoint);
  const answer = revocation && (await postForm(revocation, { client_id, token: 'doctor' }));
  if (!answer) report('revoke', 'there is no revocation_endpoint');
  else if (answer.status !== 200)
    report('revoke', `${revocation} answers ${describeAnswer(answer)}, not 200`);
}
