import type { Client, ClientMetadata } from '../../core/clients/client.js';
import { CLIENT_FIELDS } from '../../core/clients/client-fields.js';
import { reviewAfterChange } from '../../core/clients/client-review.js';
import type {
  ClientConsents,
  ClientSource,
  ClientStore,
  FindClientOptions,
} from '../../core/clients/client-store.js';
import {
  capsOfDomain,
  isLetIn,
  isOfBlockedDomain,
  isVerifiedByOptions,
} from '../../core/clients/domain-trust.js';
import { standingOf } from '../../core/clients/provenance.js';
import { withinAllowed } from '../../core/clients/registry/owner-limits.js';
import {
  differences,
  hasNewIdentity,
  invalidateConsents,
  nextUpdateOf,
} from '../../core/clients/registry/update-client.js';
import { checkSector, checkSectorStays } from '../../core/clients/validation/sector-identifier.js';
import type { Emit } from '../../core/observability/events.js';
import type { ClientDocumentSettings } from '../../settings/features/client-document-options.js';
import { OAuthError } from '../../shared/errors.js';
import { createCache } from '../../shared/lru-cache.js';
import type { GetCaller, LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import { findClientIdUrlProblem, isClientIdUrl } from '../../shared/protocol/client-id-url.js';
import { type FetchClientDocument, type FetchedDocument, unusableDocument } from './fetch-client-document.js';
import { type ClientDocumentRules, parseClientDocument } from './metadata-document.js';

export interface DocumentedClientsDependencies {
  readonly clients: Pick<ClientStore, 'find' | 'update' | 'noteDocument'>;
  readonly consents: Pick<ClientConsents, 'forget'>;
  readonly settings: Pick<ClientDocumentSettings, 'trust' | 'allowLoopback' | 'maxCacheTtl'> & {
    /** Whether the site has to approve clients before users other than their owners can authorize them. */
    readonly approval: boolean;
  };
  readonly rules: ClientDocumentRules;
  readonly fetchDocument: FetchClientDocument;
  readonly limitUntrustedFetch: LimitUntrustedFetch;
  readonly emit: Emit;
}

/** Fields that have another name in a document, or several. */
const OWN_FIELDS = ['type', 'clientUri', 'logoUri', 'policyUri', 'tosUri'];
/** How many clients that nobody has allowed yet are remembered; they are stored nowhere else. */
const MAX_CLIENTS = 1000;

/**
 * Clients that describe themselves by a document at their client id, beside those that are registered. One is stored
 * when the first user has allowed it; until then it is remembered as long as its document is fresh.
 *
 * @see OAuth Client ID Metadata Document §5, §7.1, §8.4
 */
export function createDocumentedClients(dependencies: DocumentedClientsDependencies): ClientSource {
  const { clients, settings } = dependencies;
  const cached = createCache<Client>({ size: MAX_CLIENTS });
  const refresh = createRefresh(dependencies);

  const findUnknown = async (clientId: string, now: Date, getCaller?: GetCaller): Promise<Client> => {
    const known = cached.get(clientId);
    if (known?.document !== undefined && known.document.freshUntil > now) return known;
    const client = newClient(await describe(dependencies, { clientId, getCaller }, now), clientId, now);
    cached.set(clientId, client);
    return client;
  };

  return {
    async find(clientId, options = {}) {
      const found = await clients.find(clientId, options);
      const isUrl = isClientIdUrl(clientId, { allowLoopback: settings.allowLoopback });
      // §7.2: a client that the site has registered under a URL is what the site says it is
      const isOfHost = found !== null && found.document === undefined;
      if (!isUrl || (isOfHost && !isOfBlockedDomain(clientId, settings.trust))) return found;
      checkClientId(clientId, settings);
      const now = new Date();
      if (found === null) return withDomain(await findUnknown(clientId, now, options.getCaller), settings);
      cached.delete(clientId);
      const client = found.blocked === undefined ? await refresh(found, options, now) : found;
      return withDomain(client, settings);
    },
  };
}

/** A stored client, brought up to date with its document. */
function createRefresh(dependencies: DocumentedClientsDependencies) {
  const { clients, consents, settings, rules, emit } = dependencies;

  const store = async (before: Client, { metadata, document }: Described, now: Date): Promise<Client> => {
    const changes = differences(before, withinAllowed(before, metadata), ownFieldsOf(rules));
    if (Object.keys(changes).length === 0) {
      await clients.noteDocument(before.clientId, document);
      return { ...before, document };
    }
    const described = { ...before, ...changes };
    // no approval: the site has let in, or verified, whatever is at that address
    const review = reviewAfterChange(before, described, {
      by: 'others',
      approval: false,
      fields: rules.fields ?? CLIENT_FIELDS,
      now,
    });
    const update = () =>
      clients.update(
        before,
        { ...changes, ...review, document },
        { now: nextUpdateOf(before, now), takesOver: false },
      );
    // §8.4: users have allowed it under another name, or with somewhere else to go
    const isNowAnother = hasNewIdentity(before, described);
    const after = await (isNowAnother ? invalidateConsents(consents, before.clientId, update) : update());
    // somebody else has stored the same document, or a change by the site
    if (after === null) return (await clients.find(before.clientId)) ?? before;
    emit('client.updated', { clientId: before.clientId });
    return after;
  };

  return async (
    before: Client,
    { staleIfError = false, getCaller }: FindClientOptions,
    now: Date,
  ): Promise<Client> => {
    const { fetchedAt, freshUntil } = before.document ?? { fetchedAt: now, freshUntil: now };
    if (freshUntil > now) return before;
    const isRecent = now.getTime() - fetchedAt.getTime() < settings.maxCacheTtl * 1000;
    let described: Described;
    try {
      described = await describe(dependencies, { clientId: before.clientId, before, getCaller }, now);
    } catch (error) {
      // making this server ask a host too often must not keep out a client that users have allowed
      const isUsable = error instanceof OAuthError && (staleIfError || error.status === 429);
      if (isRecent && isUsable) return before;
      throw error;
    }
    return store(before, described, now);
  };
}

interface Described extends Pick<FetchedDocument, 'document'> {
  readonly metadata: ClientMetadata;
}

interface DescribedClient {
  readonly clientId: string;
  /** The client as it is stored; undefined if it is not. */
  readonly before?: Client;
  /** Who is charged for what is fetched. */
  readonly getCaller: GetCaller | undefined;
}

/** A document that says something impossible counts as a failure of its server, or it would be asked each time. */
function describe(
  dependencies: DocumentedClientsDependencies,
  described: DescribedClient,
  now: Date,
): Promise<Described> {
  const { clientId, before, getCaller } = described;
  const { fetchDocument, limitUntrustedFetch, rules, settings } = dependencies;
  const standing = before === undefined ? 'unknown' : standingOf(before);
  return limitUntrustedFetch({ url: clientId, clientId, standing, getCaller, isShared: true }, async () => {
    const isVerified = isVerifiedByOptions(clientId, settings.trust);
    const { body, document } = await fetchDocument(clientId, now);
    const metadata = parseClientDocument(body, clientId, { isVerified }, rules);
    await checkItsSector({ ...metadata, document }, dependencies, described);
    return { metadata, document };
  });
}

/** The codes of RFC 7591 are answers of another endpoint. */
async function checkItsSector(
  metadata: Described['metadata'] & Pick<Client, 'document'>,
  { rules, limitUntrustedFetch }: DocumentedClientsDependencies,
  { clientId, before, getCaller }: DescribedClient,
) {
  try {
    if (before !== undefined) checkSectorStays(metadata, before);
    await checkSector({ ...metadata, clientId }, { ...rules, limitUntrustedFetch }, { before, getCaller });
  } catch (error) {
    if (!(error instanceof OAuthError) || error.error === 'temporarily_unavailable') throw error;
    throw unusableDocument(`cannot be used here: ${error.description}`, error);
  }
}

function newClient({ metadata, document }: Described, clientId: string, now: Date): Client {
  const unstored = { ...document, isUnstored: true } as const;
  return { ...metadata, clientId, secrets: [], createdAt: now, updatedAt: now, document: unstored };
}

/** What a document can say; the rest is up to the site, and stays as it is. */
function ownFieldsOf({ fields = CLIENT_FIELDS }: ClientDocumentRules) {
  return fields.filter(({ name, wire }) => wire !== undefined || OWN_FIELDS.includes(name));
}

/** What the site's options say of the client's host; it holds only as long as they do, so it is not stored. */
function withDomain(client: Client, { trust }: DocumentedClientsDependencies['settings']): Client {
  if (client.document === undefined) return client;
  const { host, hostname } = new URL(client.clientId);
  const caps = capsOfDomain(hostname, trust);
  const document = { ...client.document, ...(caps && { caps }) };
  if (client.verified === true) return { ...client, document };
  // what it called itself while the options verified it is no longer shown
  if (!isVerifiedByOptions(client.clientId, trust)) return { ...client, name: host, document };
  return { ...client, verified: true, document: { ...document, isVerifiedByOptions: true } };
}

function checkClientId(
  clientId: string,
  { trust, approval }: DocumentedClientsDependencies['settings'],
): void {
  const problem = findClientIdUrlProblem(clientId);
  if (problem !== undefined)
    throw new OAuthError('invalid_client', `the client_id ${problem}`, {
      reason: 'client_unknown',
      status: 400,
    });
  const { hostname } = new URL(clientId);
  // a client that is not stored has no entry to approve, so its host decides
  const isApproved = !approval || trust.allow !== undefined || isVerifiedByOptions(clientId, trust);
  if (!isApproved || !isLetIn(hostname, trust))
    throw new OAuthError('invalid_client', `this site does not let in applications of ${hostname}`, {
      reason: 'client_not_let_in',
      status: 400,
    });
}
