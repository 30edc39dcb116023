import type { Request } from 'express';

import type { ReadClientCertificate } from '../http/client-certificate.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/**
 * RFC 8705 §3: a token that is bound to a certificate works only on a connection with that certificate. Its chain and
 * dates are not checked (§6.2): it proves only that this client is the one that got the token.
 *
 * @param read undefined: no certificates are read, and such tokens are refused
 * @throws OAuthError invalid_token
 */
export function checkCertificate(
  read: ReadClientCertificate | undefined,
  req: Request,
  { cnf }: AccessToken,
): void {
  if (cnf === undefined || !('x5t#S256' in cnf)) return;
  const presented = read?.(req)?.thumbprint;
  if (presented === undefined) throw invalidToken('it is bound to a certificate, and came without one');
  if (presented !== cnf['x5t#S256']) throw invalidToken('it is bound to another certificate');
}
