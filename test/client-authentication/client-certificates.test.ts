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
/** A request with a certificate, in the middle of its validity. */
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

describe('RFC 5280 §4.1.2.5 the validity of a certificate', () => {
  const { validFrom, validTo } = x509Of('expired');
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  test.each<[string, number, boolean]>([
    ['just before the beginning', from - 1, false],
    ['at the beginning', from, true],
    ['at the end', to, true],
    ['just after the end', to + 1, false],
  ])('a certificate is checked against its validity %s', (_when, at, isInTime) => {
    const work = () => requireCertificate(requestWith('expired', { now: new Date(at) }));
    if (isInTime) expect(work()).toHaveProperty('thumbprint');
    else expect(work).toThrow(untrusted);
  });

  test('a request without a certificate is refused with that reason', () => {
    expect(() => requireCertificate(requestWith(undefined))).toThrow(
      expect.objectContaining({ error: 'invalid_client', reason: 'client_certificate_missing' }),
    );
  });
});

describe('RFC 8705 §2.1 tls_client_auth', () => {
  const method = tlsClientAuth.create({} as MethodDependencies, {} as never);
  const verified = async (fields: Partial<Client>, request = requestWith('shop')) =>
    method.verify(fields as Client, { clientId: 'shop' }, request);

  test('tls_client_auth reads the client from client_id alone', () => {
    expect(method.read(requestWith('shop'))).toEqual({ clientId: 'shop' });
    expect(method.read({ ...requestWith('shop'), parameters: {} })).toBeNull();
  });

  test('tls_client_auth accepts the one registered subject', async () => {
    expect(await verified({ tlsClientAuthSanDns: 'shop.example' })).toBe(true);
    expect(await verified({ tlsClientAuthSanDns: 'other.example' })).toBe(false);
  });

  test('§2.1.2 tls_client_auth refuses a client with several registered subjects, or with none', async () => {
    const several = {
      tlsClientAuthSanDns: 'shop.example',
      tlsClientAuthSanUri: 'spiffe://shop.example/printer',
    };
    expect(await verified(several)).toBe(false);
    expect(await verified({})).toBe(false);
  });

  test('tls_client_auth refuses the right subject in an unvalidated chain', async () => {
    const forged = requestWith('forged', { isTrusted: false });
    await expect(verified({ tlsClientAuthSanDns: 'shop.example' }, forged)).rejects.toEqual(untrusted);
  });
});

describe('RFC 8705 §2.2 self_signed_tls_client_auth', () => {
  type Certificates = readonly string[];
  /** With the known certificates, and those after a second fetch. */
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

  test('self_signed_tls_client_auth accepts each registered certificate, whoever signed it', async () => {
    expect(await verified([derOf('shop'), derOf('selfSigned')])).toEqual([true, 0]);
  });

  test('self_signed_tls_client_auth refuses another certificate of the same name', async () => {
    expect(await verified([derOf('selfSigned')], undefined, 'otherSelfSigned')).toEqual([false, 1]);
  });

  test('self_signed_tls_client_auth accepts a certificate that a second fetch of the keys adds', async () => {
    expect(await verified([derOf('shop')], [derOf('selfSigned')])).toEqual([true, 1]);
    expect(await verified([derOf('shop')], [derOf('other')])).toEqual([false, 1]);
  });

  test('self_signed_tls_client_auth skips malformed certificates among the keys', async () => {
    expect(await verified(['', 'AAAA', derOf('selfSigned')])).toEqual([true, 0]);
    expect(await verified(['', 'AAAA'])).toEqual([false, 1]);
  });

  test('self_signed_tls_client_auth refuses an expired certificate, though registered', async () => {
    await expect(verified([derOf('expiredSelfSigned')], undefined, 'expiredSelfSigned')).rejects.toEqual(
      untrusted,
    );
  });
});
