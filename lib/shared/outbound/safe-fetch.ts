import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

import { isLoopbackHost } from '../protocol/redirect-uri.js';
import {
  createPublicLookup,
  createResolver,
  isPublicAddress,
  type ResolveAddresses,
} from './public-address.js';

/** The limits of an outbound request to an address that somebody else has chosen. */
export interface SafeFetchLimits {
  /** Lets it go into the server's own network, and use `http:` on loopback. */
  readonly allowPrivateAddresses: boolean;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  /** Default: by DNS. */
  readonly resolve?: ResolveAddresses;
}

/** What is sent. */
export interface SafeFetchRequest {
  /** Default: GET, or POST if there is a body. */
  readonly method?: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** @throws Error if no request may go there, whatever its name resolves to */
export function checkTarget(
  { protocol, hostname }: URL,
  { allowPrivateAddresses }: Pick<SafeFetchLimits, 'allowPrivateAddresses'>,
): void {
  const isLoopback = isLoopbackHost(hostname) || /(^|\.)localhost\.?$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback && allowPrivateAddresses))
    throw new Error('is not an https: URL');
  if (allowPrivateAddresses) return;
  // an address in the URL is connected to without a look-up
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback || (isIP(address) !== 0 && !isPublicAddress(address)))
    throw new Error(`${hostname} is not on the public internet`);
}

/** Resolves when the answer begins, whatever it is; the caller reads it, or destroys it. */
export function safeFetch(
  target: URL,
  { method, headers, body, signal }: SafeFetchRequest,
  { allowPrivateAddresses, timeout, resolve = createResolver(timeout) }: SafeFetchLimits,
): Promise<IncomingMessage> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((settle, reject) => {
    const request = send(target, {
      // no connection is shared with anything else, and none is kept
      agent: false,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        'user-agent': 'express-authorization-server',
      },
      signal,
      ...(!allowPrivateAddresses && { lookup: createPublicLookup(resolve) }),
    });
    request
      .on('response', settle)
      .on('error', reject)
      // 101: to Node neither a response nor an error, so the connection is left to this listener
      .on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('answered with status 101'));
      })
      .end(body);
  });
}
