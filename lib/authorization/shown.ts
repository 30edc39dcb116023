import type { Client } from '../clients/client.js';
import { hashSecret } from '../crypto/secrets.js';
import type { AuthorizationDetail } from '../protocol/authorization-details.js';

/** What a consent page says about a request. */
export interface Shown {
  readonly client: Pick<Client, 'clientId' | 'name'> &
    Partial<
      Pick<
        Client,
        | 'type'
        | 'trusted'
        | 'verified'
        | 'description'
        | 'clientUri'
        | 'logoUri'
        | 'policyUri'
        | 'tosUri'
        | 'registration'
        | 'document'
        | 'ownerId'
        | 'ownerSince'
        | 'createdAt'
      >
    >;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** Absent if there are none. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** Absent if a device waits for the answer. */
  readonly redirectUri?: string;
}

/**
 * A text that changes as soon as the page would say something else. It goes into the form, so that an answer is an
 * answer to what was shown. It is no protection; the form has its CSRF token for that.
 */
export function digestOf({
  client,
  scopes,
  resources,
  authorizationDetails = [],
  redirectUri,
}: Shown): string {
  const { clientId, name, type, trusted, verified, registration } = client;
  const { description, clientUri, logoUri, policyUri, tosUri } = client;
  const { ownerId, ownerSince, document } = client;
  // a client that nobody has allowed yet is read anew from its document each time; its page shows no date
  const createdAt = document === undefined ? client.createdAt : undefined;
  const { details } = registration ?? {};
  return hashSecret(
    JSON.stringify([
      [clientId, name, type, trusted === true, verified === true],
      [description, clientUri, logoUri, policyUri, tosUri],
      [ownerId, ownerSince, createdAt, registration !== undefined, document !== undefined],
      [details?.logoUri, details?.clientUri, details?.policyUri, details?.tosUri],
      [scopes, resources, redirectUri],
      ...(authorizationDetails.length > 0 ? [authorizationDetails] : []),
    ]),
  );
}
