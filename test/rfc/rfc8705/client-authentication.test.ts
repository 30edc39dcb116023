import { X509Certificate } from 'node:crypto';

import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import { type CertificateName, CERTIFICATES } from '../../support/certificates.js';
import { letPass } from '../../support/clock.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { openSite } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';
import { openTlsSite, postByTls } from '../../support/tls-site.js';
import { basic } from '../../support/tokens.js';

const SHOP_DN = 'OU=Ä+CN=Shop,O=Print\\, Ltd.,C=DE';

/** Each client is registered with another field of the same certificate. */
let clients: Readonly<Record<string, ClientWithSecret>>;

const pki = (options: Partial<NewClient>) =>
  site.client({ tokenEndpointAuthMethod: 'tls_client_auth', ...options });

const site = fixture(() =>
  openTlsSite({
    mutualTls: true,
    registration: { open: true },
    clientAuthentication: { allowPrivateAddresses: true },
  }),
);
const selfSigned = fixture(() =>
  site.client({
    tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
    jwks: { keys: [jwkOf('selfSigned')] },
  }),
);

beforeAll(async () => {
  clients = {
    dn: await pki({ tlsClientAuthSubjectDn: SHOP_DN }),
    dns: await pki({ tlsClientAuthSanDns: 'shop.example' }),
    uri: await pki({ tlsClientAuthSanUri: 'spiffe://shop.example/printer' }),
    ip: await pki({ tlsClientAuthSanIp: '192.0.2.7' }),
    ip6: await pki({ tlsClientAuthSanIp: '2001:0db8:0000::0:7' }),
    email: await pki({ tlsClientAuthSanEmail: 'printer@shop.example' }),
  };
});

/** A key with its certificate (RFC 7517 §4.7). */
function jwkOf(name: CertificateName, of = name) {
  const { publicKey } = new X509Certificate(CERTIFICATES[of].cert);
  const x5c = [new X509Certificate(CERTIFICATES[name].cert).raw.toString('base64')];
  return { ...publicKey.export({ format: 'jwk' }), kty: 'EC', x5c };
}
const ask = (client: ClientWithSecret, name?: CertificateName, more = {}) =>
  postByTls(
    site.secureUrl,
    '/oauth/token',
    { grant_type: 'client_credentials', client_id: client.clientId, ...more },
    name,
  );

