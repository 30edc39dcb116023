import { addSeconds } from '../../shared/date.js';
import { messageOf, OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import { fetchJson } from '../../shared/outbound/safe-fetch.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';

/** Milliseconds, since a user waits; and the 5 KB that §8.7 recommends. */
const LIMITS = { timeout: 3000, maxBytes: 5120 };
/** Seconds that a document is used, whatever its headers say: they must not cause a fetch for each request. */
const MIN_CACHE_TTL = 300;
/** Seconds, also if the document cannot be fetched: a client that has changed, or is gone, is noticed within a day. */
export const MAX_CACHE_TTL = 86_400;

/**
 * Fetches the document at a client id, unchecked.
 *
 * @param allowLoopback whether a document may be on this machine
 * @see OAuth Client ID Metadata Document §5, §8.6, §8.7
 */
export async function fetchClientDocument(clientId: string, allowLoopback: boolean, now: Date) {
  const allowPrivateAddresses = allowLoopback && isLoopbackHost(new URL(clientId).hostname);
  const fetched = fetchJson(clientId, { ...LIMITS, allowPrivateAddresses });
  const { body, headers } = await fetched.catch((cause: unknown) => {
    // the cause is for the log: clients are not told what can be reached from this server
    throw unusableDocument('could not be fetched', { detail: `${clientId} ${messageOf(cause)}`, cause });
  });
  // §4: JSON, or a type based on it; a page that happens to be JSON was not meant to be a document
  if (!/^application\/([a-z0-9.!#$&^_-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw unusableDocument('is not sent as application/json');
  // RFC 9111 §4.2: seconds that the answer stays fresh; 0 if its headers say so, or say nothing. Loaded here: a site
  // that fetches nothing does not wait for it at its start, 6 ms of CPU time
  const { default: CachePolicy } = await import('http-cache-semantics');
  const policy = new CachePolicy({ url: '/', method: 'GET', headers: {} }, { status: 200, headers });
  const fresh = policy.storable() ? Math.floor(policy.timeToLive() / 1000) : 0;
  const life = Math.min(Math.max(fresh, MIN_CACHE_TTL), MAX_CACHE_TTL);
  return { body, document: { fetchedAt: now, freshUntil: addSeconds(now, life) } };
}

/**
 * What is wrong with the document at a client id, in words for its developer. 400, since nobody has tried to
 * authenticate.
 */
export function unusableDocument(problem: string, options: OAuthErrorOptions = {}): OAuthError {
  return new OAuthError('invalid_client', `the document at the client_id ${problem}`, {
    reason: 'client_document_unusable',
    status: 400,
    ...options,
  });
}
