import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IANA's special-purpose registries (RFC 6890): not somewhere on the public internet. */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of the global unicast 2000::/3: special purposes, documentation, and 6to4, which embeds an IPv4 address. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const notPublic = new BlockList();
const globalUnicast = new BlockList();
for (const [list, family] of [
  [NOT_PUBLIC_IPV4, 'ipv4'],
  [NOT_PUBLIC_IPV6, 'ipv6'],
] as const) {
  for (const [network = '', prefix = ''] of list.map((entry) => entry.split('/')))
    notPublic.addSubnet(network, Number(prefix), family);
}
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address belongs to the public internet; IPv4 in the clothes of IPv6 does not. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublic.check(address, 'ipv4');
  return version === 6 && globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
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

/** By DNS itself: `dns.lookup` would hold one of the few threads of the process while a slow name server thinks. */
export function createResolver(timeout: number): ResolveAddresses {
  return async (hostname) => {
    const resolver = new Resolver({ timeout, tries: 1 });
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  };
}
