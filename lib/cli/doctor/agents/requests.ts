import { randomBytes } from 'node:crypto';

import { challengeOf } from '../../../shared/protocol/pkce.js';
import { type Finding, finding } from '../finding.js';
import { describeAnswer, errorOf, postForm, requestAsAgent, urlIn } from './agent-requests.js';
import type { AgentClient } from './registration.js';
import type { Metadata } from './server.js';

/** What a request of an agent is about. */
export interface Target {
  readonly metadata: Metadata;
  readonly resource: string;
  readonly scope: string | undefined;
}

/** The errors of a correct silent request while nobody is logged in (OpenID Connect Core §3.1.2.6). */
const RIGHT = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

/**
 * Sends an authorization request like an agent, except for `prompt=none`, so that nobody has to log in and errors come
 * back.
 */
export async function checkAuthorizationRequest(client: AgentClient, target: Target): Promise<Finding[]> {
  const endpoint = urlIn(target.metadata.authorization_endpoint);
  if (endpoint === undefined) return [];
  const sent = requestOf(client, target);
  const { response, answer } = await askAs(client, withQuery(endpoint, sent), target.metadata);
  if (answer === undefined) return [unanswered(client, describeAnswer(response))];
  const error = answer.get('error') ?? '';
  const findings: Finding[] = [];
  if (!RIGHT.includes(error))
    findings.push(refused(client, target, `${error}: ${answer.get('error_description')}`));
  if (answer.get('state') !== sent.state || !isFrom(answer, target.metadata))
    findings.push(
      finding('serious', 'agents.answer', {
        what: `the answer to ${client.name} has not the state that was sent, or the iss ${answer.get('iss') ?? 'missing'}`,
        why: 'Agents refuse it (RFC 6749 §10.12, RFC 9207 §2.4).',
        cure: 'Let the redirects of the authorization endpoint through unchanged.',
      }),
    );
  findings.push(...(await checkPkce(client, endpoint, sent)));
  return findings;
}

/** Many agents ask for it whatever the metadata say (OpenID Connect Core §11). */
const OFFLINE_ACCESS = 'offline_access';

/** Asks once more with a scope that the server may not know, as agents do that want to stay connected. */
export async function checkOfflineAccess(client: AgentClient, target: Target): Promise<Finding[]> {
  const { metadata, scope } = target;
  const endpoint = urlIn(metadata.authorization_endpoint);
  if (endpoint === undefined || scope === undefined || scope.split(' ').includes(OFFLINE_ACCESS)) return [];
  const sent = { ...requestOf(client, target), scope: `${scope} ${OFFLINE_ACCESS}` };
  const { answer } = await askAs(client, withQuery(endpoint, sent), metadata);
  const error = answer?.get('error');
  if (error !== 'invalid_scope') return [];
  return [
    finding('serious', 'agents.offline-access', {
      what: `an authorization request of ${client.name} with the scope ${sent.scope} is answered ${error}: ${answer?.get('error_description')}`,
      why: `Agents add ${OFFLINE_ACCESS} whatever the metadata say, and then get no code (OpenID Connect Core §3.1.2.1: scopes that are not understood SHOULD be ignored).`,
      cure: 'Let the authorization server leave out scopes that it does not have.',
    }),
  ];
}

/** How often a client with a document is introduced: a site may have several processes. */
const INTRODUCTIONS = 3;

/**
 * A site reads no document for an authorization request of somebody who is not logged in, so a client that has one is
 * introduced first, where no user is needed: at the token endpoint.
 */
async function askAs({ clientId, redirectUri }: AgentClient, url: string, metadata: Metadata) {
  const token = urlIn(metadata.token_endpoint);
  const ask = async () => {
    const response = await requestAsAgent(url);
    return { response, answer: answerIn(response, redirectUri) };
  };
  if (token === undefined || !URL.canParse(clientId)) return ask();
  const introduced = async () => {
    await postForm(token, { client_id: clientId, grant_type: 'refresh_token', refresh_token: 'doctor' });
    return ask();
  };
  let result = await introduced();
  for (let tries = 1; result.answer === undefined && tries < INTRODUCTIONS; tries += 1)
    result = await introduced();
  return result;
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
    ...(scope !== undefined && { scope }),
  };
}

