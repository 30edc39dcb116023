import { answerInTime } from './answer-in-time.js';
import { readText } from './read-text.js';

/** Far more than metadata, keys or an introspection have. */
const MAX_BYTES = 1_048_576;

/** What is asked; a redirect is an error unless it says otherwise. */
export type Question = Pick<RequestInit, 'method' | 'headers' | 'body' | 'redirect'>;

/**
 * Asks a server that the options of the host name, so by the platform's `fetch`, with its proxies and kept connections;
 * addresses are not looked at. The whole answer, its body included, has an end in time and size.
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
