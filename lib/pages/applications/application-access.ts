import type { Request } from 'express';

import { credentialOf } from '../../core/clients/auth-method-info.js';
import { isOwner } from '../../core/clients/client-owners.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import type { ClientFailures } from '../../core/clients/status/client-failures.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import { PageRefusal } from '../../core/http/page-error.js';
import type { RunningPeople } from '../../core/people/people-registry.js';
import type { Stores } from '../../storage/stores.js';
import { type AccountPagesOptions, noSuchPage, type Visit } from '../account-pages.js';
import type { OwnersContext } from '../owner-pages.js';

/** The dependencies of the applications pages. */
export interface ApplicationsPagesOptions extends AccountPagesOptions {
  readonly clients: ClientService;
  /** Counts the reasons of recent refusals of clients. */
  readonly clientFailures: ClientFailures;
  /** The enabled grant types, with their texts. */
  readonly grantTypes: readonly GrantType[];
  /** Ends accounts, for administrators. */
  readonly people: RunningPeople;
  readonly models: Stores;
}

/** The context of the pages' handlers. */
export type ApplicationsContext = ApplicationsPagesOptions & OwnersContext;

/** Whether the user of a request is an administrator; each hook of the site runs once per request. */
export const administrators = new WeakMap<Request, boolean>();

/** Whether the viewer may see and change all applications. */
export function isAdministrator({ req }: Visit): boolean {
  return administrators.get(req) === true;
}

/** The rights of a viewer over a client that they see. */
export function rightsOver({ clients }: ApplicationsContext, client: ClientInfo, visit: Visit) {
  const isHost = isAdministrator(visit);
  // only administrators change a blocked client, so that it stays as they reviewed it
  const isFrozen = client.blocked !== undefined && !isHost;
  return {
    // a trusted client skips the consent page, so only the site may change its redirect URIs
    canEdit: isHost || !(client.trusted || isFrozen),
    canVerify: isHost,
    canDelete: !isFrozen,
    canBlock: isHost,
    // a self-registered client rotates its own secret (RFC 7592 §2.2): a secret from this page would not reach it
    canRotate:
      !isFrozen &&
      credentialOf(client, clients.limits.methods) === 'secret' &&
      (isOwner(client, visit.userId) || client.selfRegistered !== true),
  };
}

export type Right = keyof ReturnType<typeof rightsOver>;

/**
 * The client of a request, if the viewer has the right over it.
 *
 * @throws OAuthError 404: the client of another owner looks like one that does not exist
 * @throws PageRefusal if the viewer owns the client, but it is blocked, or only the site may change it
 */
export async function findClient(context: ApplicationsContext, visit: Visit, right?: Right) {
  const client = await context.clients.find(visit.id);
  if (client === null || !(isAdministrator(visit) || isOwner(client, visit.userId))) throw noSuchPage();
  const rights = rightsOver(context, client, visit);
  if (right === undefined || rights[right]) return client;
  if (right !== 'canEdit' && right !== 'canDelete') throw noSuchPage();
  // deleting a blocked client would delete the evidence against it
  throw rights.canDelete
    ? new PageRefusal(
        'this site vouches for this application; ask the people who run the site to change it',
        { text: 'error.trustedApplication' },
      )
    : new PageRefusal('this site has blocked this application; ask the people who run the site', {
        text: 'error.blockedApplication',
      });
}
