import { CliError, EXIT } from '../../exit.js';
import type { Io } from '../../io.js';
import { type Finding, finding } from '../finding.js';
import { urlIn } from './agent-requests.js';
import { type Challenge, checkChallenge } from './challenge.js';
import { describedAs } from './documents.js';
import { KNOWN_CLIENTS, type KnownClient } from './known-clients.js';
import { type AgentClient, registerAs } from './registration.js';
import { checkAuthorizationRequest, checkOfflineAccess, checkTokens, type Target } from './requests.js';
import { checkResource, type Resource } from './resource.js';
import { checkServer, type Metadata } from './server.js';

export interface AgentsToPlay {
  /** The URL of the MCP endpoint. */
  readonly url: string;
  /** The URL of a client metadata document, to be tried instead of the known ones. */
  readonly clientDocument?: string | undefined;
}

/** Does what agents do, and reports what they would meet. */
export async function checkAgents(io: Io, { url, clientDocument }: AgentsToPlay): Promise<Finding[]> {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CliError(
      `'${url}' is not the URL of an MCP endpoint`,
      EXIT.usage,
      'Write --mcp https://photos.example/mcp',
    );
  const notify = teller(io);
  const known: readonly KnownClient[] =
    clientDocument === undefined
      ? KNOWN_CLIENTS
      : [
          ...KNOWN_CLIENTS.map(({ name, redirectUris }) => ({ name, redirectUris })),
          documentOf(clientDocument),
        ];
  const challenge = await notify(`calling ${url} without a token`, checkChallenge(url));
  if (
    challenge.findings.some(({ severity, check }) => severity === 'serious' && check !== 'agents.challenge')
  )
    return [...challenge.findings];
  const resource = await notify('reading the metadata of the resource', checkResource(url, challenge));
  const before = [...challenge.findings, ...resource.findings, ...stepUpNote(challenge, resource)];
  if (resource.issuer === undefined) return before;
  const server = await notify(`reading the metadata of ${resource.issuer}`, checkServer(resource.issuer));
  if (server.metadata === undefined) return [...before, ...server.findings];
  const scope = challenge.scope ?? (resource.scopes.length > 0 ? resource.scopes.join(' ') : undefined);
  const target: Target = { metadata: server.metadata, resource: resource.resource ?? url, scope };
  return [...before, ...server.findings, ...(await playAll(notify, known, target))];
}

/** Of SDK 1, `client/auth.js` answers a 403 with the refresh token that it has, and asks nobody. */
function stepUpNote({ scope }: Challenge, { scopes }: Resource): Finding[] {
  const first = scope?.split(' ') ?? [];
  const later = scopes.filter((name) => !first.includes(name));
  if (scope === undefined || later.length === 0) return [];
  return [
    finding('note', 'agents.step-up', {
      what: `the challenge of the endpoint names ${first.join(' ')}, and ${later.join(' ')} is asked for later`,
      why: 'Agents built on version 1 of the MCP SDK refresh their token when a tool needs more, instead of asking the user: with a refresh token they never get it, and report a 403.',
      cure: 'If such agents matter to you, name all scopes at the endpoint: oauth.mcp({ scopes: [ … ] }). Agents built on version 2 ask the user.',
    }),
  ];
}

function documentOf(document: string): KnownClient {
  if (urlIn(document) === undefined)
    throw new CliError(
      `'${document}' is not a URL`,
      EXIT.usage,
      'Write --client-document https://ink.example/client.json',
    );
  return { name: new URL(document).host, redirectUris: [], document };
}

async function playAll(notify: Notify, known: readonly KnownClient[], target: Target): Promise<Finding[]> {
  const { metadata } = target;
  const registrable = known.filter(({ redirectUris }) => redirectUris.length > 0);
  const endpoint = urlIn(metadata.registration_endpoint);
  const registered =
    endpoint === undefined
      ? { findings: [], clients: [], undo: () => Promise.resolve([]) }
      : await notify('registering as agents do', registerAs(endpoint, registrable));
  try {
    const documents =
      metadata.client_id_metadata_document_supported === true
        ? await notify('reading the documents of agents', describedAs(known))
        : { findings: [], clients: [] };
    const played = await play(notify, [...registered.clients, ...documents.clients], target);
    return [...registered.findings, ...documents.findings, ...played, ...(await registered.undo())];
  } catch (error) {
    await registered.undo();
    throw error;
  }
}

async function play(notify: Notify, clients: readonly AgentClient[], target: Target): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const client of clients)
    findings.push(
      ...(await notify(
        `asking for authorization as ${client.name}`,
        checkAuthorizationRequest(client, target),
      )),
    );
  const [first] = clients;
  if (first === undefined) return [...findings, nobodyTried(target.metadata)];
  findings.push(
    ...(await notify(`asking with offline_access as ${first.name}`, checkOfflineAccess(first, target))),
  );
  findings.push(...(await notify('redeeming, refreshing and revoking', checkTokens(first, target.metadata))));
  return findings;
}

function nobodyTried({ issuer }: Metadata): Finding {
  return finding('warning', 'agents.untried', {
    what: `no agent could be played at ${String(issuer)}`,
    why: 'There was no client to ask with, so the authorization endpoint and the token endpoint were not tried.',
    cure: 'See what is said of registration and documents.',
  });
}

/** Says on stderr what is being done. */
type Notify = <T>(label: string, work: Promise<T>) => Promise<T>;

function teller({ stderr }: Io): Notify {
  return async (label, work) => {
    stderr.write(`… ${label}\n`);
    return work;
  };
}
