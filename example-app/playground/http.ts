import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export type Header = readonly [name: string, value: string];

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: readonly Header[];
  /** Parameters in the body, `application/x-www-form-urlencoded`. */
  readonly form?: URLSearchParams | undefined;
}

/** A request and its response as sent, header by header. */
export interface HttpExchange {
  readonly sent: readonly Header[];
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

const TIMEOUT = 10_000;
const MAX_BYTES = 100_000;

/** Sends a request without fetch(), which hides the sent headers. It follows no redirect. */
export async function send({ method, url, headers = [], form }: HttpRequest): Promise<HttpExchange> {
  const body = form?.toString();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method,
    timeout: TIMEOUT,
    agent: false,
  });
  request.setHeader('Accept', 'application/json');
  for (const [name, value] of headers) request.setHeader(name, value);
  if (body !== undefined)
    request
      .setHeader('Content-Type', 'application/x-www-form-urlencoded')
      .setHeader('Content-Length', Buffer.byteLength(body));
  request.on('timeout', () => request.destroy(new Error('the photo site does not answer')));
  const sent = request.getRawHeaderNames().map((name): Header => [name, String(request.getHeader(name))]);
  request.end(body);

  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {
    sent,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    headers: pairsOf(response.rawHeaders),
    body: await readBody(response),
  };
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error('the answer of the photo site is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function pairsOf(raw: readonly string[]): Header[] {
  return raw.flatMap((name, index): Header[] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}
