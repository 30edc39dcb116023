import type { IncomingHttpHeaders } from 'node:http';

import { checkTarget, safeFetch, type SafeFetchLimits } from './safe-fetch.js';
import { answerInTime } from './send-request.js';

/** The answer, without its body. */
export interface PostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Posts JSON to a URL: HTTPS only, no private addresses, no redirects, and a limit in time. Of the answer only the
 * headers are read, however long it is.
 *
 * @throws Error that says what was wrong with the URL, or that there was no answer
 */
export async function post(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  limits: SafeFetchLimits,
): Promise<PostAnswer> {
  const target = new URL(url);
  checkTarget(target, limits);
  return answerInTime(limits.timeout, async (signal) => {
    const sent = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    };
    const response = await safeFetch(target, { headers: sent, body, signal }, limits);
    response.destroy();
    return { status: response.statusCode ?? 0, headers: response.headers };
  });
}
