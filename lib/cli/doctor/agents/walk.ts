import { CliError, EXIT } from '../../exit.js';
import type { Io } from '../../io.js';
import { type Finding, finding } from '../finding.js';
import { urlIn } from './asking.js';
import { checkChallenge } from './challenge.js';
import { describedAs } from './documents.js';
import { KNOWN_CLIENTS, type KnownClient } from './known-clients.js';
import { registerAs, type TriedClient } from './registration.js';
import { checkOfflineAccess, checkRequest, checkTokens, type Target } from './requests.js';
import { checkResource } from './resource.js';
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
  const tell = teller(io);
  const known: readonly KnownClient[] =
    clientDocument === undefined
      ? KNOWN_CLIENTS
      : [
          ...KNOWN_CLIENTS.map(({ name, redirectUris }) => ({ name, redirectUris })),
          documentOf(clientDocument),
        ];
  const challenge = await tell(`calling ${url} without a token`, checkChallenge(url));
  if (
    challenge.findings.some(({ severity, check }) => severity === 'serious' && check !== 'agents.challenge')
  )
    return [...challenge.findings];
  const resource = await tell('reading the metadata of the resource', checkResource(url, challenge));
  const before = [...challenge.findings, ...resource.findings];
  if (resource.issuer === undefined) return before;
  const server = await tell(`reading the metadata of ${resource.issuer}`, checkServer(resource.issuer));
  if (server.metadata === undefined) return [...before, ...server.findings];
  const scope = challenge.scope ?? (resource.scopes.length > 0 ? resource.scopes.join(' ') : undefined);
  const target: Target = { metadata: server.metadata, resource: resource.resource ?? url, scope };
  return [...before, ...server.findings, ...(await playAll(tell, known, target))];
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

async function playAll(tell: Tell, known: readonly KnownClient[], target: Target): Promise<Finding[]> {
  const { metadata } = target;
  const registrable = known.filter(({ redirectUris }) => redirectUris.length > 0);
  const endpoint = urlIn(metadata.registration_endpoint);
  const registered =
    endpoint === undefined
      ? { findings: [], clients: [], undo: () => Promise.resolve([]) }
      : await tell('registering as agents do', registerAs(endpoint, registrable));
  try {
    const documents =
      metadata.client_id_metadata_document_supported === true
        ? await tell('reading the documents of agents', describedAs(known))
        : { findings: [], clients: [] };
    const played = await play(tell, [...registered.clients, ...documents.clients], target);
    return [...registered.findings, ...documents.findings, ...played, ...(await registered.undo())];
  } catch (error) {
    await registered.undo();
    throw error;
  }
}

async function play(tell: Tell, clients: readonly TriedClient[], target: Target): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const client of clients)
    findings.push(
      ...(await tell(`asking for authorization as ${client.name}`, checkRequest(client, target))),
    );
  const [first] = clients;
  if (first === undefined) return [...findings, nobodyTried(target.metadata)];
  findings.push(
    ...(await tell(`asking with offline_access as ${first.name}`, checkOfflineAccess(first, target))),
  );
  findings.push(...(await tell('redeeming, refreshing and revoking', checkTokens(first, target.metadata))));
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
type Tell = <T>(label: string, work: Promise<T>) => Promise<T>;

function teller({ stderr }: Io): Tell {
  return async (label, work) => {
    stderr.write(`… ${label}\n`);
    return work;
  };
}
