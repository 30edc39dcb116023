import type { Credential } from '../../core/clients/auth-method-info.js';
import type { Client } from '../../core/clients/client.js';
import { reviewAfterChange } from '../../core/clients/client-review.js';
import type { ClientSource, FindClientOptions } from '../../core/clients/client-store.js';
import { blockedDomains, isLetIn, isVerifiedByOptions } from '../../core/clients/domain-trust.js';
import { standingOf } from '../../core/clients/provenance.js';
import { withinAllowed } from '../../core/clients/registry/owner-limits.js';
import { differences, invalidateConsents, nextUpdatedAt } from '../../core/clients/registry/update-client.js';
import { checkSector, checkSectorStays } from '../../core/clients/validation/sector-identifier.js';
import type { FeatureParts } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { OAuthError } from '../../shared/errors.js';
import { createCache } from '../../shared/lru-cache.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { findClientIdUrlProblem, isClientIdUrl } from '../../shared/protocol/client-id-url.js';
import { fetchClientDocument, MAX_CACHE_TTL, unusableDocument } from './fetch-client-document.js';
import { parseClientDocument } from './metadata-document.js';

/** §4.1: no shared secrets. Certificates are for clients that a user registers. */
const CREDENTIALS: readonly Credential[] = ['none', 'keys', 'svid'];
/** Fields whose name in a document is different, or that have several names there. */
const OWN_FIELDS = ['type', 'clientUri', 'logoUri', 'policyUri', 'tosUri'];
/** Maximum number of cached clients before their first consent; the database does not have them. */
const MAX_CLIENTS = 1000;

/**
 * Clients that publish their metadata at their client id, beside registered clients. A client is stored when the first
 * user has allowed it. Until then it is cached as long as its document is fresh.
 *
 * @see OAuth Client ID Metadata Document §5, §7.1, §8.4
 */
export function createDocumentedClients({
  settings,
  models,
  emit,
  limitUntrustedFetch,
  ...parts
}: FeatureParts): ClientSource {
  const { clients, consents } = models;
  const { approval } = settings.applications;
  const options = requireEnabled(settings.clientIdMetadataDocuments, 'clientIdMetadataDocuments');
  const { trust, allowLoopback, grantTypes, scopes, anyRedirectHost } = options;
  const rules = {
    ...parts.rules,
    methods: parts.rules.methods.filter(({ credential }) => CREDENTIALS.includes(credential)),
    grantTypes,
    scopes,
    defaultScopes: scopes,
    anyRedirectHost,
  };
  const { fields } = rules;
  const isBlockedDomain = blockedDomains(settings);
  const cached = createCache<Client>({ size: MAX_CLIENTS });

  /** An invalid document counts as a failure of its server, so that it is not fetched for each request. */
  const describe = (
    clientId: string,
    before: Client | undefined,
    getCaller: GetCaller | undefined,
    now: Date,
  ) => {
    const standing = before === undefined ? 'unknown' : standingOf(before);
    return limitUntrustedFetch({ url: clientId, clientId, standing, getCaller, isShared: true }, async () => {
      const isVerified = isVerifiedByOptions(clientId, trust);
      const { body, document } = await fetchClientDocument(clientId, allowLoopback, now);
      const metadata = parseClientDocument(body, clientId, isVerified, rules);
      try {
        if (before !== undefined) checkSectorStays(metadata, before);
        const sectorRules = { ...rules, limitUntrustedFetch };
        await checkSector({ ...metadata, document, clientId }, sectorRules, { before, getCaller });
      } catch (error) {
        if (!(error instanceof OAuthError) || error.error === 'temporarily_unavailable') throw error;
        // the error codes of RFC 7591 are for the registration endpoint
        throw unusableDocument(`cannot be used here: ${error.description}`, error);
      }
      return { metadata, document };
    });
  };

  /** Updates a stored client from its document. */
  const refresh = async (
    before: Client,
    { staleIfError = false, getCaller }: FindClientOptions,
    now: Date,
  ): Promise<Client> => {
    const { clientId } = before;
    const { fetchedAt, freshUntil } = before.document ?? { fetchedAt: now, freshUntil: now };
    if (freshUntil > now) return before;
    const isRecent = now.getTime() - fetchedAt.getTime() < MAX_CACHE_TTL * 1000;
    let described: Awaited<ReturnType<typeof describe>>;
    try {
      described = await describe(clientId, before, getCaller, now);
    } catch (error) {
      // a rate limit on fetches must not lock out a client that users have allowed
      const isUsable = error instanceof OAuthError && (staleIfError || error.status === 429);
      if (isRecent && isUsable) return before;
      throw error;
    }

    const { metadata, document } = described;
    // the site sets the fields that a document cannot have; they stay as they are
    const settable = fields.filter(({ name, wire }) => wire !== undefined || OWN_FIELDS.includes(name));
    const changes = differences(before, withinAllowed(before, metadata), settable);
    if (Object.keys(changes).length === 0) {
      await clients.noteDocument(clientId, document);
      return { ...before, document };
    }
    const changed = { ...before, ...changes };
    // no approval: the site has allowed or verified the address, not one version of its document
    const review = reviewAfterChange(before, changed, { by: 'others', approval: false, fields, now });
    const next = { now: nextUpdatedAt(before, now), takesOver: false };
    // §8.4: users have consented to another name or redirect URI
    const after = await invalidateConsents(consents, before, changed, () =>
      clients.update(before, { ...changes, ...review, document }, next),
    );
    // another process has stored the same document, or the site has changed the client
    if (after === null) return (await clients.find(clientId)) ?? before;
    emit('client.updated', { clientId });
    return after;
  };

  return {
    async find(clientId, finding = {}) {
      const stored = await clients.find(clientId, finding);
      // §7.2: a client that the site has registered under a URL keeps the site's values
      const isOfHost = stored !== null && stored.document === undefined;
      if (!isClientIdUrl(clientId, { allowLoopback })) return stored;
      if (isOfHost && !isBlockedDomain(clientId)) return stored;
      const idProblem = findClientIdUrlProblem(clientId);
      if (idProblem !== undefined)
        throw new OAuthError('invalid_client', `the client_id ${idProblem}`, {
          reason: 'client_unknown',
          status: 400,
        });
      const { host, hostname } = new URL(clientId);
      // without an approval in the database, the options for its host decide
      const isApproved = !approval || trust.allow !== undefined || isVerifiedByOptions(clientId, trust);
      if (!isApproved || !isLetIn(hostname, trust))
        throw new OAuthError('invalid_client', `this site does not let in applications of ${hostname}`, {
          reason: 'client_not_let_in',
          status: 400,
        });

      const now = new Date();
      let client = stored ?? cached.get(clientId);
      if (stored !== null) {
        cached.delete(clientId);
        client = stored.blocked === undefined ? await refresh(stored, finding, now) : stored;
      } else if (client?.document === undefined || client.document.freshUntil <= now) {
        const { metadata, document } = await describe(clientId, undefined, finding.getCaller, now);
        const unstored = { ...document, isUnstored: true } as const;
        client = { ...metadata, clientId, secrets: [], createdAt: now, updatedAt: now, document: unstored };
        cached.set(clientId, client);
      }
      if (client?.document === undefined) return client ?? null;

      if (client.verified === true) return client;
      // the name was only verified by an option that no longer has the host
      if (!isVerifiedByOptions(clientId, trust)) return { ...client, name: host };
      // verification by the options is not stored: it ends if the option changes
      return { ...client, verified: true, document: { ...client.document, isVerifiedByOptions: true } };
    },
  };
}
