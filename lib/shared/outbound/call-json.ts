import type { FetchLimits } from './fetch-json.js';
import { checkTarget, safeFetch } from './safe-fetch.js';
import { answerInTime, readBytes } from './send-request.js';

/** A call of the API of another service. */
export interface JsonCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Ends the call. Default: only the limit in time does. */
  readonly signal?: AbortSignal;
}

/** What it answered, whatever the status is; the body is undefined if it is empty or no JSON. */
export interface JsonCallAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Calls an API that answers JSON: HTTPS only, no private addresses, no redirects, and limits in time and size.
 *
 * @throws Error that says what was wrong with the URL, or that there was no answer
 */
export async function callJson(
  { method, url, headers, body, signal: ended }: JsonCall,
  limits: FetchLimits,
): Promise<JsonCallAnswer> {
  const target = new URL(url);
  checkTarget(target, limits);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return answerInTime(limits.timeout, async (late) => {
    const signal = ended === undefined ? late : AbortSignal.any([late, ended]);
    const sent = {
      accept: 'application/json',
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...headers,
    };
    const request = { method, headers: sent, signal, ...(text !== undefined && { body: text }) };
    const response = await safeFetch(target, request, limits);
    const answer = (await readBytes(response as AsyncIterable<Buffer>, limits.maxBytes)).toString();
    return { status: response.statusCode ?? 0, body: parsed(answer) };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
