import type { Request, RequestHandler } from 'express';

import { resourceOwnerOf } from '../core/sessions/resource-owner.js';
import { clearReturnTo, sendToLogin } from '../core/sessions/return-to.js';
import type { Settings } from '../settings/settings.js';

/** Lets the logged-in user through and sends everybody else to the login, with the way back to `returnPathOf`. */
export function requireLogin(settings: Settings, returnPathOf: (req: Request) => string): RequestHandler {
  return function redirectToLogin(req, res, next) {
    if (resourceOwnerOf(settings, req) === undefined)
      return sendToLogin(settings, { req, res, status: 303, returnPath: returnPathOf(req) });
    clearReturnTo(settings, req, res);
    next();
  };
}

/** The id of the user behind a request that `requireLogin` has let through. */
export function userIdOf({ people }: Settings, req: Request): string {
  if (!req.user) throw new TypeError('express-authorization-server: nobody is logged in');
  return people.id(req.user);
}

/** What a page calls the user; empty if nobody is logged in. */
export function userNameOf(settings: PersonNames, { user }: Request): string {
  return user ? personLabel(settings, user) : '';
}

/** How somebody is named, and told apart from others of that name. */
export interface PersonNames {
  readonly people: Pick<Settings['people'], 'name' | 'detail'>;
}

export function personLabel({ people }: PersonNames, user: Express.User): string {
  const [name, detail = ''] = [people.name(user), people.detail?.(user)];
  return detail === '' || detail === name ? name : `${name} (${detail})`;
}

/**
 * Users by their ids, as the site names them; without those whom the site does not find now: a page is right with the
 * id, too.
 */
export async function findNames(
  settings: Settings,
  ids: readonly string[],
  nameOf = (user: Express.User) => personLabel(settings, user),
  // the site may find a user by an id in another spelling
  idOf: (user: Express.User, id: string) => string = (_user, id) => id,
): Promise<ReadonlyMap<string, string>> {
  const { find } = settings.people;
  if (find === undefined) return new Map();
  const names = await Promise.all(
    [...new Set(ids)].map(async (id) => {
      try {
        const user = await find(id);
        return user ? [[idOf(user, id), nameOf(user)] as const] : [];
      } catch {
        return [];
      }
    }),
  );
  return new Map(names.flat());
}

/** What the site says of a user; administrators are developers as well. */
export async function rolesOf({ applications }: Settings, req: Request) {
  const isAdministrator = (await applications.isAdministrator(req)) === true;
  return { isAdministrator, isDeveloper: isAdministrator || (await applications.isDeveloper(req)) === true };
}
