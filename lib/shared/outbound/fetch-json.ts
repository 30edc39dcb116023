import type { IncomingHttpHeaders } from 'node:http';

import { checkTarget, safeFetch, type SafeFetchLimits } from './safe-fetch.js';
import { answerInTime, readBytes } from './send-request.js';

/** The same, with a limit for what is read of the answer. */
export interface FetchLimits extends SafeFetchLimits {
  readonly maxBytes: number;
}

/**
 * Fetches JSON from a URL that a stranger has chosen: HTTPS only, no private addresses, no redirects, and limits in
 * time and size.
 *
 * @throws Error that says what was wrong with the URL or the answer
 */
export async function fetchJson(url: string, limits: FetchLimits): Promise<unknown> {
  return (await fetchJsonAnswer(url, limits)).body;
}

/** JSON, and the headers of the answer. */
export interface JsonAnswer {
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** The same with the headers of the answer. @throws Error as `fetchJson` */
export async function fetchJsonAnswer(url: string, limits: FetchLimits): Promise<JsonAnswer> {
  const { text, headers } = await fetchText(url, limits, 'application/json');
  try {
    return { body: JSON.parse(text) as unknown, headers };
  } catch (cause) {
    throw new Error('did not answer JSON', { cause });
  }
}

/** Text from the same kind of URL, with the headers of the answer. @throws Error as `fetchJson` */
export async function fetchText(
  url: string,
  limits: FetchLimits,
  accept: string,
): Promise<{ readonly text: string; readonly headers: IncomingHttpHeaders }> {
  const { bytes, headers } = await fetchBytes(url, limits, accept);
  return { text: bytes.toString(), headers };
}

/** The same, as it was sent. @throws Error as `fetchJson` */
export async function fetchBytes(
  url: string,
  limits: FetchLimits,
  accept: string,
): Promise<{ readonly bytes: Buffer; readonly headers: IncomingHttpHeaders }> {
  const { maxBytes } = limits;
  const target = new URL(url);
  checkTarget(target, limits);
  return answerInTime(limits.timeout, async (signal) => {
    const response = await safeFetch(target, { headers: { accept }, signal }, limits);
    // a redirect is not an answer: its target was not checked, and not registered either
    if (response.statusCode !== 200) throw new Error(`answered with status ${response.statusCode}`);
    if (Number(response.headers['content-length'] ?? 0) > maxBytes)
      throw new Error(`answered with more than ${maxBytes} bytes`);
    // an answer that was cut off may look whole, but ends in Node's error "aborted"
    return {
      bytes: await readBytes(response as AsyncIterable<Buffer>, maxBytes),
      headers: response.headers,
    };
  });
}
