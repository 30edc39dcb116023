import { OAuthError } from '../errors.js';
import { isUnverified } from './by-others.js';
import type { Client } from './client.js';
import type { ClientProblem } from './client-problem.js';
import type { ClientStore } from './client-store.js';
import { skeletonOf, skeletonsWithin } from './look-alikes.js';

/** A name that somebody other than the host gives a client. */
export interface GivenName {
  readonly name: string;
  readonly clientId?: string | undefined;
  /** Their own verified clients may have names like it. */
  readonly ownerId?: string | undefined;
}

/**
 * By what a name is found that others may not take; undefined if they may. People know verified clients, and the site's
 * own ones, by their names.
 */
export function protectedSkeletonOf(client: Parameters<typeof isUnverified>[0] & Pick<Client, 'name'>) {
  const skeleton = isUnverified(client) ? '' : skeletonOf(client.name);
  return skeleton === '' ? undefined : skeleton;
}

/**
 * What is wrong with a name that could be taken for one of a verified client, or of the site's own. One command. Two
 * clients that take the name and are verified at the same moment can miss each other: whoever verifies sees the name.
 *
 * @see RFC 7591 §5
 */
export async function findProtectedName(
  clients: Pick<ClientStore, 'findByName'>,
  { name, clientId, ownerId }: GivenName,
): Promise<ClientProblem | undefined> {
  const skeletons = skeletonsWithin(name);
  if (skeletons.length === 0) return undefined;
  const found = await clients.findByName(skeletons, { clientId, ownerId });
  return found === null
    ? undefined
    : {
        field: 'name',
        problem: `The name could be taken for ${found.name}, which is another application here.`,
        reason: 'nameReserved',
        values: { name: found.name },
      };
}

/** @throws OAuthError invalid_client_metadata */
export async function checkNameIsFree(
  clients: Pick<ClientStore, 'findByName'>,
  given: GivenName,
): Promise<void> {
  const problem = await findProtectedName(clients, given);
  if (problem !== undefined) throw new OAuthError('invalid_client_metadata', problem.problem);
}
