import type { Request, RequestHandler } from 'express';

import { resourceOwnerOf } from '../core/sessions/resource-owner.js';
import { clearReturnTo, sendToLogin } from '../core/sessions/return-to.js';
import type { Settings } from '../settings/settings.js';

/** Admits logged-in users and sends all others to the login, with the return path of `returnPathOf`. */
export function requireLogin(settings: Settings, returnPathOf: (req: Request) => string): RequestHandler {
  return function redirectToLogin(req, res, next) {
    if (resourceOwnerOf(settings, req) === undefined)
      return sendToLogin(settings, { req, res, status: 303, returnPath: returnPathOf(req) });
    clearReturnTo(settings, req, res);
    next();
  };
}

/** The id of the user of a request that `requireLogin` has admitted. */
export function userIdOf({ people }: Settings, req: Request): string {
  if (!req.user) throw new TypeError('express-authorization-server: nobody is logged in');
  return people.id(req.user);
}

/** The user's name on a page; empty if nobody is logged in. */
export function userNameOf(settings: PersonNames, { user }: Request): string {
  return user ? personLabel(settings, user) : '';
}

/** The site's functions for a user's name and a distinguishing detail. */
export interface PersonNames {
  readonly people: Pick<Settings['people'], 'name' | 'detail'>;
}

export function personLabel({ people }: PersonNames, user: Express.User): string {
  const [name, detail = ''] = [people.name(user), people.detail?.(user)];
  return detail === '' || detail === name ? name : `${name} (${detail})`;
}

/** The names of users by id, without users that the site does not find: pages show the id instead. */
export async function findNames(
  settings: Settings,
  ids: readonly string[],
  nameOf = (user: Express.User) => personLabel(settings, user),
  // the site may find a user by another spelling of the id
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

/** The roles of a user; administrators are developers as well. */
export async function rolesOf({ applications }: Settings, req: Request) {
  const isAdministrator = (await applications.isAdministrator(req)) === true;
  return { isAdministrator, isDeveloper: isAdministrator || (await applications.isDeveloper(req)) === true };
}
