import { answerInTime } from './answer-in-time.js';
import { readText } from './read-text.js';

/** Far more than metadata, keys or an introspection need. */
const MAX_BYTES = 1_048_576;

/** The request; a redirect is an error unless it says otherwise. */
export type Question = Pick<RequestInit, 'method' | 'headers' | 'body' | 'redirect'>;

/**
 * Asks a server that the host's options name, so with the platform's `fetch`, with its proxies and kept connections,
 * and without a check of addresses. The whole answer, including its body, is limited in time and size.
 *
 * @param timeout milliseconds for all of it
 * @throws Error
 */
export function ask(url: string, question: Question, timeout: number): Promise<Response> {
  return answerInTime(timeout, async (signal) => {
    const { status, headers, body } = await fetch(url, { redirect: 'error', ...question, signal });
    const text = body === null ? null : await readText(body, MAX_BYTES);
    return new Response(text, { status, headers });
  });
}
