import { protectedResourceMetadataUrl } from '../../../core/guard/protected-resource.js';
import {
  AUTHORIZATION_SERVER_METADATA,
  OPENID_CONFIGURATION,
  wellKnownUrls,
} from '../../../shared/protocol/well-known.js';
import type { Io } from '../../io.js';
import { type Metadata, send, stringsIn } from '../../metadata.js';
import type { ReportFinding } from '../finding.js';
import {
  allowsForeignOrigin,
  CHALLENGE,
  describeAnswer,
  FOREIGN_ORIGIN,
  postForm,
  requestAuthorization,
  sendPreflight,
  urlIn,
} from '../requests.js';
import { KNOWN_CLIENTS } from './known-clients.js';

/** Announces the current step. */
type Say = (label: string) => void;

const GUARD =
  "Put the guard before the endpoint: app.use('/mcp', oauth.mcp({ … })) as one of the first lines of the app.";
const UNCHANGED = 'Serve the metadata of this package unchanged:';
const FIRST_LINE = 'app.use(oauth.clientRouter) as the first line of the app.';
const CODE_GRANT = "Take 'authorization_code' into the option grantTypes.";

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doctor', version: '1' } },
};
/** The errors of a valid request with `prompt=none` while nobody is logged in (OpenID Connect Core §3.1.2.6). */
const SILENT_ERROR = /^(login|interaction|consent|account_selection)_required$/;
/** A token that does not exist. */
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'doctor' };

/**
 * Acts as an agent at an MCP endpoint (Model Context Protocol 2026-07-28, Authorization), and reports obstacles. A
 * client metadata document replaces the known ones.
 */
