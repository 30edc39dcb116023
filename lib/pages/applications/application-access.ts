import type { Request, RequestHandler } from 'express';

import type { AuthMethodInfo } from '../../core/clients/auth-method-info.js';
import { isOwner } from '../../core/clients/client-owners.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import { authenticatesBySecret } from '../../core/clients/secrets/issue-client-secret.js';
import { handle } from '../../core/http/handle.js';
import { PageRefusal } from '../../core/http/page-refusal.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { userIdOf } from '../person.js';

/** Who looks at the applications pages. */
export interface Viewer {
  readonly ownerId: string;
  /** Sees and changes what belongs to everybody. */
  readonly isAdministrator: boolean;
}

/** What a viewer may do with a client that they see. */
export interface Rights {
  readonly canEdit: boolean;
  readonly canVerify: boolean;
  readonly canDelete: boolean;
  readonly canBlock: boolean;
}

const viewers = new WeakMap<Request, Viewer>();

/**
 * Lets developers and administrators through, and remembers who it is. Each of the site's hooks is called once per
 * request.
 */
export function requireDeveloper(settings: Settings): RequestHandler {
  return handle(async (req, _res, next) => {
    const { isAdministrator, isDeveloper } = await rolesOf(settings, req);
    if (!isDeveloper)
      throw new PageRefusal('your account may not register applications on this site', {
        text: 'error.notDeveloper',
      });
    viewers.set(req, { ownerId: userIdOf(settings, req), isAdministrator });
    next();
  });
}

/** What the site says of a user; administrators are developers as well. */
export async function rolesOf(
  settings: Pick<Settings, 'applications'>,
  req: Request,
): Promise<{ readonly isAdministrator: boolean; readonly isDeveloper: boolean }> {
  const isAdministrator = (await settings.applications.isAdministrator(req)) === true;
  return {
    isAdministrator,
    isDeveloper: isAdministrator || (await settings.applications.isDeveloper(req)) === true,
  };
}

export function viewerOf(req: Request): Viewer {
  const viewer = viewers.get(req);
  if (viewer === undefined) throw new Error('requireDeveloper has not run');
  return viewer;
}

export function rightsOver(client: ClientInfo, viewer: Viewer): Rights {
  const isFrozen = isFrozenFor(client, viewer);
  return {
    // a client that the site vouches for skips the consent page, so the site decides where its codes go
    canEdit: viewer.isAdministrator || !(client.trusted || isFrozen),
    canVerify: viewer.isAdministrator,
    canDelete: !isFrozen,
    canBlock: viewer.isAdministrator,
  };
}

/** Whether a viewer may make a new secret for a client, or end an old one. */
export function canRotate(client: ClientInfo, viewer: Viewer, methods: readonly AuthMethodInfo[]): boolean {
  if (isFrozenFor(client, viewer) || !authenticatesBySecret(client, methods)) return false;
  // a client that registered itself makes its secrets itself (RFC 7592 §2.2): one made here would never reach it
  return isOwner(client, viewer.ownerId) || client.selfRegistered !== true;
}

/** A blocked client stays as the administrators have seen it, until they unblock it. */
function isFrozenFor(client: ClientInfo, viewer: Viewer): boolean {
  return client.blocked !== undefined && !viewer.isAdministrator;
}

/**
 * The client that a request is about, if the viewer may see it.
 *
 * @throws OAuthError 404: nobody can tell somebody else's client from one that does not exist
 */
export async function findVisible(clients: Pick<ClientService, 'find'>, req: Request): Promise<ClientInfo> {
  const viewer = viewerOf(req);
  const client = await clients.find(String(req.params.clientId));
  if (client !== null && (viewer.isAdministrator || isOwner(client, viewer.ownerId))) return client;
  throw notFound();
}

/** The same, if the viewer may make a new secret for it. @throws OAuthError 404 */
export async function findRotatable(
  clients: Pick<ClientService, 'find' | 'limits'>,
  req: Request,
): Promise<ClientInfo> {
  const client = await findVisible(clients, req);
  if (!canRotate(client, viewerOf(req), clients.limits.methods)) throw notFound();
  return client;
}

/** @throws OAuthError as `findVisible`; access_denied if only the users of the site may change it */
export async function findEditable(clients: Pick<ClientService, 'find'>, req: Request): Promise<ClientInfo> {
  const client = await findVisible(clients, req);
  refuseFrozen(client, viewerOf(req));
  if (!rightsOver(client, viewerOf(req)).canEdit)
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
export async function findDeletable(clients: Pick<ClientService, 'find'>, req: Request): Promise<ClientInfo> {
  const client = await findVisible(clients, req);
  refuseFrozen(client, viewerOf(req));
  return client;
}

function refuseFrozen(client: ClientInfo, viewer: Viewer): void {
  if (!rightsOver(client, viewer).canDelete)
    throw new PageRefusal('this site has blocked this application; ask the people who run the site', {
      text: 'error.blockedApplication',
    });
}

export function notFound(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such page', { status: 404 });
}
