import { createHash } from 'node:crypto';

import { expect, test } from '@jest/globals';

import { halfHash } from '../../lib/features/openid/id-tokens.js';

test.each([
  // OpenID Connect Core Appendix A.3, A.4
  ['at_hash', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y', '77QmUPtjPfzWtF2AnpK9RQ'],
  ['c_hash', 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk', 'LDktKdoQak3Pk0cnXxCltA'],
])('OpenID Connect Core §3.3.2.11 the %s of the examples is right', (_name, value, hash) => {
  for (const algorithm of ['RS256', 'PS256', 'ES256']) expect(halfHash(value, algorithm)).toBe(hash);
});

test('§3.1.3.6 a half hash with Ed25519 is half of SHA-512 (RFC 8032 §5.1)', () => {
  const hash = createHash('sha512').update('token').digest().subarray(0, 32);
  expect(halfHash('token', 'EdDSA')).toBe(hash.toString('base64url'));
});
