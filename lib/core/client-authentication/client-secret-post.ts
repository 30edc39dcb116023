import type { ClientAuthenticationMethod } from './method.js';
import { verifyBySecret } from './verify-secret.js';

/** Client id and secret in the body. @see RFC 6749 §2.3.1 */
export const clientSecretPost: ClientAuthenticationMethod = {
  name: 'client_secret_post',
  credential: 'secret',
  parameters: ['client_id', 'client_secret'],
  create: (dependencies) => ({
    read({ parameters: { client_id: clientId, client_secret: clientSecret } }) {
      return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
    },
    verify: verifyBySecret(dependencies),
  }),
};
