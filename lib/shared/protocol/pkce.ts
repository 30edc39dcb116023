import { hash } from 'node:crypto';

import { equalText } from '../crypto/secrets.js';
import { invalidRequest } from '../errors.js';
import type { Parameters } from './parameters.js';

/** RFC 7636 §4.2: a S256 challenge is the base64url of 32 bytes. */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** RFC 7636 §4.1: code-verifier = 43*128unreserved */
const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Whether a client of this type must send a challenge. A challenge that was sent is always enforced.
 *
 * @param pkce who must: public clients (RFC 9700 §2.1.1), all clients (OAuth 2.1), or nobody (plain RFC 6749)
 */
export function isChallengeRequired(
  pkce: 'public' | 'all' | 'optional',
  clientType: 'confidential' | 'public',
): boolean {
  return pkce === 'all' || (pkce === 'public' && clientType === 'public');
}

/**
 * The code challenge of an authorization request; undefined if there is none.
 *
 * @throws OAuthError invalid_request if it is malformed, is not S256, or is missing although required
 * @see RFC 7636 §4.3, §4.4.1
 */
export function parseCodeChallenge(parameters: Parameters, required: boolean): string | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = parameters;
  if (challenge === undefined) {
    if (method !== undefined)
      throw invalidRequest('code_challenge_method without code_challenge', 'pkce_malformed');
    if (required)
      throw invalidRequest('code challenge required (PKCE with code_challenge_method=S256)', 'pkce_missing');
    return undefined;
  }
  // RFC 9700 §2.1.1: plain (the default) is refused, because it reveals the verifier in the authorization request
  if (method !== 'S256')
    throw invalidRequest(
      'transform algorithm not supported: code_challenge_method must be S256',
      'pkce_method_unsupported',
    );
  if (!S256_CHALLENGE.test(challenge))
    throw invalidRequest('code_challenge is not the base64url form of a SHA-256 hash', 'pkce_malformed');
  return challenge;
}

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}

/**
 * Why the verifier of a token request does not match the code; undefined if it does.
 *
 * @see RFC 7636 §4.6, RFC 9700 §2.1.1
 */
export function findVerifierMismatch(
  verifier: string | undefined,
  challenge: string | undefined,
): string | undefined {
  if (challenge === undefined) {
    // RFC 9700 §2.1.1: a verifier is accepted only if the authorization request had a challenge (downgrade)
    return verifier === undefined
      ? undefined
      : 'code_verifier given, but the authorization request had no code_challenge';
  }
  if (verifier === undefined) return 'code_verifier missing';
  if (!CODE_VERIFIER.test(verifier)) return 'code_verifier malformed';
  return equalText(challengeOf(verifier), challenge) ? undefined : 'code_verifier mismatch';
}
