import { describe, expect, test } from '@jest/globals';

import {
  type Binding,
  matchesBinding,
  type Proof,
  toConfirmation,
} from '../../lib/core/proof-of-possession/binding.js';

const use = () => Promise.resolve();
const KEY = { jkt: 'key' };
const CERTIFICATE = { x5tS256: 'certificate' };
const BOTH = { ...KEY, ...CERTIFICATE };

describe('RFC 9449 §7.1, RFC 8705 §3 the binding of a token', () => {
  test.each<[Binding, Binding | undefined, boolean]>([
    [{}, undefined, true],
    [{}, BOTH, true],
    [KEY, undefined, false],
    [KEY, {}, false],
    [KEY, KEY, true],
    [KEY, { jkt: 'another' }, false],
    [KEY, BOTH, true],
    [CERTIFICATE, CERTIFICATE, true],
    [CERTIFICATE, KEY, false],
    // a thumbprint of one kind is none of the other
    [KEY, { x5tS256: 'key' }, false],
    [BOTH, KEY, false],
    [BOTH, CERTIFICATE, false],
    [BOTH, BOTH, true],
  ])('a token with binding %j matches the proof %j: %s', (bound, displayed, isAll) => {
    const proof: Proof | undefined = displayed && { ...displayed, use };
    expect(matchesBinding(bound, proof)).toBe(isAll);
  });
});

describe('RFC 9449 §6.1, RFC 8705 §3.1 the confirmation claim', () => {
  test.each<[Binding, object]>([
    [{}, {}],
    [KEY, { cnf: { jkt: 'key' } }],
    [CERTIFICATE, { cnf: { 'x5t#S256': 'certificate' } }],
    [BOTH, { cnf: { jkt: 'key', 'x5t#S256': 'certificate' } }],
  ])('a token with binding %j has the confirmation claim %j', (bound, claims) => {
    expect(toConfirmation(bound)).toStrictEqual(claims);
  });
});
