import { OAuthError } from '../../shared/errors.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationMethod } from './method.js';
import { verifyBySecret } from './verify-secret.js';

/** HTTP Basic, both halves form-urlencoded. @see RFC 6749 §2.3.1, RFC 7617 */
export const clientSecretBasic: ClientAuthenticationMethod = {
  name: 'client_secret_basic',
  credential: 'secret',
  parameters: [],
  create: (dependencies) => {
    const verify = verifyBySecret(dependencies);
    return {
      read({ authorization }) {
        const [, encoded] = /^basic +(.*)$/i.exec(authorization ?? '') ?? [];
        if (encoded === undefined) return null;
        const malformed = (detail: string) =>
          new OAuthError('invalid_client', 'the Authorization header is malformed', {
            reason: 'credentials_malformed',
            detail,
          });
        if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw malformed('no base64');
        const text = Buffer.from(encoded, 'base64').toString('utf8');
        const colon = text.indexOf(':');
        if (colon === -1) throw malformed('no colon');
        const raw = text.slice(colon + 1);
        const [clientId, clientSecret] = [decodeForm(text.slice(0, colon)), decodeForm(raw)];
        if (clientId === undefined || clientId === '') throw malformed(NOT_ENCODED);
        if (clientSecret === raw) return { clientId, clientSecret };
        return { clientId, rawSecret: raw, clientSecret };
      },
      async verify(client, credentials, request) {
        if (await verify(client, credentials, request)) return true;
        // refused only now: a migrated client may send its secret undecoded
        if (credentials.clientSecret === undefined)
          throw invalidClient(NOT_ENCODED, { reason: 'credentials_malformed' });
        return false;
      },
    };
  },
};

const NOT_ENCODED = 'client id or secret is not form-urlencoded UTF-8';

/** RFC 6749 §2.3.1, Appendix B: each half is encoded as in a form. */
function decodeForm(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replace(/\+/g, ' '));
    return /[\0\ufffd]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
