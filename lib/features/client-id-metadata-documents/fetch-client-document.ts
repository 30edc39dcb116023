import { addSeconds } from '../../shared/date.js';
import { messageOf, OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import { fetchJson } from '../../shared/outbound/safe-fetch.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';

/** The timeout in milliseconds is short, because a user waits; §8.7 recommends 5 KB. */
const LIMITS = { timeout: 3000, maxBytes: 5120 };
/** Minimum cache time in seconds, whatever the headers say: a client must not cause a fetch for each request. */
const MIN_CACHE_TTL = 300;
/** Maximum cache time in seconds, also if fetching fails: a changed or deleted document takes effect within a day. */
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
    // the cause is only for the log: clients must not learn which addresses this server reaches
    throw unusableDocument('could not be fetched', { detail: `${clientId} ${messageOf(cause)}`, cause });
  });
  // §4: JSON or a type based on it, so that an HTML page is never read as a document
  if (!/^application\/([a-z0-9.!#$&^_-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw unusableDocument('is not sent as application/json');
  // RFC 9111 §4.2: seconds that the response stays fresh; 0 unless its headers say so. Imported here: it costs 6 ms of
  // CPU time, which a site without such clients saves.
  const { default: CachePolicy } = await import('http-cache-semantics');
  const policy = new CachePolicy({ url: '/', method: 'GET', headers: {} }, { status: 200, headers });
  const fresh = policy.storable() ? Math.floor(policy.timeToLive() / 1000) : 0;
  const life = Math.min(Math.max(fresh, MIN_CACHE_TTL), MAX_CACHE_TTL);
  return { body, document: { fetchedAt: now, freshUntil: addSeconds(now, life) } };
}

/** An error for the client's developer. Status 400, because no client has tried to authenticate. */
export function unusableDocument(problem: string, options: OAuthErrorOptions = {}): OAuthError {
  return new OAuthError('invalid_client', `the document at the client_id ${problem}`, {
    reason: 'client_document_unusable',
    status: 400,
    ...options,
  });
}
