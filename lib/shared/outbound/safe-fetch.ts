import { Resolver } from 'node:dns/promises';
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import ipaddr from 'ipaddr.js';

import { isLoopbackHost } from '../protocol/redirect-uri.js';
import { answerInTime, readBytes } from './send-request.js';

/** The limits of an outbound request to an address from an untrusted source. */
export interface SafeFetchLimits {
  /** Allows addresses in the server's network, and `http:` on loopback. */
  readonly allowPrivateAddresses: boolean;
  /** Milliseconds for the whole request. */
  readonly timeout: number;
  /** Default: by DNS. */
  readonly resolve?: ResolveAddresses;
}

/** The limits with a maximum size of the response. */
export interface FetchLimits extends SafeFetchLimits {
  readonly maxBytes: number;
}

/** The addresses of a name. */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/** The request to send. */
interface SafeFetchRequest {
  /** Default: GET, or POST with a body. */
  readonly method?: string;
  readonly headers: OutgoingHttpHeaders;
  /** JSON. */
  readonly body?: string | undefined;
  /** Ends the request. Default: only the timeout does. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws Error if requests to the URL are forbidden, whatever its name resolves to */
export function checkTarget(
  { protocol, hostname }: URL,
  { allowPrivateAddresses }: Partial<SafeFetchLimits>,
): void {
  const isLoopback = isLoopbackHost(hostname) || /(^|\.)localhost\.?$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback && allowPrivateAddresses))
    throw new Error('is not an https: URL');
  if (allowPrivateAddresses) return;
  // Node connects to an address in the URL without a look-up
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback || (isIP(address) !== 0 && !isPublicAddress(address)))
    throw new Error(`${hostname} is not on the public internet`);
}

/**
 * Sends a request to a URL from an untrusted source: HTTPS only, no private addresses, no redirects, and a timeout.
 *
 * @param read called when the response begins, with any status; reads the response, or destroys it
 * @throws Error about the URL, or about the missing response
 */
async function safeFetch<T>(
  url: string,
  { method, headers, body, signal: ended }: SafeFetchRequest,
  limits: SafeFetchLimits,
  read: (response: IncomingMessage) => Promise<T> | T,
): Promise<T> {
  const { allowPrivateAddresses, timeout, resolve = resolveByDns(timeout) } = limits;
  const target = new URL(url);
  checkTarget(target, limits);
  return answerInTime(timeout, async (late) => {
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const response = await new Promise<IncomingMessage>((settle, reject) => {
      const request = send(target, {
        // the connection is neither shared nor kept
        agent: false,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
          ...headers,
          'accept-encoding': 'identity',
          'user-agent': 'express-authorization-server',
        },
        signal: ended === undefined ? late : AbortSignal.any([late, ended]),
        ...(!allowPrivateAddresses && { lookup: createPublicLookup(resolve) }),
      });
      request
        .on('response', settle)
        .on('error', reject)
        // 101: Node emits neither a response nor an error, so this listener has to end the connection
        .on('upgrade', (_response, socket) => {
          socket.destroy();
          reject(new Error('answered with status 101'));
        })
        .end(body);
    });
    return read(response);
  });
}

/** The content of a response with status 200, and its headers. @throws Error as `safeFetch` */
export function fetchBytes(url: string, limits: FetchLimits, accept: string) {
  const { maxBytes } = limits;
  return safeFetch(url, { headers: { accept } }, limits, async (response) => {
    // a redirect is refused: its target was neither checked nor registered
    if (response.statusCode !== 200) throw new Error(`answered with status ${response.statusCode}`);
    if (Number(response.headers['content-length'] ?? 0) > maxBytes)
      throw new Error(`answered with more than ${maxBytes} bytes`);
    // a truncated response may look whole, but ends in Node's error "aborted"
    return {
      bytes: await readBytes(response as AsyncIterable<Buffer>, maxBytes),
      headers: response.headers,
    };
  });
}

/** JSON, and the headers of the response. @throws Error as `safeFetch`, or if the response is no JSON */
export async function fetchJson(url: string, limits: FetchLimits) {
  const { bytes, headers } = await fetchBytes(url, limits, 'application/json');
  try {
    return { body: JSON.parse(bytes.toString()) as unknown, headers };
  } catch (cause) {
    throw new Error('did not answer JSON', { cause });
  }
}

/** Posts JSON. Only the headers of the response are read. @throws Error as `safeFetch` */
export function post(
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  limits: SafeFetchLimits,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  return safeFetch(url, request, limits, (response) => {
    response.destroy();
    return { status: response.statusCode ?? 0, headers: response.headers };
  });
}

/** A call of the API of another service. */
export interface JsonCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Ends the call. Default: only the timeout does. */
  readonly signal?: AbortSignal;
}

/** The response with any status; the body is undefined if it is empty or no JSON. */
export interface JsonCallAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls an API that answers JSON. @throws Error as `safeFetch` */
export function callJson(
  { method, url, headers, body, signal }: JsonCall,
  limits: FetchLimits,
): Promise<JsonCallAnswer> {
  const request = {
    method,
    headers: { accept: 'application/json', ...headers },
    body: body && JSON.stringify(body),
    signal,
  };
  return safeFetch(url, request, limits, async (response) => {
    const status = response.statusCode ?? 0;
    const text = (await readBytes(response as AsyncIterable<Buffer>, limits.maxBytes)).toString();
    try {
      return { status, body: JSON.parse(text) as unknown };
    } catch {
      return { status, body: undefined };
    }
  });
}

/** The only part of IPv6 that IANA has assigned to the public internet (RFC 4291 §2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet, and to no special-purpose registry of IANA (RFC 6890); IPv4
 * addresses wrapped in IPv6 do not.
 */
export function isPublicAddress(text: string): boolean {
  // ipaddr.js parses 127.1 and 0x7f000001 as well, which Node looks up as names
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST));
}

/**
 * A `lookup` for connections to the public internet only. Node connects to the checked addresses, so a name that
 * resolves differently the next time (DNS rebinding) gains nothing.
 */
export function createPublicLookup(resolve: ResolveAddresses): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const isRefused = addresses.length === 0 || !addresses.every(isPublicAddress);
        if (isRefused)
          return callback(
            new Error(
              `${hostname} resolves to ${addresses.join(', ') || 'nothing'}, which is not on the public internet`,
            ),
            [],
          );
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all === true) callback(null, all);
        else callback(null, all[0]!.address, all[0]!.family);
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
}

/** Queries DNS directly: `dns.lookup` would block one of the process's few threads while a name server is slow. */
function resolveByDns(timeout: number): ResolveAddresses {
  return async (hostname) => {
    const resolver = new Resolver({ timeout, tries: 1 });
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  };
}
