import { OAuthError } from '../../shared/errors.js';
import type { ClientAuthenticationMethod } from './method.js';
import { verifySecret } from './verify-secret.js';

/**
 * HTTP Basic, both halves form-urlencoded.
 *
 * @see RFC 6749 §2.3.1, RFC 7617
 */
export const clientSecretBasic: ClientAuthenticationMethod = {
  name: 'client_secret_basic',
  credential: 'secret',
  parameters: [],
  create: (dependencies) => ({
    read({ authorization }) {
      const [, encoded] = /^basic +(.*)$/i.exec(authorization ?? '') ?? [];
      return encoded === undefined ? null : parseBasic(encoded);
    },
    verify: verifySecret(dependencies),
  }),
};

function parseBasic(encoded: string): { clientId: string; clientSecret: string } {
  const malformed = (detail: string) =>
    new OAuthError('invalid_client', 'the Authorization header is malformed', {
      reason: 'credentials_malformed',
      detail,
    });
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw malformed('no base64');
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) throw malformed('no colon');
  const [clientId, clientSecret] = [decodeForm(text.slice(0, colon)), decodeForm(text.slice(colon + 1))];
  if (clientId === undefined || clientSecret === undefined || clientId === '')
    throw malformed('client id or secret is not form-urlencoded UTF-8');
  return { clientId, clientSecret };
}

/** RFC 6749 §2.3.1, Appendix B: each half is encoded as in a form. */
function decodeForm(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replace(/\+/g, ' '));
    return /[\0\ufffd]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
