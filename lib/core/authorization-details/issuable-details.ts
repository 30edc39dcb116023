import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { Client } from '../clients/client.js';
import { narrowDetails, stillRegisteredDetails } from './compare-details.js';
import { unusedDetails, usableOf } from './single-use.js';

/**
 * The details that the next tokens of a grant have: those that are not used up, whose types this server and the client
 * still have, and within which lies what the request names.
 *
 * @throws OAuthError invalid_authorization_details if the request names more
 * @see RFC 9396 §6
 */
export function issuableDetails(
  grant: Parameters<typeof usableOf>[0],
  {
    client,
    authorizationDetails: requested,
  }: {
    readonly client: Pick<Client, 'authorizationDetailsTypes'>;
    readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  },
  settings: Pick<Settings, 'authorizationDetails'>,
): readonly AuthorizationDetail[] {
  const { authorizationDetails: granted = [] } = grant.authorization;
  // most grants and requests have none
  if (granted.length === 0 && requested === undefined) return granted;
  const unused = unusedDetails(granted, usableOf(grant), settings);
  return narrowDetails(requested, stillRegisteredDetails(unused, client, settings), settings);
}
