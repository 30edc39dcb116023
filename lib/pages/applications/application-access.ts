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

/** What the applications pages are made of. */
export interface ApplicationsPagesOptions extends AccountPagesOptions {
  readonly clients: ClientService;
  /** Why clients were refused lately. */
  readonly clientFailures: ClientFailures;
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
  /** Ends accounts, for administrators. */
  readonly people: RunningPeople;
  readonly models: Stores;
}

/** What their handlers work with. */
export type ApplicationsContext = ApplicationsPagesOptions & OwnersContext;

/** Whether the viewer of a request is an administrator. Each of the site's hooks is called once per request. */
export const administrators = new WeakMap<Request, boolean>();

/** Whether the viewer sees and changes what belongs to everybody. */
export function isAdministrator({ req }: Visit): boolean {
  return administrators.get(req) === true;
}

/** What a viewer may do with a client that they see. */
export function rightsOver({ clients }: ApplicationsContext, client: ClientInfo, visit: Visit) {
  const isHost = isAdministrator(visit);
  // a blocked client stays as the administrators have seen it, until they unblock it
  const isFrozen = client.blocked !== undefined && !isHost;
  return {
    // a client that the site vouches for skips the consent page, so the site decides where its codes go
    canEdit: isHost || !(client.trusted || isFrozen),
    canVerify: isHost,
    canDelete: !isFrozen,
    canBlock: isHost,
    // a client that registered itself makes its secrets itself (RFC 7592 §2.2): one made here would never reach it
    canRotate:
      !isFrozen &&
      credentialOf(client, clients.limits.methods) === 'secret' &&
      (isOwner(client, visit.userId) || client.selfRegistered !== true),
  };
}

export type Right = keyof ReturnType<typeof rightsOver>;

/**
 * The client that a request is about, if the viewer may see it, and do with it what the request does.
 *
 * @throws OAuthError 404: nobody can tell somebody else's client from one that does not exist
 * @throws PageRefusal if it is theirs, but blocked, or only the users of the site may change it
 */
export async function findClient(context: ApplicationsContext, visit: Visit, right?: Right) {
  const client = await context.clients.find(visit.id);
  if (client === null || !(isAdministrator(visit) || isOwner(client, visit.userId))) throw noSuchPage();
  const rights = rightsOver(context, client, visit);
  if (right === undefined || rights[right]) return client;
  if (right !== 'canEdit' && right !== 'canDelete') throw noSuchPage();
  // with a blocked one would go what the site has against it
  throw rights.canDelete
    ? new PageRefusal(
        'this site vouches for this application; ask the people who run the site to change it',
        { text: 'error.trustedApplication' },
      )
    : new PageRefusal('this site has blocked this application; ask the people who run the site', {
        text: 'error.blockedApplication',
      });
}
