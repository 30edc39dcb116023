import { OAuthError } from '../../../shared/errors.js';
import { findRegisteredRedirectUri } from '../../../shared/protocol/redirect-uri.js';
import type { Client } from '../client.js';
import type { NamedClient } from '../client-lists.js';
import type { ClientStore } from '../client-store.js';
import type { ClientProblem } from '../validation-error.js';
import { skeletonsWithin } from './confusable-names.js';

/** By these grant types tokens reach a client only at its redirect URIs. */
const REDIRECTING_GRANT_TYPES = ['authorization_code', 'implicit', 'refresh_token'];

/** A client whose name the site did not choose, and where its responses go. */
export type ClientName = Pick<Client, 'name' | 'redirectUris' | 'grantTypes'> &
  // verified clients of the same owner may have similar names
  Partial<Pick<Client, 'clientId' | 'ownerId' | 'verified'>>;

/**
 * Refuses a name that resembles the name of a verified client, or of the site's own. One command. Further installations
 * of the same software may have its name: their responses go to the same place. A client keeps a name that it had
 * before, or under which it was verified. Two clients that take a name and are verified at the same moment can miss
 * each other: the reviewer sees the name.
 *
 * @param before the stored client, if this is a change
 *
 * @see RFC 7591 §5
 */
export async function findProtectedName(
  clients: ClientStore,
  client: ClientName,
  before?: ClientName,
): Promise<ClientProblem | undefined> {
  const textOf = ({ name, redirectUris, grantTypes }: ClientName) =>
    JSON.stringify([name, redirectUris, grantTypes]);
  if (before !== undefined && textOf(client) === textOf(before)) return undefined;
  const skeletons = skeletonsWithin(client.name);
  if (skeletons.length === 0) return undefined;
  const { clientId, ownerId } = client;
  const matches = await clients.findByName(skeletons, { clientId, ownerId });
  const [taken] = matches;
  const isInstallation = (of: ClientName) => matches.some((other) => isInstallationOf(of, other));
  const hasAllAlong = client.name === before?.name && (before.verified === true || !isInstallation(before));
  return taken === undefined || hasAllAlong || isInstallation(client)
    ? undefined
    : {
        field: 'name',
        problem: `The name could be taken for ${taken.name}, which is another application here.`,
        reason: 'nameReserved',
        values: { name: taken.name },
      };
}

/** @throws OAuthError invalid_client_metadata; for the rest as `findProtectedName` */
export async function checkNameIsFree(...args: Parameters<typeof findProtectedName>): Promise<void> {
  const problem = await findProtectedName(...args);
  if (problem !== undefined) throw new OAuthError('invalid_client_metadata', problem.problem);
}

/** Whether all responses for a client go to redirect URIs of the other client; a device code would go anywhere. */
function isInstallationOf({ redirectUris, grantTypes }: ClientName, other: NamedClient): boolean {
  return (
    redirectUris.length > 0 &&
    redirectUris.every((uri) => findRegisteredRedirectUri(uri, other.redirectUris) !== undefined) &&
    grantTypes.every((name) => REDIRECTING_GRANT_TYPES.includes(name))
  );
}