describe('§2.1 tls_client_auth', () => {
  test.each(['dn', 'dns', 'uri', 'ip', 'ip6', 'email'])(
    'a client authenticates with a certificate that has its %s, and with no other certificate [2-1] [2-2] [2-3] [2.1.2-1]',
    async (kind) => {
      const client = clients[kind]!;
      expect(client).not.toHaveProperty('clientSecret');
      const { status, body } = await ask(client, 'shop');
      expect([status, body.token_type]).toEqual([200, 'Bearer']);
      // same authority; same subject of another authority; expired; self-signed; missing
      for (const wrong of ['other', 'forged', 'expired', 'selfSigned', undefined] as const) {
        const refused = await ask(client, wrong);
        expect([wrong, refused.status, refused.body.error]).toEqual([wrong, 401, 'invalid_client']);
      }
    },
  );

  test.each<[string, string, boolean]>([
    ['in other capitals, with other spaces', 'ou= ä + cn=SHOP ,o=print\\,  ltd. , c=de', true],
    ['by numbers in the place of names', '2.5.4.11=Ä+2.5.4.3=Shop,2.5.4.10=Print\\, Ltd.,2.5.4.6=DE', true],
    ['in hexadecimal', 'OU=\\C3\\84+CN=\\53hop,O=Print\\2C Ltd.,C=DE', true],
    ['with attributes of one level in another order', 'CN=Shop+OU=Ä,O=Print\\, Ltd.,C=DE', true],
    ['in reverse order', 'C=DE,O=Print\\, Ltd.,OU=Ä+CN=Shop', false],
    ['on separate levels', 'OU=Ä,CN=Shop,O=Print\\, Ltd.,C=DE', false],
    ['with one level less', 'O=Print\\, Ltd.,C=DE', false],
    ['with one level more', 'L=Here,OU=Ä+CN=Shop,O=Print\\, Ltd.,C=DE', false],
    ['with all of it in one value', 'CN=Shop\\,O=Print\\\\\\, Ltd.\\,C=DE', false],
  ])('§2.1 distinguished names are compared as names: %s [2-3]', async (_what, dn, fits) => {
    const client = await pki({ tlsClientAuthSubjectDn: dn });
    expect((await ask(client, 'shop')).status).toBe(fits ? 200 : 401);
  });

  test('§2.1 a part of a subject alternative name does not match [2-3]', async () => {
    for (const given of [
      { tlsClientAuthSanDns: 'example' },
      { tlsClientAuthSanDns: 'any.wild.example' },
      { tlsClientAuthSanUri: 'spiffe://shop.example/' },
      { tlsClientAuthSanEmail: 'Printer@shop.example' },
    ])
      expect((await ask(await pki(given), 'shop')).status).toBe(401);
  });

  test('§2 a certificate without a client_id is refused [2-2]', async () => {
    const refused = await postByTls(
      site.secureUrl,
      '/oauth/token',
      { grant_type: 'client_credentials' },
      'shop',
    );
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
  });

  test('introspection accepts a certificate, and the metadata lists both methods for three endpoints', async () => {
    const api = await pki({ tlsClientAuthSubjectDn: SHOP_DN, introspection: true });
    const { body } = await ask(clients.dn!, 'shop');
    const fields = { token: body.access_token as string, client_id: api.clientId };
    const requested = (name?: CertificateName) =>
      postByTls(site.secureUrl, '/oauth/introspect', fields, name);
    expect((await requested('shop')).body.active).toBe(true);
    expect((await requested('other')).status).toBe(401);
    const metadata = await request(site.server).get('/.well-known/oauth-authorization-server');
    for (const prefix of ['token', 'introspection', 'revocation'])
      expect(metadata.body[`${prefix}_endpoint_auth_methods_supported`]).toEqual(
        expect.arrayContaining(['tls_client_auth', 'self_signed_tls_client_auth']),
      );
  });
});

describe('§2.2 self_signed_tls_client_auth', () => {
  test('a client authenticates only with its registered certificate [2-1] [2-3]', async () => {
    expect((await ask(selfSigned, 'selfSigned')).status).toBe(200);
    // same name; of an authority; missing
    for (const wrong of ['otherSelfSigned', 'shop', undefined] as const)
      expect([wrong, (await ask(selfSigned, wrong)).body.error]).toEqual([wrong, 'invalid_client']);
  });

  test('an expired self-signed certificate is refused', async () => {
    const late = await site.client({
      tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
      jwks: { keys: [jwkOf('expiredSelfSigned')] },
    });
    expect((await ask(late, 'expiredSelfSigned')).body.error).toBe('invalid_client');
  });

  test('§2.2 a new certificate at the jwks_uri is accepted', async () => {
    await using keys = await openJwksServer();
    keys.json({ keys: [jwkOf('otherSelfSigned')] });
    const client = await site.client({
      tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
      jwksUri: keys.url,
    });
    expect((await ask(client, 'selfSigned')).status).toBe(401);
    keys.json({ keys: [jwkOf('selfSigned')] });
    letPass(31);
    expect((await ask(client, 'selfSigned')).status).toBe(200);
  });
});

