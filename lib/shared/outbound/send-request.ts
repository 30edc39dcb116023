import { withTimeout } from '../limits/deadline.js';

/** Bytes, many times the size of metadata, keys or an introspection. */
const MAX_BYTES = 1_048_576;

/** The request; a redirect is an error unless `redirect` allows it. */
export type OutgoingRequest = Pick<RequestInit, 'method' | 'headers' | 'body' | 'redirect'>;

/**
 * Sends a request to a server that the site's options name: with the platform's `fetch`, its proxies and kept
 * connections, and without a check of addresses. The whole response, including its body, is limited in time and size.
 *
 * @param timeout milliseconds for the whole request
 * @throws Error
 */
export function sendRequest(url: string, question: OutgoingRequest, timeout: number): Promise<Response> {
  return answerInTime(timeout, async (signal) => {
    const { status, headers, body } = await fetch(url, { redirect: 'error', ...question, signal });
    const text = body === null ? null : (await readBytes(body, MAX_BYTES)).toString();
    return new Response(text, { status, headers });
  });
}

/**
 * The content of a body of at most this many bytes; reading stops beyond.
 *
 * @throws Error
 */
export async function readBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // leaving the loop cancels the body
    if (size > maxBytes) throw new Error(`answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The response of another server, within this many milliseconds.
 *
 * @throws Error named TimeoutError, or the error of `ask`
 */
export function answerInTime<T>(milliseconds: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withTimeout(
    milliseconds,
    ask,
    () => new DOMException(`timeout: no answer in ${milliseconds} ms`, 'TimeoutError'),
  );
}
