import { X509Certificate } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { AuthorizationServerOptions, ClientWithSecret } from '../../../lib/index.js';
import { type CertificateName, CERTIFICATES } from '../../support/certificates.js';
import { openSite, type Site } from '../../support/site.js';
import { openTlsSite, postByTls } from '../../support/tls-site.js';
import { postToken } from '../../support/tokens.js';

type Proxy = Exclude<Extract<AuthorizationServerOptions['mutualTls'], object>['proxy'], undefined>;

const derOf = (name: CertificateName) => new X509Certificate(CERTIFICATES[name].cert).raw.toString('base64');
const FORMATS: Readonly<Record<string, { header: string; write: (name: CertificateName) => string }>> = {
  rfc9440: { header: 'Client-Cert', write: (name) => `:${derOf(name)}:` },
  nginx: { header: 'X-SSL-Client-Cert', write: (name) => encodeURIComponent(`${CERTIFICATES[name].cert}\n`) },
  envoy: {
    header: 'X-Forwarded-Client-Cert',
    write: (name) =>
      `Hash=${'ab'.repeat(32)};Cert="${encodeURIComponent(CERTIFICATES[name].cert)}";Subject="/C=DE/O=Print, Ltd.";URI=spiffe://a`,
  },
};

const closing: Site[] = [];
afterAll(() => Promise.all(closing.map((site) => site.close())));

async function open(proxy: Partial<Proxy>) {
  // the proxy ends TLS in front of the site
  const site = await openSite({
    issuer: 'https://photos.example',
    mutualTls: { proxy: { header: 'Client-Cert', from: ['loopback'], verified: true, ...proxy } },
  });
  closing.push(site);
  const client = await site.client({
    tokenEndpointAuthMethod: 'tls_client_auth',
    tlsClientAuthSanDns: 'shop.example',
  });
  return { site, client, ask: (headers: Readonly<Record<string, string>>) => ask(site, client, headers) };
}
const ask = (site: Site, { clientId }: ClientWithSecret, headers: Readonly<Record<string, string>>) =>
  postToken(site, { grant_type: 'client_credentials', client_id: clientId }).set(headers);

describe.each(Object.entries(FORMATS))(
  'a proxy that forwards certificates as %s',
  (format, { header, write }) => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open({ header, format: format as NonNullable<Proxy['format']> });
    });
    const by = (value: string) => opened.ask({ [header]: value });

    test('a forwarded certificate authenticates the client [6.5-1] [2-3]', async () => {
      expect((await by(write('shop'))).status).toBe(200);
      for (const wrong of ['other', 'expired'] as const)
        expect((await by(write(wrong))).body.error).toBe('invalid_client');
      expect((await by('')).body.error).toBe('invalid_client');
      expect((await opened.ask({ 'X-Other-Cert': write('shop') })).body.error).toBe('invalid_client');
    });

    test('a malformed or repeated forwarded certificate is refused', async () => {
      const good = write('shop');
      const others = Object.values(FORMATS).filter((each) => each.write !== write);
      for (const wrong of [
        'nonsense',
        `${good}, ${good}`,
        `${good},${write('other')}`,
        `${good}${good}`,
        good.slice(0, -20),
        `"${good}`,
        '%',
        '::',
        `:${Buffer.from('nonsense').toString('base64')}:`,
        'Cert=',
        'Hash=ab',
        ...others.map((each) => each.write('shop')),
        // the longest value that Node accepts
        `${good}${' x'.repeat(5000)}`,
      ]) {
        const { status, body } = await by(wrong);
        expect([wrong, status, body.error]).toEqual([wrong, 400, 'invalid_request']);
      }
    });

    test('a certificate header of 64 KB is refused, and the server continues', async () => {
      expect((await by(write('shop').padEnd(65_536, 'x'))).status).toBe(431);
      expect((await by(write('shop'))).status).toBe(200);
    });
  },
);

describe('forged headers', () => {
  test('a forwarded certificate is ignored unless it comes from a listed proxy [6.5-1]', async () => {
    for (const from of [['192.0.2.1'], ['10.0.0.0/8', '2001:db8::/32'], ['uniquelocal', 'linklocal']]) {
      const { ask: askBy } = await open({ from });
      const { status, body } = await askBy({ 'Client-Cert': FORMATS.rfc9440!.write('shop') });
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      // a malformed certificate from elsewhere is ignored
      expect((await askBy({ 'Client-Cert': 'nonsense' })).body.error).toBe('invalid_client');
      // a forwarding header does not change who is connected
      const named = { 'Client-Cert': FORMATS.rfc9440!.write('shop'), 'X-Forwarded-For': '192.0.2.1' };
      expect((await askBy(named)).status).toBe(401);
    }
    for (const from of [['127.0.0.1'], ['127.0.0.0/8'], ['192.0.2.1', 'loopback']])
      expect(
        (await (await open({ from })).ask({ 'Client-Cert': FORMATS.rfc9440!.write('shop') })).status,
      ).toBe(200);
  });

  test('the certificate of a proxy does not authenticate a client', async () => {
    await using site = await openTlsSite({
      mutualTls: { proxy: { header: 'Client-Cert', from: ['loopback'] } },
    });
    const client = await site.client({
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'shop.example',
    });
    const fields = { grant_type: 'client_credentials', client_id: client.clientId };
    expect((await postByTls(site.secureUrl, '/oauth/token', fields, 'shop')).status).toBe(401);
  });
});

describe('the validation of the chain', () => {
  test('a certificate from a proxy that does not verify chains authenticates no subject [2-3]', async () => {
    const { ask: askBy } = await open({ verified: false });
    expect((await askBy({ 'Client-Cert': FORMATS.rfc9440!.write('shop') })).body.error).toBe(
      'invalid_client',
    );
  });

  test('the proxy may report the verification in a header, as nginx does', async () => {
    const { ask: askBy } = await open({ verified: 'X-SSL-Client-Verify' });
    const outcome = async (verify?: string) =>
      (
        await askBy({
          'Client-Cert': FORMATS.rfc9440!.write('shop'),
          ...(verify !== undefined && { 'X-SSL-Client-Verify': verify }),
        })
      ).status;
    expect(await outcome('SUCCESS')).toBe(200);
    for (const wrong of ['FAILED:self signed certificate', 'NONE', 'success', 'SUCCESS, SUCCESS', undefined])
      expect([wrong, await outcome(wrong)]).toEqual([wrong, 401]);
  });
});

test.each<[Partial<Proxy>, RegExp]>([
  [{ from: [] }, /mutualTls.proxy.from must be a list of addresses/],
  [{ from: ['everywhere'] }, /mutualTls.proxy.from.0 must be an address/],
  [{ from: [10] as never }, /mutualTls.proxy.from.0 must be an address/],
  [{ from: ['10.0.0.0/33'] }, /must be an address/],
  [{ from: ['10.0.0.0/8/8'] }, /must be an address/],
  [{ header: 'two words' }, /mutualTls.proxy.header must be the name of a header/],
  [{ format: 'apache' as 'nginx' }, /mutualTls.proxy.format must be 'rfc9440', 'nginx' or 'envoy'/],
])('a site with %p does not start', async (proxy, message) => {
  await expect(open(proxy)).rejects.toThrow(message);
});
