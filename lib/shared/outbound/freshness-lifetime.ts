import type { IncomingHttpHeaders } from 'node:http';

import CachePolicy from 'http-cache-semantics';

/**
 * Seconds that an answer to a GET stays fresh according to its headers; 0 if they say so, or say nothing.
 *
 * @see RFC 9111 §4.2
 */
export function freshnessLifetime(headers: IncomingHttpHeaders): number {
  const policy = new CachePolicy({ url: '/', method: 'GET', headers: {} }, { status: 200, headers });
  return policy.storable() ? Math.floor(policy.timeToLive() / 1000) : 0;
}
