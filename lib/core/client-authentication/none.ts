import { type ClientAuthenticationMethod, readNamedClient } from './method.js';

/** A public client sends its `client_id`, which proves nothing. @see RFC 6749 §2.1, §3.2.1 */
export const none: ClientAuthenticationMethod = {
  name: 'none',
  credential: 'none',
  parameters: ['client_id'],
  isFallback: true,
  create: () => ({
    read: readNamedClient,
    // RFC 6749 §3.2.1: a confidential client MUST authenticate
    verify: (client) => Promise.resolve(client.type === 'public'),
  }),
};
