import { describe, expect, test } from '@jest/globals';

import {
  findVerifierMismatch,
  isChallengeRequired,
  parseCodeChallenge,
} from '../../../lib/shared/protocol/pkce.js';
import { refusalOf } from '../../support/refusal.js';

/** RFC 7636 Appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test.each([
  ['public', 'public', true],
  ['public', 'confidential', false],
  ['all', 'public', true],
  ['all', 'confidential', true],
  ['optional', 'public', false],
  ['optional', 'confidential', false],
] as const)('pkce: %s, of a %s client: %s', (pkce, type, isRequired) => {
  expect(isChallengeRequired(pkce, type)).toBe(isRequired);
});

describe('the challenge of an authorization request', () => {
  const S256 = { code_challenge_method: 'S256' };
  test('is taken as it is', () => {
    expect(parseCodeChallenge({ code_challenge: CHALLENGE, ...S256 }, true)).toBe(CHALLENGE);
  });
  test('may be missing where it is not required', () => {
    expect(parseCodeChallenge({}, false)).toBeUndefined();
    expect(refusalOf(() => parseCodeChallenge({}, true))).toBe('invalid_request');
  });
  test.each<[string, Record<string, string>]>([
    ['a method alone', S256],
    ['no method, which means plain', { code_challenge: CHALLENGE }],
    ['plain', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }],
    ['the method in small letters', { code_challenge: CHALLENGE, code_challenge_method: 's256' }],
    ['one that is too short', { code_challenge: CHALLENGE.slice(1), ...S256 }],
    ['one that is too long', { code_challenge: `${CHALLENGE}A`, ...S256 }],
    ['padding', { code_challenge: `${CHALLENGE}=`, ...S256 }],
    ['base64 that is not base64url', { code_challenge: `+${CHALLENGE.slice(1)}`, ...S256 }],
    ['a line break', { code_challenge: `${CHALLENGE}\n`, ...S256 }],
  ])('%s is refused, whether one is required or not', (_what, parameters) => {
    for (const isRequired of [true, false])
      expect(refusalOf(() => parseCodeChallenge(parameters, isRequired))).toBe('invalid_request');
  });
});

test.each<[string, string | undefined, string | undefined, RegExp | undefined]>([
  ['the right verifier', VERIFIER, CHALLENGE, undefined],
  ['neither', undefined, undefined, undefined],
  ['a verifier without a challenge', VERIFIER, undefined, /had no code_challenge/],
  ['none', undefined, CHALLENGE, /missing/],
  ['another one', VERIFIER.replace('d', 'e'), CHALLENGE, /mismatch/],
  ['the challenge itself', CHALLENGE, CHALLENGE, /mismatch/],
  ['one of 42 characters', VERIFIER.slice(1), CHALLENGE, /malformed/],
  ['one of 129 characters', 'a'.repeat(129), CHALLENGE, /malformed/],
  ['one with a space', `${VERIFIER.slice(1)} `, CHALLENGE, /malformed/],
  ['an empty one', '', CHALLENGE, /malformed/],
])('%s', (_what, verifier, challenge, problem) => {
  const found = findVerifierMismatch(verifier, challenge);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});
