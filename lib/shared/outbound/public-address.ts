import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that IANA has assigned to the public internet; the rest is not in use yet (RFC 4291 §2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet, so to none of the special-purpose registries of IANA (RFC
 * 6890); IPv4 addresses wrapped in IPv6 do not.
 */
export function isPublicAddress(text: string): boolean {
  // ipaddr.js reads 127.1 and 0x7f000001 as well: Node would look them up as names
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST));
}

/** The addresses of a name. */
export type ResolveAddresses = (hostname: string) => Promise<readonly string[]>;

/**
 * A `lookup` for a connection that may only go to the public internet. The addresses that are checked are those that
 * are connected to, so a name that resolves differently the next time (DNS rebinding) gains nothing.
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

/** Asks DNS directly: `dns.lookup` would hold one of the process's few threads while a slow name server thinks. */
export function createResolver(timeout: number): ResolveAddresses {
  return async (hostname) => {
    const resolver = new Resolver({ timeout, tries: 1 });
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  };
}
