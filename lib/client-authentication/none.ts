import type { ClientAuthenticationMethod } from './method.js';

/**
 * A public client names itself, which proves nothing.
 *
 * @see RFC 6749 §2.1, §3.2.1
 */
export function createNone(): ClientAuthenticationMethod {
  return {
    name: 'none',
    parameters: ['client_id'],
    read({
      authorization,
      parameters: { client_id: clientId, client_secret: clientSecret, client_assertion: clientAssertion },
    }) {
      if (
        authorization !== undefined ||
        clientSecret !== undefined ||
        clientAssertion !== undefined ||
        clientId === undefined
      )
        return null;
      return { clientId };
    },
    // RFC 6749 §3.2.1: a confidential client MUST authenticate
    verify: (client) => Promise.resolve(client.type === 'public'),
  };
}
