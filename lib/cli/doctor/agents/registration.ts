import { type Finding, finding } from '../finding.js';
import { describeAnswer, postJson, requestAsAgent, urlIn } from './agent-requests.js';
import type { KnownClient } from './known-clients.js';

/** The client of an agent, for as long as it is tried. */
export interface AgentClient {
  readonly name: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** The clients that were registered as these agents do it, and what went wrong. */
export interface Registered {
  readonly findings: readonly Finding[];
  readonly clients: readonly AgentClient[];
  /** Removes the clients again. */
  readonly undo: () => Promise<Finding[]>;
}

interface Registration {
  readonly client: AgentClient;
  readonly uri: string | undefined;
  readonly token: string | undefined;
}

/** @see RFC 7591 §3, RFC 7592 §2.3 */
export async function registerAs(endpoint: string, known: readonly KnownClient[]): Promise<Registered> {
  const findings: Finding[] = [];
  const registrations: Registration[] = [];
  for (const agent of known) {
    const response = await postJson(endpoint, {
      client_name: `Doctor as ${agent.name}`,
      redirect_uris: agent.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const clientId = response instanceof Error ? undefined : response.json?.client_id;
    if (response instanceof Error || response.status !== 201 || typeof clientId !== 'string') {
      findings.push(notRegistered(endpoint, agent, describeAnswer(response)));
      continue;
    }
    const [redirectUri = ''] = agent.redirectUris;
    const { registration_client_uri: uri, registration_access_token: token } = response.json ?? {};
    registrations.push({
      client: { name: agent.name, clientId, redirectUri },
      uri: urlIn(uri),
      token: typeof token === 'string' ? token : undefined,
    });
  }
  return {
    findings,
    clients: registrations.map(({ client }) => client),
    undo: async () => (await Promise.all(registrations.map(remove))).flat(),
  };
}

function notRegistered(endpoint: string, { name, redirectUris }: KnownClient, answer: string): Finding {
  const isAboutRedirect = answer.includes('redirect');
  return finding('serious', isAboutRedirect ? 'agents.redirect-uri' : 'agents.register', {
    what: `${name} cannot register at ${endpoint} with ${redirectUris.join(', ')}: ${answer}`,
    why: `${name} cannot connect that way (RFC 7591 §3.2.2).`,
    cure: isAboutRedirect
      ? `Let in where ${name} is called back: a list of hosts that stands before the registration, or a rule of yours, keeps it out.`
      : 'Write registration: { open: true }, or agents: true; 503 and 429 pass by themselves. If something else answers, let the request through.',
  });
}

/** Removes a client that was registered for a try: nobody uses it. */
async function remove({ client, uri, token }: Registration): Promise<Finding[]> {
  const answer =
    uri === undefined || token === undefined
      ? undefined
      : await requestAsAgent(uri, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } });
  if (answer !== undefined && !(answer instanceof Error) && answer.status < 300) return [];
  return [
    finding('note', 'agents.left', {
      what: `the client ${client.clientId}, registered for a try as ${client.name}, could not be taken away again`,
      why: 'Nobody uses it. This package removes it by itself after a day.',
      cure: 'Delete it: clients delete, followed by its id.',
    }),
  ];
}
