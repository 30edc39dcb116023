import { describe, expect, test } from '@jest/globals';

import { createPublicLookup, fetchJson, isPublicAddress } from '../../../lib/shared/outbound/safe-fetch.js';
import { openJwksServer } from '../../support/jwks-server.js';

describe('addresses on the public internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
    '100.128.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('the address %s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '3fff::1',
    'localhost',
    '',
    '1.2.3',
  ])('the address %j is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

/** The first and last address of each range for a special purpose (RFC 6890 and IANA's registries). */
describe('ranges for special purposes, from end to end', () => {
  test.each([
    ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
    ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
    ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
    ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
    ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
    ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
    ['192.0.0.0/24', '192.0.0.0', '192.0.0.255'],
    ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
    ['192.88.99.0/24', '192.88.99.0', '192.88.99.255'],
    ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
    ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
    ['198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
    ['203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
    ['224.0.0.0/4', '224.0.0.0', '239.255.255.255'],
    ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
    ['below 2000::/3', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['above 2000::/3', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('the range %s is not public', (_range, first, last) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
  });

  test.each([
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '010.0.0.1',
    'fe80::1%eth0',
    '::127.0.0.1',
  ])('the malformed address %s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('the look-up of a name for a connection', () => {
  const look = (addresses: readonly string[], all: boolean) =>
    new Promise((resolve, reject) =>
      createPublicLookup(() => Promise.resolve(addresses))(
        'app.example',
        { all },
        (error, address, family) => (error ? reject(error) : resolve(all ? address : [address, family])),
      ),
    );

  test('a look-up returns public addresses', async () => {
    expect(await look(['1.1.1.1', '2606:4700::1111'], true)).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await look(['1.1.1.1'], false)).toEqual(['1.1.1.1', 4]);
  });

  test.each([[['10.0.0.1']], [['1.1.1.1', '127.0.0.1']], [['1.1.1.1', '::1']], [[]]])(
    'a look-up of %j is refused',
    async (addresses) => {
      await expect(look(addresses, true)).rejects.toThrow(/not on the public internet/);
    },
  );

  test('a name on the internet with a private address gets no connection', async () => {
    await using server = await openJwksServer({ tls: true });
    const limits = { allowPrivateAddresses: false, timeout: 1000, maxBytes: 1000 };
    const requested: string[] = [];
    const resolve = (name: string) => {
      requested.push(name);
      // the second look-up of a rebinding name would return a private address
      return Promise.resolve([requested.length === 1 ? '127.0.0.1' : '1.1.1.1']);
    };
    await expect(
      fetchJson(`https://app.example:${server.port}/jwks`, { ...limits, resolve }),
    ).rejects.toThrow(/app.example resolves to 127.0.0.1/);
    expect(requested).toEqual(['app.example']);
    expect(server.requests).toEqual([]);
  });

  test('a fetch fails if the look-up of its name fails or hangs', async () => {
    const limits = { allowPrivateAddresses: false, timeout: 200, maxBytes: 1000 };
    await expect(
      fetchJson('https://app.example/jwks', {
        ...limits,
        resolve: () => Promise.reject(new Error('no such name')),
      }),
    ).rejects.toThrow('no such name');
    await expect(
      fetchJson('https://app.example/jwks', { ...limits, resolve: () => new Promise(() => undefined) }),
    ).rejects.toThrow(/abort|timeout/i);
  });
});