export async function checkAgents(reportAny: ReportFinding, io: Io, url: string, clientDocument?: string) {
  const say: Say = (label) => io.stderr.write(`… ${label}\n`);
  const report: ReportFinding = (severity, check, text) => reportAny(severity, `agents.${check}`, text);

  const target = await readResource(say, report, url);
  if (target === undefined) return;
  const { issuer, resource, scope } = target;
  say(`reading the metadata of ${issuer}`);
  const metadata = await readServerMetadata(report, issuer);
  if (metadata === undefined) return;

  const clients = await becomeClients(say, report, metadata, clientDocument);
  /** The authorization request of an agent. `prompt=none` needs no login, and returns errors to the agent. */
  const requestCode = async (client: (typeof clients)[number], more: object) => {
    const state = crypto.randomUUID();
    const request = { state, resource, prompt: 'none', scope, ...more };
    // A site fetches no document for a visitor without a login. Therefore a client with a document first calls the
    // token endpoint, and again if another process of the site handles the next request.
    const endpoint = URL.canParse(client.clientId) ? urlIn(metadata.token_endpoint) : undefined;
    for (let triesLeft = 2; ; triesLeft -= 1) {
      if (endpoint !== undefined) await postForm(endpoint, { client_id: client.clientId, ...REFRESH });
      const answered = await requestAuthorization(String(metadata.authorization_endpoint), client, request);
      if (answered.params !== undefined || endpoint === undefined || triesLeft === 0)
        return { ...answered, state };
    }
  };

  try {
    const canAuthorize = urlIn(metadata.authorization_endpoint) !== undefined;
    for (const client of canAuthorize ? clients : []) {
      const { name, redirectUris } = client;
      say(`asking for authorization as ${name}`);
      // RFC 6749 §4.1.1 with PKCE, a resource (RFC 8707) and `iss` in the response (RFC 9207)
      const { answer, params, state } = await requestCode(client, CHALLENGE);
      report(params === undefined && 'serious', 'request', {
        what: `an authorization request of ${name} is answered ${describeAnswer(answer)}, and ${redirectUris[0]} hears nothing`,
        why: `People who connect ${name} see that, and nothing else. A 400 says that its client or its redirect URI is not known.`,
        cure: 'Open the authorization endpoint in a browser with that client: the page, and the log of the site, say what is wrong.',
      });
      if (params === undefined) continue;
      const error = params.get('error') ?? '';
      const isTarget = error === 'invalid_target';
      report(!SILENT_ERROR.test(error) && 'serious', isTarget ? 'target' : 'request', {
        what: `an authorization request of ${name} for ${resource}${scope === undefined ? '' : ` with the scope ${scope}`} is answered ${error}: ${params.get('error_description')}`,
        why: `${name} gets no code.`,
        cure: isTarget
          ? `Write resources: { '${resource}': {} } in the options of authorizationServer, the URL letter by letter.`
          : 'The scopes of the guard have to be among those of the server, of the resource, and of what such clients can have (registration.scopes, clientIdMetadataDocuments.scopes).',
      });
      const isFromIssuer =
        metadata.authorization_response_iss_parameter_supported !== true ||
        params.get('iss') === metadata.issuer;
      report((params.get('state') !== state || !isFromIssuer) && 'serious', 'answer', {
        what: `the answer to ${name} has not the state that was sent, or the iss ${params.get('iss') ?? 'missing'}`,
        why: 'Agents refuse it (RFC 6749 §10.12, RFC 9207 §2.4).',
        cure: 'Let the redirects of the authorization endpoint through unchanged.',
      });
      // without a challenge there must be no code
      const { params: unproven } = await requestCode(client, {});
      report(SILENT_ERROR.test(unproven?.get('error') ?? '') && 'warning', 'pkce-optional', {
        what: `a request of ${name} without PKCE is taken`,
        why: 'A stolen code is good for its thief (OAuth 2.1 §7.5.2).',
        cure: "Write security: { pkce: 'all' }, or agents: true.",
      });
    }
    const [anyone] = clients;
    report(anyone === undefined && 'warning', 'untried', {
      what: `no agent could be played at ${String(metadata.issuer)}`,
      why: 'There was no client to ask with, so the authorization endpoint and the token endpoint were not tried.',
      cure: 'See what is said of registration and documents.',
    });
    if (anyone === undefined) return;

    // OpenID Connect Core §11: many agents request offline_access whatever the metadata say
    say(`asking with offline_access as ${anyone.name}`);
    if (canAuthorize && scope !== undefined && !scope.split(' ').includes('offline_access')) {
      const request = { ...CHALLENGE, scope: `${scope} offline_access` };
      const { params } = await requestCode(anyone, request);
      report(params?.get('error') === 'invalid_scope' && 'serious', 'offline-access', {
        what: `an authorization request of ${anyone.name} with the scope ${request.scope} is answered invalid_scope: ${params?.get('error_description')}`,
        why: 'Agents add offline_access whatever the metadata say, and then get no code (OpenID Connect Core §3.1.2.1: scopes that are not understood SHOULD be ignored).',
        cure: 'Let the authorization server leave out scopes that it does not have.',
      });
    }

    // RFC 6749 §5.2, RFC 7009 §2.2: an agent's later requests, with invalid values
    say('redeeming, refreshing and revoking');
    const endpoint = urlIn(metadata.token_endpoint);
    if (endpoint === undefined) return;
    const { name, clientId: client_id } = anyone;
    const [redirect_uri = ''] = anyone.redirectUris;
    const code = { code: 'doctor', code_verifier: 'doctor'.repeat(8), redirect_uri };
    for (const [deed, form] of [
      ['redeems a code', { grant_type: 'authorization_code', ...code }],
      ['refreshes', REFRESH],
    ] as const) {
      const answer = await postForm(endpoint, { client_id, ...form });
      report(answer.json?.error !== 'invalid_grant' && 'serious', 'token', {
        what: `${endpoint} answers ${describeAnswer(answer)} to ${name}, which ${deed} that does not exist; it should be 400 invalid_grant`,
        why: `${name} gets no token, or does not hear that it has to ask the user again.`,
        cure: `Something stands before the endpoint, or the grant type is off: ${FIRST_LINE}`,
      });
    }
    const revocation = urlIn(metadata.revocation_endpoint);
    const answer = revocation && (await postForm(revocation, { client_id, token: 'doctor' }));
    report((!answer || answer.status !== 200) && 'warning', 'revoke', {
      what: answer
        ? `${revocation} answers ${describeAnswer(answer)}, not 200`
        : 'there is no revocation_endpoint',
      why: 'Whoever disconnects in the agent leaves its tokens good until they end (RFC 7009).',
      cure: FIRST_LINE,
    });
  } finally {
    // RFC 7592 §2.3: deletes the clients that this check has registered
    for (const { name, clientId, registration } of clients) {
      if (registration === undefined) continue;
      const headers = { Authorization: `Bearer ${String(registration.registration_access_token)}` };
      const uri = String(registration.registration_client_uri);
      const { status } = await send(uri, { method: 'DELETE', headers });
      report((status === 0 || status >= 300) && 'note', 'left', {
        what: `the client ${clientId}, registered for a try as ${name}, could not be taken away again`,
        why: 'Nobody uses it. This package removes it by itself after a day.',
        cure: 'Delete it: clients delete, followed by its id.',
      });
    }
  }
}

