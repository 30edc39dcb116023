import { createHash } from 'node:crypto';

import type { Client } from '../../core/clients/client.js';
import { findPageUriProblem } from '../../core/clients/page-uri.js';
import { standingOf } from '../../core/clients/provenance.js';
import { type ClientFetchLimits, fetchLimitsFor } from '../../core/clients/untrusted-fetch-limits.js';
import { notifyHost } from '../../core/observability/report.js';
import type { OnError } from '../../settings/options/on-error.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError, unableForTheMoment } from '../../shared/errors.js';
import { createCache } from '../../shared/lru-cache.js';
import type { LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import { fetchBytes, type FetchLimits } from '../../shared/outbound/safe-fetch.js';
import type { ClientLogo } from '../../storage/other/client-logos.js';
import type { Stores } from '../../storage/stores.js';

const MAX_BYTES = 131_072;
/** Seconds. In the second half, the next grant to the client extends it. */
const LIFE = 180 * 86_400;
/** Lifetime in seconds of a failure, and of the logo of a self-registered client without a grant. */
const SHORT_LIFE = 86_400;
/** Seconds until a process checks a client's logo again. */
const PAUSE = 3600;
const ACCEPT = 'image/png, image/jpeg, image/gif, image/webp, image/svg+xml';

/** The `logoUri` of a client, from its metadata or its registration. */
const logoUriOf = ({ logoUri, registration }: Client) => logoUri ?? registration?.details?.logoUri;

/** A hash of the logo's URL for its address here. One URL always has one picture, which browsers cache for ever. */
export const logoVersionOf = (url: string) =>
  createHash('sha256').update(url).digest('base64url').slice(0, 16);

/**
 * Wraps a client store: fetches logos in the background when clients are stored or changed. This site serves them, so
 * that no client's server learns who views a page. A grant fetches a missing logo (after a command line or a killed
 * process); a page never does.
 *
 * @see OAuth Client ID Metadata Document §8.8
 */
export function withClientLogos(options: {
  readonly clients: Stores['clients'];
  readonly logos: Stores['clientLogos'];
  readonly limits: ClientFetchLimits;
  readonly limitUntrustedFetch: LimitUntrustedFetch;
  readonly onError: OnError | undefined;
}) {
  const { clients, logos, limits, limitUntrustedFetch, onError } = options;
  const ensured = createCache<{ readonly state: string }>({ size: 10_000, ttl: PAUSE });
  let isClosed = false;
  const inBackground = (clientId: string, work: () => Promise<unknown>): void => {
    work().catch((cause: unknown) => {
      ensured.delete(clientId);
      if (isClosed) return;
      const error = unableForTheMoment('the logo of a client could not be stored', cause);
      notifyHost(onError, error, { requestId: '', endpoint: 'clients' });
    });
  };

  const ensure = (client: Client, life: number): void => {
    const { clientId } = client;
    const url = logoUriOf(client);
    const state = `${life} ${url}`;
    if (isClosed || url === undefined || findPageUriProblem(url) !== undefined) return;
    if (ensured.get(clientId)?.state === state) return;
    ensured.set(clientId, { state });
    inBackground(clientId, async () => {
      const now = new Date();
      // another process may have changed or deleted the client
      const save = async (logo: Partial<ClientLogo>, ttl: number) => {
        const current = isClosed ? null : await clients.find(clientId);
        if (current !== null && logoUriOf(current) === url)
          await logos.save(clientId, { url, ...logo, expiresAt: addSeconds(now, ttl) });
      };
      const stored = await logos.findState(clientId);
      const isSame = stored?.url === url && stored.expiresAt > now;
      if (isSame && (stored.type === undefined || stored.expiresAt >= addSeconds(now, life / 2))) return;
      try {
        // each change of the URL fetches again
        const fetch = { url, clientId, standing: standingOf(client), isPerRequest: true };
        const logo = isSame
          ? {}
          : await limitUntrustedFetch(fetch, () => fetchLogo(url, fetchLimitsFor(limits, client, url)));
        await save(logo, life);
      } catch (error) {
        // a rate limit or the database, not a failure of the client's server
        if (error instanceof OAuthError) return void ensured.delete(clientId);
        await save({ type: undefined, data: undefined }, SHORT_LIFE);
      }
    });
  };
  const ensureFor = (client: Client) =>
    ensure(client, client.registration?.unusedSince === undefined ? LIFE : SHORT_LIFE);
  const forget = (clientId: string): void => {
    ensured.delete(clientId);
    inBackground(clientId, () => logos.delete(clientId));
  };

  const follow = (before: Client, after: Client | null): void => {
    if (after !== null && logoUriOf(after) !== undefined) ensureFor(after);
    else if (logoUriOf(before) !== undefined) forget(before.clientId);
  };

  const following: Stores['clients'] = {
    ...clients,
    async insert(client) {
      const stored = await clients.insert(client);
      if (stored !== null) ensureFor(stored);
      return stored;
    },
    async update(before, ...change) {
      const after = await clients.update(before, ...change);
      if (after !== null) follow(before, after);
      return after;
    },
    async replaceRegistered(current, replacement) {
      const isReplaced = await clients.replaceRegistered(current, replacement);
      if (isReplaced) follow(current, await clients.find(current.clientId));
      return isReplaced;
    },
    async prolong(client, now) {
      const isProlonged = await clients.prolong(client, now);
      ensure(client, LIFE);
      return isProlonged;
    },
    async delete(clientId) {
      const isDeleted = await clients.delete(clientId);
      if (isDeleted) forget(clientId);
      return isDeleted;
    },
    async deleteRegistered(clientId, hash) {
      const isDeleted = await clients.deleteRegistered(clientId, hash);
      if (isDeleted) forget(clientId);
      return isDeleted;
    },
  };
  return {
    clients: following,
    /** Stops fetching and storing; a later grant fetches what is missing. */
    close() {
      isClosed = true;
    },
  };
}

const SIGNATURES: readonly (readonly [type: string, begin: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF....WEBP/s],
];

/**
 * Accepts only pictures, judged by their content, since this site serves them. An SVG has no signature, so its content
 * type counts; the endpoint's policy stops its scripts.
 *
 * @throws Error
 */
async function fetchLogo(url: string, limits: FetchLimits) {
  const { bytes, headers } = await fetchBytes(url, { ...limits, maxBytes: MAX_BYTES }, ACCEPT);
  const begin = bytes.toString('latin1', 0, 16);
  const isSvg =
    /^image\/svg\+xml\s*(;|$)/i.test(headers['content-type'] ?? '') && /<svg[\s>]/i.test(bytes.toString());
  const [type = isSvg ? 'image/svg+xml' : undefined] =
    SIGNATURES.find(([, signature]) => signature.test(begin)) ?? [];
  if (type === undefined) throw new Error('did not answer a picture');
  return { type, data: bytes.toString('base64') };
}
