import type { Request } from 'express';

import { OAuthError } from '../../../shared/errors.js';
import type { AccessToken } from '../access-token.js';

/** What a challenge says, name by value. */
export type ChallengeAttributes = Readonly<Record<string, string>>;

/** A way of presenting an access token: an authentication scheme of RFC 9110 §11. `admission.ts` lists them. */
export interface AuthenticationScheme {
  /**
   * The token that a request presents by this scheme, undefined if it presents none.
   *
   * @throws OAuthError invalid_request if it is malformed
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

/** RFC 6750 §2, §3.1: it must not be a guess which of two tokens counts. */
export function sentTwice(): OAuthError {
  return new OAuthError('invalid_request', 'the access token is sent in more than one way', {
    reason: 'access_token_malformed',
  });
}
