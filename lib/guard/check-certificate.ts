import type { Request } from 'express';

import type { ReadClientCertificate } from '../http/client-certificate.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/**
 * RFC 8705 §3: a token that is bound to a certificate is good on a connection with that certificate alone. Its chain
 * and its dates are not looked at (§6.2): that the client is the one who has got the token is what it proves.
 *
 * @param read undefined: no certificates are looked at, and such tokens are refused
 * @throws OAuthError invalid_token
 */
export function checkCertificate(
  read: ReadClientCertificate | undefined,
  req: Request,
  { cnf }: AccessToken,
): void {
  if (cnf === undefined || !('x5t#S256' in cnf)) return;
  const shown = read?.(req)?.thumbprint;
  if (shown === undefined) throw invalidToken('it is bound to a certificate, and came without one');
  if (shown !== cnf['x5t#S256']) throw invalidToken('it is bound to another certificate');
}
