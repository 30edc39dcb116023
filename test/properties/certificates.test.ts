import { X509Certificate } from 'node:crypto';

import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { readCertificateProfile } from '../../lib/shared/crypto/certificate-profile.js';
import { readDer } from '../../lib/shared/crypto/der.js';
import { CERTIFICATES } from '../support/certificates.js';
import { holds } from '../support/properties.js';

const DER = new X509Certificate(CERTIFICATES.shop.cert).raw;
const byte = () => fc.nat(255);

test('a certificate is read as openssl has made it', () => {
  expect(readCertificateProfile(DER)).toEqual({
    isAuthority: false,
    pathLength: undefined,
    keyUsage: undefined,
    isForClients: true,
    uris: ['spiffe://shop.example/printer'],
    hasGoodSignature: true,
  });
});

holds('bytes of any kind are no certificate, and no crash', [fc.uint8Array({ maxLength: 200 })], (bytes) => {
  expect(readCertificateProfile(Buffer.from(bytes))).toBeUndefined();
});

holds(
  'a certificate with other bytes somewhere is read, or is none',
  [fc.nat(DER.length - 1), fc.array(byte(), { minLength: 1, maxLength: 4 })],
  (at, bytes) => {
    const changed = Buffer.concat([DER.subarray(0, at), Buffer.from(bytes), DER.subarray(at + bytes.length)]);
    const profile = readCertificateProfile(changed);
    expect(profile === undefined || typeof profile.isAuthority === 'boolean').toBe(true);
  },
);

holds('a certificate that is cut off, or goes on, is none', [fc.nat(DER.length - 1), byte()], (at, more) => {
  expect(readCertificateProfile(DER.subarray(0, at))).toBeUndefined();
  expect(readCertificateProfile(Buffer.concat([DER, Buffer.of(more)]))).toBeUndefined();
});

test.each([
  ['an indefinite length', [0x30, 0x80, 0, 0]],
  ['a length that could be shorter', [0x04, 0x81, 1, 0]],
  ['a length of two bytes that could be one', [0x04, 0x82, 0, 0x80]],
  ['a length of four bytes', [0x04, 0x84, 0, 0, 0, 1, 0]],
  ['a tag of several bytes', [0x1f, 0x81, 0, 0]],
  ['nothing behind its length', [0x04, 2, 0]],
])('what has %s is no DER', (_what, bytes) => {
  expect(() => readDer(Buffer.from(bytes))).toThrow(RangeError);
});
