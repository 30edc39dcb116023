import { randomBytes } from 'node:crypto';

import { hashSecret } from '../../shared/crypto/secrets.js';

/**
 * A client sends this value to the `check_session` frame to learn of a logout. It has three parts: a hash of the
 * client, a hash of the client with the browser's state, and a salt, which makes each value different.
 *
 * @see OpenID Connect Session Management §2, §3.2
 */
export function formatSessionState(clientId: string, redirectUri: string, browserState: string): string {
  const salt = randomBytes(16).toString('base64url');
  const { origin } = new URL(redirectUri);
  const whose = hashSecret(`${clientId} ${origin} ${salt}`);
  return `${whose}.${hashSecret(`${clientId} ${origin} ${browserState} ${salt}`)}.${salt}`;
}
