import type { Request } from 'express';

import { OAuthError } from '../../../shared/errors.js';
import type { AccessToken } from '../access-token.js';
import { invalidToken } from '../verify-access-token.js';

/** RFC 9110 §11.2: token68, which RFC 6750 §2.1 calls b64token. */
export const TOKEN68 = /^[A-Za-z0-9._~+/-]+=*$/;

/** What a challenge says, name by value. */
export type ChallengeAttributes = Readonly<Record<string, string>>;

/** A way of presenting an access token: an authentication scheme of RFC 9110 §11. `admission.ts` lists them. */
export interface AuthenticationScheme {
  /**
   * What a request presents as a token by this scheme, undefined if it presents none. `checkSyntax` checks its syntax.
   *
   * @throws OAuthError invalid_request if the request presents it in more than one way
   */
  readonly read: (req: Request) => string | undefined;
  /**
   * Verifies that the sender of a valid token may use it.
   *
   * @throws OAuthError unless the sender may
   */
  readonly verifySender: (req: Request, auth: AccessToken, now: Date) => void | Promise<void>;
  /** Its part of WWW-Authenticate. */
  readonly challenge: (attributes: ChallengeAttributes) => string;
}

/**
 * RFC 9110 §11.6.1: a scheme and its attributes. The values are ASCII without quotes and backslashes (see
 * OAuthError).
 */
export function formatChallenge(scheme: string, attributes: ChallengeAttributes): string {
  const list = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `${scheme} ${list.join(', ')}`;
}

/**
 * RFC 6750 §3.1, RFC 9449 §7.1: a malformed token is invalid_token, which tells a client to get another one.
 *
 * @throws OAuthError invalid_request if there is no token or more than one, invalid_token if the token is malformed
 */
export function checkSyntax(token: string): void {
  if (TOKEN68.test(token)) return;
  if (token !== '' && !/\s/.test(token)) throw invalidToken('malformed');
  throw new OAuthError('invalid_request', 'the request does not have exactly one access token', {
    reason: 'access_token_malformed',
  });
}

/** RFC 6750 §2, §3.1: it must not be a guess which of two tokens counts. */
export function sentTwice(): OAuthError {
  return new OAuthError('invalid_request', 'the access token is sent in more than one way', {
    reason: 'access_token_malformed',
  });
}
