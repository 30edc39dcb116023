import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

import { isLoopbackHost } from '../protocol/redirect-uri.js';
import { answerInTime } from './answer-in-time.js';
import {
  createPublicLookup,
  createResolver,
  isPublicAddress,
  type ResolveAddresses,
} from './public-address.js';
import { readText } from './read-text.js';

/** What an outbound request to an address that somebody else has chosen is held to. */
export interface FetchLimits {
  /** Lets it go into the server's own network, and be `http:` on loopback. */
  readonly allowPrivateAddresses: boolean;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  readonly maxBytes: number;
  /** Default: by DNS. */
  readonly resolve?: ResolveAddresses;
}

/**
 * Fetches JSON from a URL that a stranger has chosen: HTTPS only, no private addresses, no redirects, and an end in
 * time and size.
 *
 * @throws Error that says what was wrong with the URL or the answer
 */
export async function fetchJson(url: string, limits: FetchLimits): Promise<unknown> {
  return (await fetchJsonAnswer(url, limits)).body;
}

/** JSON, and what was said about it. */
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

/** Text of the same kind of URL, and what was said about it. @throws Error as `fetchJson` */
export async function fetchText(
  url: string,
  limits: FetchLimits,
  accept: string,
): Promise<{ readonly text: string; readonly headers: IncomingHttpHeaders }> {
  const target = new URL(url);
  checkTarget(target, limits);
  return answerInTime(limits.timeout, async (signal) => {
    const response = await get(target, { signal, accept }, limits);
    return { text: await readAnswer(response, limits.maxBytes), headers: response.headers };
  });
}

function checkTarget({ protocol, hostname }: URL, { allowPrivateAddresses }: FetchLimits): void {
  const isLoopback = isLoopbackHost(hostname) || /(^|\.)localhost\.?$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback && allowPrivateAddresses))
    throw new Error('is not an https: URL');
  if (allowPrivateAddresses) return;
  // an address in the URL is connected to without a look-up
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback || (isIP(address) !== 0 && !isPublicAddress(address)))
    throw new Error(`${hostname} is not on the public internet`);
}

function get(
  target: URL,
  { signal, accept }: { readonly signal: AbortSignal; readonly accept: string },
  { allowPrivateAddresses, timeout, resolve = createResolver(timeout) }: FetchLimits,
): Promise<IncomingMessage> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((settle, reject) => {
    const request = send(target, {
      // no connection is shared with anything else, and none is kept
      agent: false,
      headers: {
        accept,
        'accept-encoding': 'identity',
        'user-agent': 'express-authorization-server',
      },
      signal,
      ...(!allowPrivateAddresses && { lookup: createPublicLookup(resolve) }),
    });
    request
      .on('response', settle)
      .on('error', reject)
      // 101: neither a response nor an error to Node, which leaves the connection to whoever listens here
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('answered with status 101'));
      })
      .end();
  });
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<string> {
  // a redirect is no answer: where it leads was not checked, and not registered either
  if (response.statusCode !== 200) throw new Error(`answered with status ${response.statusCode}`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes)
    throw new Error(`answered with more than ${maxBytes} bytes`);
  // one that was cut off, which may look whole, ends in Node's error "aborted"
  return readText(response as AsyncIterable<Buffer>, maxBytes);
}
