import type { Request } from 'express';

import { isOwner } from '../../core/clients/client-owners.js';
import type { ClientDirectory } from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import { authenticatesBySecret } from '../../core/clients/secrets/issue-client-secret.js';
import type { ClientFailures } from '../../core/clients/status/client-failures.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import type { GrantRevocation } from '../../core/grants/grant-registry.js';
import { PageRefusal } from '../../core/http/page-error.js';
import type { RunningPeople } from '../../core/people/people-registry.js';
import { noSuchPage, type Visit } from '../account-pages.js';
import type { OwnersContext } from '../owner-pages.js';

/** What the handlers of the applications pages work with. */
export interface ApplicationsContext extends OwnersContext {
  readonly clients: ClientService;
  readonly directory: ClientDirectory;
  /** Why clients were refused lately; undefined if that is not counted. */
  readonly clientFailures?: ClientFailures | undefined;
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
  /** Ends accounts, for administrators. */
  readonly people: RunningPeople;
  /** Ends grants, with events that belong to this request. */
  readonly grantsFor: (req: Request) => GrantRevocation;
}

/** Whether the viewer of a request is an administrator. Each of the site's hooks is called once per request. */
export const administrators = new WeakMap<Request, boolean>();

/** Whether the viewer sees and changes what belongs to everybody. */
export function isAdministrator({ req }: Visit): boolean {
  return administrators.get(req) === true;
}

/** What a viewer may do with a client that they see. */
export function rightsOver(client: ClientInfo, visit: Visit) {
  const isHost = isAdministrator(visit);
  // a blocked client stays as the administrators have seen it, until they unblock it
  const isFrozen = client.blocked !== undefined && !isHost;
  return {
    // a client that the site vouches for skips the consent page, so the site decides where its codes go
    canEdit: isHost || !(client.trusted || isFrozen),
    canVerify: isHost,
    canDelete: !isFrozen,
    canBlock: isHost,
  };
}

/** Whether a viewer may make a new secret for a client, or end an old one. */
export function canRotate(client: ClientInfo, visit: Visit, { limits }: ClientService): boolean {
  if (!rightsOver(client, visit).canDelete || !authenticatesBySecret(client, limits.methods)) return false;
  // a client that registered itself makes its secrets itself (RFC 7592 §2.2): one made here would never reach it
  return isOwner(client, visit.userId) || client.selfRegistered !== true;
}

/**
 * The client that a request is about, if the viewer may see it.
 *
 * @throws OAuthError 404: nobody can tell somebody else's client from one that does not exist
 */
export async function findVisible({ clients }: ApplicationsContext, visit: Visit): Promise<ClientInfo> {
  const client = await clients.find(visit.id);
  if (client !== null && (isAdministrator(visit) || isOwner(client, visit.userId))) return client;
  throw noSuchPage();
}

/** The same for an administrator, who checks it. @throws OAuthError 404 for all others */
export async function findJudged(context: ApplicationsContext, visit: Visit): Promise<ClientInfo> {
  const client = await findVisible(context, visit);
  if (!isAdministrator(visit)) throw noSuchPage();
  return client;
}

/** The same, if the viewer may make a new secret for it. @throws OAuthError 404 */
export async function findRotatable(context: ApplicationsContext, visit: Visit): Promise<ClientInfo> {
  const client = await findVisible(context, visit);
  if (!canRotate(client, visit, context.clients)) throw noSuchPage();
  return client;
}

/** @throws OAuthError as `findDeletable`; access_denied if only the users of the site may change it */
export async function findEditable(context: ApplicationsContext, visit: Visit): Promise<ClientInfo> {
  const client = await findDeletable(context, visit);
  if (!rightsOver(client, visit).canEdit)
    throw new PageRefusal(
      'this site vouches for this application; ask the people who run the site to change it',
      { text: 'error.trustedApplication' },
    );
  return client;
}

/**
 * The client that a request is about, if the viewer may delete it: with a blocked one would go what the site has
 * against it.
 *
 * @throws OAuthError as `findVisible`; access_denied if it is blocked
 */
export async function findDeletable(context: ApplicationsContext, visit: Visit): Promise<ClientInfo> {
  const client = await findVisible(context, visit);
  if (!rightsOver(client, visit).canDelete)
    throw new PageRefusal('this site has blocked this application; ask the people who run the site', {
      text: 'error.blockedApplication',
    });
  return client;
}