describe('a certificate and other methods', () => {
  test('a certificate does not authenticate a client of another method', async () => {
    const bySecret = await site.client();
    expect((await ask(bySecret, 'shop')).status).toBe(401);
    const { clientId, clientSecret = '' } = bySecret;
    const sent = postByTls(site.secureUrl, '/oauth/token', { grant_type: 'client_credentials' }, 'shop');
    expect((await sent.set('Authorization', basic(clientId, clientSecret))).status).toBe(200);
  });

  test('a client with tls_client_auth cannot authenticate with a secret [2-3]', async () => {
    const { clientId } = clients.dn!;
    for (const more of [{ client_secret: 'guess' }, { client_secret: '' }])
      expect((await ask(clients.dn!, undefined, more)).status).toBe(401);
    const sent = postByTls(site.secureUrl, '/oauth/token', { grant_type: 'client_credentials' });
    expect((await sent.set('Authorization', basic(clientId, 'guess'))).status).toBe(401);
  });

  test('tls_client_auth cannot be registered without the option mutualTls', async () => {
    await using off = await openSite();
    await expect(off.client({ tokenEndpointAuthMethod: 'tls_client_auth' })).rejects.toThrow(
      /tls_client_auth is not on/,
    );
  });
});

describe('§2.1.2 registration', () => {
  const wrong = (given: Partial<NewClient>) => expect(pki(given)).rejects;

  test('a client with tls_client_auth has exactly one subject of its certificate [2.1.2-1]', async () => {
    await wrong({}).toThrow(/needs one subject of the certificate, and there is none/);
    await wrong({ tlsClientAuthSanDns: 'a.example', tlsClientAuthSanIp: '192.0.2.1' }).toThrow(
      /there are more/,
    );
    await wrong({ tokenEndpointAuthMethod: 'client_secret_basic', tlsClientAuthSanDns: 'a.example' }).toThrow(
      /is for tls_client_auth alone/,
    );
  });

  test.each<Partial<NewClient>>([
    { tlsClientAuthSubjectDn: 'Shop' },
    { tlsClientAuthSubjectDn: 'CN=#04024869' },
    { tlsClientAuthSubjectDn: 'nonsense=Shop' },
    { tlsClientAuthSubjectDn: 'CN=Shop\nO=Print' },
    { tlsClientAuthSubjectDn: 'CN="Shop"' },
    { tlsClientAuthSubjectDn: '' },
    { tlsClientAuthSanDns: '*.shop.example' },
    { tlsClientAuthSanDns: '.shop.example' },
    { tlsClientAuthSanUri: 'shop' },
    { tlsClientAuthSanIp: '192.0.2' },
    { tlsClientAuthSanEmail: 'shop' },
  ])('a client with %p is refused', async (given) => {
    await wrong(given).toThrow(/must be|has invisible/);
  });

  test('§2.2.2 self_signed_tls_client_auth needs a certificate of the registered key', async () => {
    const register = (jwk: object) =>
      site.client({
        tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
        jwks: { keys: [jwk] } as NonNullable<NewClient['jwks']>,
      });
    const { x5c, ...bare } = jwkOf('selfSigned');
    await expect(register(bare)).rejects.toThrow(/needs a certificate/);
    await expect(register(jwkOf('selfSigned', 'shop'))).rejects.toThrow(/that of another key/);
    await expect(register({ ...bare, x5c: ['nonsense'] })).rejects.toThrow(/no certificate/);
  });

  test('dynamic registration accepts both methods and returns the metadata [2.1.2-1]', async () => {
    const register = (metadata: object) =>
      request(site.server)
        .post('/oauth/register')
        .send({ redirect_uris: ['https://a.example/cb'], ...metadata });
    const { status, body } = await register({
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_san_dns: 'shop.example',
      tls_client_certificate_bound_access_tokens: true,
    });
    expect([status, body.tls_client_auth_san_dns, body.client_secret]).toEqual([
      201,
      'shop.example',
      undefined,
    ]);
    expect(body.tls_client_certificate_bound_access_tokens).toBe(true);
    const keys = { keys: [jwkOf('selfSigned')] };
    const own = await register({ token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks: keys });
    expect([own.status, own.body.jwks]).toEqual([201, keys]);
    for (const refused of [
      await register({ token_endpoint_auth_method: 'tls_client_auth' }),
      await register({ token_endpoint_auth_method: 'self_signed_tls_client_auth' }),
      await register({ token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_ip: 'x' }),
    ])
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client_metadata']);
  });
});
