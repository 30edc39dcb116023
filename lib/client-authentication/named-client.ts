import type { ClientAuthenticationRequest } from './method.js';

/** The client that a request names, without credentials. */
export function readNamedClient({ parameters: { client_id: clientId } }: ClientAuthenticationRequest) {
  return clientId === undefined ? null : { clientId };
}
