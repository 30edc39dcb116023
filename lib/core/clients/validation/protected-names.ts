import { OAuthError } from '../../../shared/errors.js';
import { findRegisteredRedirectUri } from '../../../shared/protocol/redirect-uri.js';
import type { Client } from '../client.js';
import type { NamedClient } from '../client-lists.js';
import type { ClientStore } from '../client-store.js';
import type { ClientProblem } from '../validation-error.js';
import { skeletonsWithin } from './confusable-names.js';

/** With these a client is given something only at its redirect URIs. */
const REDIRECTING_GRANT_TYPES = ['authorization_code', 'implicit', 'refresh_token'];

/** A client whose name somebody other than the site gives, and where its answers go. */
export type GivenName = Pick<Client, 'name' | 'redirectUris' | 'grantTypes'> &
  // an owner's verified clients may have names like it
  Partial<Pick<Client, 'clientId' | 'ownerId' | 'verified'>>;

/**
 * What is wrong with a name that could be taken for one of a verified client, or of the site's own. One command. Further
 * installations of the same software may have its name: whatever they get goes where it goes. A client keeps a name that
 * it has had all along, or that it was verified under. Two clients that take a name and are verified at the same moment
 * can miss each other: whoever verifies a client sees its name.
 *
 * @param before the client as it is, if it is being changed
 *
 * @see RFC 7591 §5
 */
export async function findProtectedName(
  clients: ClientStore,
  given: GivenName,
  before?: GivenName,
): Promise<ClientProblem | undefined> {
  const textOf = ({ name, redirectUris, grantTypes }: GivenName) =>
    JSON.stringify([name, redirectUris, grantTypes]);
  if (before !== undefined && textOf(given) === textOf(before)) return undefined;
  const skeletons = skeletonsWithin(given.name);
  if (skeletons.length === 0) return undefined;
  const { clientId, ownerId } = given;
  const found = await clients.findByName(skeletons, { clientId, ownerId });
  const [taken] = found;
  const isInstallation = (of: GivenName) => found.some((other) => isInstallationOf(of, other));
  const hasAllAlong = given.name === before?.name && (before.verified === true || !isInstallation(before));
  return taken === undefined || hasAllAlong || isInstallation(given)
    ? undefined
    : {
        field: 'name',
        problem: `The name could be taken for ${taken.name}, which is another application here.`,
        reason: 'nameReserved',
        values: { name: taken.name },
      };
}

/** @throws OAuthError invalid_client_metadata; for the rest as `findProtectedName` */
export async function checkNameIsFree(...given: Parameters<typeof findProtectedName>): Promise<void> {
  const problem = await findProtectedName(...given);
  if (problem !== undefined) throw new OAuthError('invalid_client_metadata', problem.problem);
}

/** Whether all that a client is given goes to redirect URIs of the other one: by a device it would go anywhere. */
function isInstallationOf({ redirectUris, grantTypes }: GivenName, other: NamedClient): boolean {
  return (
    redirectUris.length > 0 &&
    redirectUris.every((uri) => findRegisteredRedirectUri(uri, other.redirectUris) !== undefined) &&
    grantTypes.every((name) => REDIRECTING_GRANT_TYPES.includes(name))
  );
}
