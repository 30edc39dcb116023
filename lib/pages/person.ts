import type { Request, RequestHandler } from 'express';

import { resourceOwnerOf } from '../core/sessions/resource-owner.js';
import { clearReturnTo } from '../core/sessions/return-to.js';
import { sendToLogin, type ToLoginSettings } from '../core/sessions/to-login.js';
import type { Settings } from '../settings/settings.js';

/** Lets the logged-in user through and sends everybody else to the login, with the way back to `returnPathOf`. */
export function requireLogin(
  settings: ToLoginSettings & Pick<Settings, 'people'>,
  returnPathOf: (req: Request) => string,
): RequestHandler {
  return function redirectToLogin(req, res, next) {
    if (resourceOwnerOf(settings, req) === undefined)
      return sendToLogin(settings, { req, res, status: 303, returnPath: returnPathOf(req) });
    clearReturnTo(settings, req, res);
    next();
  };
}

/** The id of the user behind a request that `requireLogin` has let through. */
export function userIdOf({ people }: Pick<Settings, 'people'>, req: Request): string {
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

export function personLabel({ people }: PersonNames, user: NonNullable<Request['user']>): string {
  const [name, detail = ''] = [people.name(user), people.detail?.(user)];
  return detail === '' || detail === name ? name : `${name} (${detail})`;
}
