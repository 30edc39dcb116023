import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

import { isLoopbackHost } from '../protocol/redirect-uri.js';
import {
  createPublicLookup,
  createResolver,
  isPublicAddress,
  type ResolveAddresses,
} from './public-address.js';

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
 * Fetches JSON from a URL that is not ours: HTTPS only, no private addresses, no redirects, and an end in time and size.
 *
 * @throws Error that says what was wrong with the URL or the answer
 */
export async function fetchJson(url: string, limits: FetchLimits): Promise<unknown> {
  const target = new URL(url);
  checkTarget(target, limits);
  const response = await get(target, limits);
  // a redirect is no answer: where it leads was not checked, and not registered either
  if (response.statusCode !== 200) throw abandon(response, `answered with status ${response.statusCode}`);
  const text = await readText(response, limits.maxBytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('did not answer JSON', { cause });
  }
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
  { allowPrivateAddresses, timeout, resolve = createResolver(timeout) }: FetchLimits,
): Promise<IncomingMessage> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((settle, reject) => {
    const request = send(target, {
      // no connection is shared with anything else, and none is kept
      agent: false,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'express-authorization-server',
      },
      signal: AbortSignal.timeout(timeout),
      ...(!allowPrivateAddresses && { lookup: createPublicLookup(resolve) }),
    });
    request.on('response', settle).on('error', reject).end();
  });
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLarge = `answered with more than ${maxBytes} bytes`;
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw abandon(response, tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw abandon(response, tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function abandon(response: IncomingMessage, text: string): Error {
  response.destroy();
  return new Error(text);
}
