import { randomBytes } from 'node:crypto';

import { hashSecret } from '../../shared/crypto/secrets.js';

/**
 * With this value a client asks our page in a frame whether something has changed. It has three parts: whose it is,
 * what the browser's state was, and a salt, so that no two are alike.
 *
 * @see OpenID Connect Session Management §2, §3.2
 */
export function formatSessionState(clientId: string, redirectUri: string, browserState: string): string {
  const salt = randomBytes(16).toString('base64url');
  const { origin } = new URL(redirectUri);
  const whose = hashSecret(`${clientId} ${origin} ${salt}`);
  return `${whose}.${hashSecret(`${clientId} ${origin} ${browserState} ${salt}`)}.${salt}`;
}
