import { OAuthError } from '../../shared/errors.js';
import type { Client } from '../clients/client.js';
import { refuseBlocked } from '../clients/status/blocked-client.js';
import type { FindClient } from './sources/request-source.js';

/**
 * The client that a request names.
 *
 * @throws OAuthError if there is none, or it is blocked: it is shown to the person (RFC 6749 §3.1.2.4)
 */
export async function findUsableClient(findClient: FindClient, clientId: string): Promise<Client> {
  const client = await findClient(clientId);
  if (client === null)
    throw new OAuthError('invalid_client', 'there is no such client', {
      reason: 'client_unknown',
      status: 400,
    });
  // RFC 9700 §4.11.2: no redirect to a URI that is not trusted, and this site no longer trusts this one
  refuseBlocked(client);
  return client;
}
