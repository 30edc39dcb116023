import type { Request } from 'express';

import { option } from './option.js';
import { functionLike } from './shapes.js';

type User = NonNullable<Request['user']>;
type Decision = (req: Request) => boolean | Promise<boolean>;

/** People, as Passport knows them. */
export const userOptions = {
  /** `(user) => string`: the stable id of the logged-in person. Default: `String(user.id ?? user._id)`. */
  userId: option({
    shape: () => functionLike<(user: User) => string>('(user) => user.id'),
    default: defaultUserId,
  }),
  /**
   * `(user) => string`: how pages name the logged-in person. Default: `displayName`, `name`, `username`,
   * `email` or the id.
   */
  userName: option({
    shape: () => functionLike<(user: User) => string>('(user) => user.name'),
    default: defaultUserName,
  }),
  /** `(req) => boolean` or a promise: who may register applications on the page. Default: everyone who is logged in. */
  isDeveloper: option({
    shape: () => functionLike<Decision>('(req) => req.user.isDeveloper'),
    default: () => true,
  }),
  /**
   * `(req) => boolean` or a promise: who sees all applications, changes them, and vouches for them; only
   * `true` counts. Default: nobody.
   */
  isAdministrator: option({
    shape: () => functionLike<Decision>('(req) => req.user.isAdministrator'),
    default: () => false,
  }),
};

/** What the users of most sites are like. */
interface UsualUser {
  readonly id?: string | number;
  readonly _id?: { toString(): string };
  readonly displayName?: unknown;
  readonly name?: unknown;
  readonly username?: unknown;
  readonly email?: unknown;
}

function defaultUserId(user: UsualUser): string {
  const id = user.id ?? user._id;
  if (id === undefined || id === null)
    throw new TypeError(
      'authorizationServer: req.user has neither id nor _id; write the option userId: (user) => …',
    );
  return String(id);
}

function defaultUserName(user: UsualUser): string {
  const name = [user.displayName, user.name, user.username, user.email].find(
    (candidate) => typeof candidate === 'string' && candidate !== '',
  );
  return typeof name === 'string' ? name : defaultUserId(user);
}
