import { X509Certificate } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import type { MethodDependencies } from '../../lib/core/client-authentication/method.js';
import type { Client } from '../../lib/core/clients/client.js';
import { requireCertificate } from '../../lib/features/mutual-tls/client-certificates.js';
import { selfSignedTlsClientAuth } from '../../lib/features/mutual-tls/self-signed-tls-client-auth.js';
import { tlsClientAuth } from '../../lib/features/mutual-tls/tls-client-auth.js';
import { clientCertificateOf } from '../../lib/shared/crypto/client-certificate.js';
import { type CertificateName, CERTIFICATES } from '../support/certificates.js';

const x509Of = (name: CertificateName) => new X509Certificate(CERTIFICATES[name].cert);
const derOf = (name: CertificateName) => x509Of(name).raw.toString('base64');
/** A request that came with a certificate, in the middle of its time. */
const requestWith = (
  name: CertificateName | undefined,
  { isTrusted = true, now = new Date('2030-01-01') } = {},
) => ({
  authorization: undefined,
  parameters: { client_id: 'shop' },
  certificate: name === undefined ? undefined : clientCertificateOf(x509Of(name), isTrusted),
  now,
});
const untrusted = expect.objectContaining({
  error: 'invalid_client',
  reason: 'client_certificate_untrusted',
});

describe('RFC 5280 §4.1.2.5 the time of a certificate', () => {
  const { validFrom, validTo } = x509Of('expired');
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  test.each<[string, number, boolean]>([
    ['just before it', from - 1, false],
    ['at its beginning', from, true],
    ['at its end', to, true],
    ['just after it', to + 1, false],
  ])('%s', (_when, at, isInTime) => {
    const work = () => requireCertificate(requestWith('expired', { now: new Date(at) }));
    if (isInTime) expect(work()).toHaveProperty('thumbprint');
    else expect(work).toThrow(untrusted);
  });

  test('where there is none, that is why', () => {
    expect(() => requireCertificate(requestWith(undefined))).toThrow(
      expect.objectContaining({ error: 'invalid_client', reason: 'client_certificate_missing' }),
    );
  });
});

describe('RFC 8705 §2.1 tls_client_auth', () => {
  const method = tlsClientAuth.create({} as MethodDependencies, {} as never);
  const verified = async (fields: Partial<Client>, request = requestWith('shop')) =>
    method.verify(fields as Client, { clientId: 'shop' }, request);

  test('the client is the one that the request names, and that alone', () => {
    expect(method.read(requestWith('shop'))).toEqual({ clientId: 'shop' });
    expect(method.read({ ...requestWith('shop'), parameters: {} })).toBeNull();
  });

  test('it is proven by the one subject that it is registered with', async () => {
    expect(await verified({ tlsClientAuthSanDns: 'shop.example' })).toBe(true);
    expect(await verified({ tlsClientAuthSanDns: 'other.example' })).toBe(false);
  });

  test('§2.1.2 by none if it is registered with several, of which one is right, or with nothing', async () => {
    const several = {
      tlsClientAuthSanDns: 'shop.example',
      tlsClientAuthSanUri: 'spiffe://shop.example/printer',
    };
    expect(await verified(several)).toBe(false);
    expect(await verified({})).toBe(false);
  });

  test('not by the right subject in a chain that nobody has validated', async () => {
    const forged = requestWith('forged', { isTrusted: false });
    await expect(verified({ tlsClientAuthSanDns: 'shop.example' }, forged)).rejects.toEqual(untrusted);
  });
});

describe('RFC 8705 §2.2 self_signed_tls_client_auth', () => {
  type Certificates = readonly string[];
  /** With the certificates that are known, and those that are found if they are fetched again. */
  const verified = async (
    known: Certificates,
    newer?: Certificates,
    name: CertificateName = 'selfSigned',
  ) => {
    const setOf = (certificates: Certificates) => ({
      certificates,
      keys: [],
      find: () => Promise.reject(new Error('no JWT')),
    });
    let fetches = 0;
    const clientKeys = {
      find: () => Promise.resolve(setOf(known)),
      refetch() {
        fetches += 1;
        return Promise.resolve(newer && setOf(newer));
      },
    };
    const method = selfSignedTlsClientAuth.create({ clientKeys } as never, {} as never);
    const request = requestWith(name, { isTrusted: false });
    return [await method.verify({} as Client, { clientId: 'shop' }, request), fetches];
  };

  test('the client is proven by any of its certificates, whoever has signed them', async () => {
    expect(await verified([derOf('shop'), derOf('selfSigned')])).toEqual([true, 0]);
  });

  test('not by another one of the same name', async () => {
    expect(await verified([derOf('selfSigned')], undefined, 'otherSelfSigned')).toEqual([false, 1]);
  });

  test('by one that is found when its keys are fetched again', async () => {
    expect(await verified([derOf('shop')], [derOf('selfSigned')])).toEqual([true, 1]);
    expect(await verified([derOf('shop')], [derOf('other')])).toEqual([false, 1]);
  });

  test('what is no certificate among them is passed over', async () => {
    expect(await verified(['', 'AAAA', derOf('selfSigned')])).toEqual([true, 0]);
    expect(await verified(['', 'AAAA'])).toEqual([false, 1]);
  });

  test('not by one that has expired, though it is registered', async () => {
    await expect(verified([derOf('expiredSelfSigned')], undefined, 'expiredSelfSigned')).rejects.toEqual(
      untrusted,
    );
  });
});