/** Reads the challenge of an MCP endpoint and the metadata of its resource; undefined if agents would stop here. */
async function readResource(say: Say, report: ReportFinding, url: string) {
  // RFC 6750 §3, RFC 9728 §5.1: the response to a request without a token is a challenge
  say(`calling ${url} without a token`);
  const first = await postJson(url, INITIALIZE);
  const { status } = first;
  const what = `${url} answers a call without a token by ${describeAnswer(first)}, not by 401`;
  report(status === 0 && 'serious', 'silent', {
    what: `${url} gives ${describeAnswer(first)}`,
    why: 'No agent can connect. Those of Claude and ChatGPT ask from the internet, not from your network.',
    cure: 'Is the site running, and reached from outside by this name, with a certificate that others trust?',
  });
  report(status > 0 && status < 300 && 'serious', 'open', {
    what,
    why: 'Whoever knows the URL is let in without a token, and no agent asks the user.',
    cure: GUARD,
  });
  report(status >= 300 && status < 400 && 'serious', 'redirect', {
    what,
    why: 'Agents do not follow a redirect with their message: a router that wants a slash at the end, or a redirect to the login, keeps all of them out.',
    cure: `Let the endpoint answer at exactly this URL, with and without a slash. ${GUARD}`,
  });
  const isMissing = status === 404 || status === 405;
  report(isMissing && 'serious', 'route', {
    what,
    why: 'There is no endpoint that takes messages by POST.',
    cure: 'Is this the URL that users are told, letter by letter? Mount the endpoint there, and its router before a catch-all.',
  });
  report(status >= 400 && status !== 401 && !isMissing && 'serious', 'refused', {
    what,
    why: 'Something else than the guard answers: a CSRF check, a limit, a list of origins, or a body parser. Agents begin only after 401.',
    cure: GUARD,
  });
  if (status !== 401) return undefined;

  const challenge = first.headers.get('www-authenticate') ?? '';
  const attribute = (name: string) => new RegExp(`[ ,]${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
  const isOfOAuth = /^\s*(bearer|dpop)\b/i.test(challenge);
  report(!isOfOAuth && 'serious', 'challenge', {
    what: `${url} answers 401 without a challenge of OAuth (WWW-Authenticate: ${challenge || 'none'})`,
    why: 'Agents read there that a token is needed, and where it comes from (RFC 6750 §3); many give up without.',
    cure: `${GUARD} If a proxy or an error handler of yours takes the header away, let it stay.`,
  });
  report(isOfOAuth && attribute('resource_metadata') === undefined && 'warning', 'challenge-metadata', {
    what: `the challenge of ${url} has no resource_metadata`,
    why: 'Agents have to guess where the metadata of the resource are (RFC 9728 §5.1).',
    cure: GUARD,
  });

  // agents in browsers, such as inspectors
  const preflight = await sendPreflight(url, 'authorization,content-type,mcp-protocol-version');
  const refused = await postJson(url, INITIALIZE, { Origin: FOREIGN_ORIGIN });
  const exposed = refused.headers.get('access-control-expose-headers') ?? '';
  const isOpen = [preflight, refused].every(allowsForeignOrigin) && /www-authenticate|\*/i.test(exposed);
  report(!isOpen && 'note', 'pages', {
    what: `pages of other sites cannot call ${url}, or cannot read its challenge`,
    why: 'Agents that run in a browser, such as inspectors, do not connect. Others do.',
    cure: 'oauth.mcp allows it. A cors() of yours before it has to let all origins in, and expose WWW-Authenticate and Mcp-Session-Id.',
  });

  // RFC 9728 §3.1: the metadata of the resource, between host and path. Older agents look at the root.
  say('reading the metadata of the resource');
  const place = protectedResourceMetadataUrl(url);
  const root = protectedResourceMetadataUrl(new URL(url).origin);
  const linkedPlace = attribute('resource_metadata') ?? place;
  const places = [...new Set([linkedPlace, place, root])];
  const answers = await Promise.all(places.map((each) => send(each)));
  const answer = answers[0]!;
  const atPlace = answers[places.indexOf(place)]!;
  const { document } = answer;
  const actual = places.find((_place, index) => answers[index]?.document);
  const elsewhere = actual === undefined ? '' : ` There is one at ${actual}, where nobody was sent.`;
  report(document === undefined && 'serious', 'resource-metadata', {
    what: `the metadata of the resource are not at ${linkedPlace}: ${describeAnswer(answer)}`,
    why: `Agents learn there who gives the tokens, and go no further without (RFC 9728 §3).${elsewhere}`,
    cure: `Mount oauth.router, or oauth.wellKnown, at the root of the site that ${linkedPlace} is on, before a catch-all.`,
  });
  if (document === undefined) return undefined;
  // RFC 9728 §3.3: metadata of another resource MUST NOT be used
  const resource = typeof document.resource === 'string' ? document.resource : undefined;
  const isNamed = resource && URL.canParse(resource) && new URL(resource).href === new URL(url).href;
  report(!isNamed && 'serious', 'resource', {
    what: `the metadata of ${url} describe ${resource ?? 'no resource'}`,
    why: 'Agents that compare the two, as they must (RFC 9728 §3.3), stop here; others ask for a token that the endpoint then refuses.',
    cure: `Name the endpoint by exactly this URL: resources: { '${url}': {} }, and oauth.mcp({ resource: '${url}' }).`,
  });
  report(atPlace.document === undefined && 'warning', 'well-known', {
    what: `the challenge names ${linkedPlace}, and at ${place} is ${describeAnswer(atPlace)}`,
    why: 'Agents that do not read the challenge look there (RFC 9728 §3.1).',
    cure: 'Mount oauth.router or oauth.wellKnown at the root of the site; what stands before it has to pass /.well-known/ on.',
  });
  const issuer = urlIn(stringsIn(document.authorization_servers)[0]);
  report(issuer === undefined && 'serious', 'authorization-servers', {
    what: `the metadata at ${linkedPlace} name no authorization server`,
    why: 'Agents do not know who gives the tokens (authorization_servers, RFC 9728 §2).',
    cure: 'Serve the metadata of oauth.router, or of bearerGuard, unchanged.',
  });
  // MCP, Scope Selection Strategy: the scopes of the challenge, otherwise all. After a 403, `client/auth.js` of SDK 1
  // uses its refresh token, without asking the user.
  const scopes = stringsIn(document.scopes_supported);
  const scope = attribute('scope') ?? (scopes.join(' ') || undefined);
  const later = scopes.filter((name) => scope?.split(' ').includes(name) !== true);
  report(later.length > 0 && 'note', 'step-up', {
    what: `the challenge of the endpoint names ${scope}, and ${later.join(' ')} is asked for later`,
    why: 'Agents built on version 1 of the MCP SDK refresh their token when a tool needs more, instead of asking the user: with a refresh token they never get it, and report a 403.',
    cure: 'If such agents matter to you, name all scopes at the endpoint: oauth.mcp({ scopes: [ … ] }). Agents built on version 2 ask the user.',
  });
  return issuer === undefined ? undefined : { issuer, resource: resource ?? url, scope };
}

/** MCP 2026-07-28, Authorization Server Metadata Discovery: the first existing document, in this order. */
async function readServerMetadata(report: ReportFinding, issuer: string) {
  const openid = wellKnownUrls(issuer, OPENID_CONFIGURATION);
  const { beforePath } = wellKnownUrls(issuer, AUTHORIZATION_SERVER_METADATA);
  const places = [...new Set([beforePath, openid.beforePath, openid.belowPath])];
  const answers = await Promise.all(places.map(async (place) => ({ place, ...(await send(place)) })));
  const { place, document: metadata } = answers.find(({ document }) => document !== undefined) ?? {};
  report(metadata === undefined && 'serious', 'server-metadata', {
    what: `the authorization server ${issuer} has no metadata: ${answers.map((answer) => `${answer.place} (${describeAnswer(answer)})`).join(', ')}`,
    why: 'Agents find its endpoints there (RFC 8414 §3), and refuse to go on without knowing of PKCE.',
    cure: 'Mount oauth.router, or oauth.wellKnown for an issuer with a path, at the root of its site, before a catch-all.',
  });
  if (metadata === undefined) return undefined;
  // RFC 8414 §3.3
  report(metadata.issuer !== issuer && 'serious', 'issuer', {
    what: `the resource names the authorization server ${issuer}, and the metadata at ${place} say ${String(metadata.issuer)}`,
    why: 'Agents MUST NOT use metadata whose issuer is another, letter by letter: a slash at the end is one (RFC 8414 §3.3).',
    cure: 'Write the same URL as the option issuer of authorizationServer, and of bearerGuard in other processes.',
  });
  const hasEndpoints = urlIn(metadata.authorization_endpoint) && urlIn(metadata.token_endpoint);
  report(!hasEndpoints && 'serious', 'endpoints', {
    what: 'the metadata have no authorization_endpoint or no token_endpoint',
    why: 'Agents have nobody to ask.',
    cure: CODE_GRANT,
  });
  report(!stringsIn(metadata.code_challenge_methods_supported).includes('S256') && 'serious', 'pkce', {
    what: 'the metadata do not offer PKCE with S256 (code_challenge_methods_supported)',
    why: 'Agents MUST refuse to go on (MCP, Authorization Code Protection).',
    cure: `${UNCHANGED} it is always on.`,
  });
  // RFC 8414 §2: without the member, the code grant is on
  const grantTypes = stringsIn(metadata.grant_types_supported);
  const hasCode = metadata.grant_types_supported === undefined || grantTypes.includes('authorization_code');
  report(!hasCode && 'serious', 'code', {
    what: 'the authorization code grant is off',
    why: 'Agents ask users by it.',
    cure: CODE_GRANT,
  });
  report(!grantTypes.includes('refresh_token') && 'warning', 'refresh', {
    what: 'there are no refresh tokens',
    why: 'People have to connect their agent again each time its access token ends.',
    cure: "Take 'refresh_token' into the option grantTypes.",
  });
  report(!stringsIn(metadata.token_endpoint_auth_methods_supported).includes('none') && 'serious', 'public', {
    what: 'clients without a secret are not let in (token_endpoint_auth_methods_supported has no none)',
    why: 'Editors, command lines and most agents can keep no secret.',
    cure: `${UNCHANGED} public clients use PKCE.`,
  });
  const hasDocuments = metadata.client_id_metadata_document_supported === true;
  const hasRegistration = urlIn(metadata.registration_endpoint) !== undefined;
  report(!hasDocuments && !hasRegistration && 'serious', 'registration', {
    what: 'agents can neither describe themselves by a document nor register',
    why: 'Only those connect for which somebody has registered a client, and typed its id in.',
    cure: 'Write agents: true.',
  });
  report(!hasDocuments && hasRegistration && 'warning', 'documents', {
    what: 'client metadata documents are off',
    why: 'The protocol recommends them since 2026-07-28, and some agents have no other way; registration is there for the old ones.',
    cure: 'Write clientIdMetadataDocuments: true, or agents: true.',
  });
  report(hasDocuments && !hasRegistration && 'note', 'no-registration', {
    what: 'agents cannot register themselves (RFC 7591)',
    why: 'Older ones know no other way.',
    cure: 'Write registration: { open: true }, or agents: true, if you want them.',
  });
  report(metadata.authorization_response_iss_parameter_supported !== true && 'warning', 'iss', {
    what: 'answers do not name their issuer (authorization_response_iss_parameter_supported)',
    why: 'The protocol is about to ask for it, against codes that are sent to the wrong server (RFC 9207).',
    cure: `${UNCHANGED} it is always there.`,
  });
  // agents that read no metadata use the root of the site (MCP 2025-03-26)
  const root = `${new URL(issuer).origin}/token`;
  const atRoot = await postForm(root, { grant_type: 'authorization_code', code: 'doctor' });
  const isThere = /^(invalid_|unauthorized_client)/.test(String(atRoot.json?.error));
  report(metadata.token_endpoint !== root && !isThere && 'note', 'root', {
    what: `${root} answers ${describeAnswer(atRoot)}`,
    why: 'Some agents read no metadata and call /authorize, /token and /register at the root of the site; those fail.',
    cure: 'Write agents: true; for an issuer with a path also app.use(oauth.wellKnown).',
  });
  return metadata;
}

/** Registers each agent as a client of the server. */
async function becomeClients(say: Say, report: ReportFinding, metadata: Metadata, clientDocument?: string) {
  const clients = [];
  // RFC 7591 §3
  const registrationEndpoint = urlIn(metadata.registration_endpoint) ?? '';
  if (registrationEndpoint !== '') say('registering as agents do');
  for (const { name, redirectUris } of registrationEndpoint === '' ? [] : KNOWN_CLIENTS) {
    const answer = await postJson(registrationEndpoint, {
      client_name: `Doctor as ${name}`,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const clientId = answer.status === 201 ? answer.json?.client_id : undefined;
    if (typeof clientId === 'string')
      clients.push({ name, clientId, redirectUris, registration: answer.json });
    const text = describeAnswer(answer);
    const isRedirectUri = text.includes('redirect');
    report(typeof clientId !== 'string' && 'serious', isRedirectUri ? 'redirect-uri' : 'register', {
      what: `${name} cannot register at ${registrationEndpoint} with ${redirectUris.join(', ')}: ${text}`,
      why: `${name} cannot connect that way (RFC 7591 §3.2.2).`,
      cure: isRedirectUri
        ? `Let in where ${name} is called back: a list of hosts that stands before the registration, or a rule of yours, keeps it out.`
        : 'Write registration: { open: true }, or agents: true; 503 and 429 pass by themselves. If something else answers, let the request through.',
    });
  }

  // OAuth Client ID Metadata Document §4: agents with documents, as the server will read them
  const hasDocuments = metadata.client_id_metadata_document_supported === true;
  if (hasDocuments) say('reading the documents of agents');
  const documentToTry = clientDocument && [{ name: new URL(clientDocument).host, document: clientDocument }];
  for (const { name, document: clientId } of hasDocuments ? documentToTry || KNOWN_CLIENTS : []) {
    if (clientId === undefined) continue;
    const answer = await send(clientId, { headers: { Accept: 'application/json' } });
    const redirectUris = stringsIn(answer.json?.redirect_uris);
    if (redirectUris.length > 0)
      clients.push({ name: `${name} by its document`, clientId, redirectUris, registration: undefined });
    report(redirectUris.length === 0 && 'note', 'document-unread', {
      what: `the document of ${name} could not be read from here: ${clientId} gives ${describeAnswer(answer)}`,
      why: 'Whether the site lets it in was not tried. The site itself has to reach it as well.',
      cure: 'Try again where the internet is reached; or name another, by --client-document.',
    });
  }
  return clients;
}

function postJson(url: string, body: object, more: Record<string, string> = {}) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return send(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
}