function withQuery(endpoint: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** What the client is told with a redirect; undefined if it is told nothing. */
function answerIn(
  response: Awaited<ReturnType<typeof requestAsAgent>>,
  redirectUri: string,
): URLSearchParams | undefined {
  const location = response instanceof Error ? null : response.headers.get('location');
  if (location === null || !location.startsWith(redirectUri) || !URL.canParse(location)) return undefined;
  return new URL(location).searchParams;
}

/** RFC 9207 §2.4 */
function isFrom(answer: URLSearchParams, metadata: Metadata): boolean {
  if (metadata.authorization_response_iss_parameter_supported !== true) return true;
  return answer.get('iss') === metadata.issuer;
}

function unanswered({ name, redirectUri }: AgentClient, answer: string): Finding {
  return finding('serious', 'agents.request', {
    what: `an authorization request of ${name} is answered ${answer}, and ${redirectUri} hears nothing`,
    why: `People who connect ${name} see that, and nothing else. A 400 says that its client or its redirect URI is not known.`,
    cure: 'Open the authorization endpoint in a browser with that client: the page, and the log of the site, say what is wrong.',
  });
}

function refused({ name }: AgentClient, { resource, scope }: Target, answer: string): Finding {
  const isTarget = answer.startsWith('invalid_target');
  return finding('serious', isTarget ? 'agents.target' : 'agents.request', {
    what: `an authorization request of ${name} for ${resource}${scope === undefined ? '' : ` with the scope ${scope}`} is answered ${answer}`,
    why: `${name} gets no code.`,
    cure: isTarget
      ? `Write resources: { '${resource}': {} } in the options of authorizationServer, the URL letter by letter.`
      : 'The scopes of the guard have to be among those of the server, of the resource, and of what such clients can have (registration.scopes, clientIdMetadataDocuments.scopes).',
  });
}

/** Without a challenge there must be no code. */
async function checkPkce(
  { name, redirectUri }: AgentClient,
  endpoint: string,
  sent: ReturnType<typeof requestOf>,
): Promise<Finding[]> {
  const { code_challenge, code_challenge_method, ...bare } = sent;
  const answer = answerIn(await requestAsAgent(withQuery(endpoint, bare)), redirectUri);
  if (answer === undefined || !RIGHT.includes(answer.get('error') ?? '')) return [];
  return [
    finding('warning', 'agents.pkce-optional', {
      what: `a request of ${name} without PKCE is taken`,
      why: 'A stolen code is good for its thief (OAuth 2.1 §7.5.2).',
      cure: "Write security: { pkce: 'all' }, or agents: true.",
    }),
  ];
}

/** Tries what an agent does later: redeeming, refreshing, revoking; each with something that does not exist. */
export async function checkTokens(
  { name, clientId, redirectUri }: AgentClient,
  metadata: Metadata,
): Promise<Finding[]> {
  const endpoint = urlIn(metadata.token_endpoint);
  if (endpoint === undefined) return [];
  const findings: Finding[] = [];
  const tries = {
    'redeems a code': {
      grant_type: 'authorization_code',
      code: 'doctor',
      redirect_uri: redirectUri,
      code_verifier: 'doctor'.repeat(8),
    },
    refreshes: { grant_type: 'refresh_token', refresh_token: 'doctor' },
  };
  for (const [deed, form] of Object.entries(tries)) {
    const response = await postForm(endpoint, { client_id: clientId, ...form });
    if (errorOf(response) === 'invalid_grant') continue;
    findings.push(
      finding('serious', 'agents.token', {
        what: `${endpoint} answers ${describeAnswer(response)} to ${name}, which ${deed} that does not exist; it should be 400 invalid_grant`,
        why: `${name} gets no token, or does not hear that it has to ask the user again.`,
        cure: 'Something stands before the endpoint, or the grant type is off: app.use(oauth.clientRouter) as the first line of the app.',
      }),
    );
  }
  return [...findings, ...(await checkRevocation(clientId, metadata))];
}

/** RFC 7009 §2.2: 200 for a token that does not exist. */
async function checkRevocation(clientId: string, metadata: Metadata): Promise<Finding[]> {
  const endpoint = urlIn(metadata.revocation_endpoint);
  const requested = endpoint && (await postForm(endpoint, { client_id: clientId, token: 'doctor' }));
  if (
    requested !== undefined &&
    requested !== '' &&
    !(requested instanceof Error) &&
    requested.status === 200
  )
    return [];
  return [
    finding('warning', 'agents.revoke', {
      what:
        requested === undefined || requested === ''
          ? 'there is no revocation_endpoint'
          : `${endpoint} answers ${describeAnswer(requested)}, not 200`,
      why: 'Whoever disconnects in the agent leaves its tokens good until they end (RFC 7009).',
      cure: 'app.use(oauth.clientRouter) as the first line of the app.',
    }),
  ];
}
