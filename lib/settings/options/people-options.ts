import type { Request } from 'express';

import { group, option, type OptionsOf } from '../table/option.js';
import { callback } from '../table/shapes.js';
import { findUser } from './guard-options.js';

type User = NonNullable<Request['user']>;

/** The login of a user, as far as the site knows. */
export interface LoginInfo {
  /** The time: a Date, milliseconds since 1970, or a text that `new Date` parses, as sessions store dates. */
  readonly at?: Date | number | string | undefined;
  /** The class of the login, such as `urn:photos:two-factors`. (OpenID Connect Core §2) */
  readonly acr?: string | undefined;
  /** The methods of the login: `['pwd', 'otp']`. (RFC 8176) */
  readonly amr?: readonly string[] | undefined;
}

/** Finds the user with a name or an e-mail address. */
type FindUserByName = (
  text: string,
  req: Request,
) => User | null | undefined | Promise<User | null | undefined>;

export const peopleRows = {
  /**
   * `(user) => string`: the stable id of the logged-in user. Default: `user.id ?? user._id`, if that is text, a whole
   * number, an ObjectId or a UUID.
   */
  id: option({
    shape: () => callback<(user: User) => string>('(user) => user.id'),
    default: defaultUserId,
    resolve: (id: (user: User) => string) => (user: User) => checkedUserId('the option people.id', id(user)),
  }),
  /**
   * `(user) => string`: how pages name the logged-in user. Default: a usual field such as `displayName`, `name`,
   * `username` or `email`, or the id.
   */
  name: option({
    shape: () => callback<(user: User) => string>('(user) => user.name'),
    default: defaultUserName,
  }),
  /**
   * `(user) => string`: what tells two users of one name apart, such as an e-mail address, shown after the name. Owners
   * of one application see each other's. Default: none.
   */
  detail: option({
    shape: () => callback<(user: User) => string | undefined>('(user) => user.email'),
  }),
  /** `async (userId) => 'de'`: the language of what `notify` tells a user. Default: the first one of the pages. */
  language: option({
    shape: () =>
      callback<(userId: string) => string | undefined | Promise<string | undefined>>(
        'async (userId) => (await User.findById(userId)).language',
      ),
  }),
  /**
   * `(userId) => user`: the user for `req.user`, on routes with `user`, `orSession` or the strategy for Passport. With
   * `null`, the answer is 401. Default: none.
   */
  find: option({ shape: findUser }),
  /**
   * `async (text, req) => user`: the user with exactly this user name or e-mail address, or `undefined`. With it
   * administrators find the applications of a user, and owners invite others or hand an application over: five open
   * invitations for each application, and 20 in an hour from each user. It must take the same time for everybody,
   * because the page does not tell who has an account. Default: nobody can be invited.
   */
  findByName: option({ shape: () => callback<FindUserByName>('async (text) => user') }),
  /**
   * `(req) => boolean`: whether the user has finished the login, a second factor included: `(req) =>
   * req.session.secondFactor === true`. Only `true` counts. Default: everyone in `req.user` has.
   */
  isLoggedIn: option({
    shape: () => callback<(req: Request) => boolean>('(req) => req.session.secondFactor === true'),
    default: () => true,
  }),
  /**
   * `(req) => ({ at, acr, amr })`: when (a Date or milliseconds) and how the user logged in, as far as you know, for
   * `openid` and `stepUp`. Needed if your site logs users in automatically or without Passport: if the time is unknown,
   * a client that needs it makes users log in again. Default: the login by `localLogin`, or by Passport behind the
   * router.
   */
  authentication: option({
    shape: () =>
      callback<(req: Request) => LoginInfo | undefined>(
        "(req) => ({ at: req.session.loggedInAt, acr: req.session.secondFactor ? 'mfa' : 'pwd' })",
      ),
  }),
  /**
   * `async (username, password) => userId` or `null`: checks the password, for the `password` grant. Default: none.
   * (RFC 6749 §4.3)
   */
  authenticate: option({
    shape: () =>
      callback<(username: string, password: string) => Promise<string | null>>(
        'async (username, password) => userId or null',
      ),
  }),
};

/** The site's functions about users. */
export type PeopleOptions = OptionsOf<typeof peopleRows>;

/** Users, as Passport and your site know them. */
export const peopleOptions = {
  /** What your site knows of users: `{ find: (id) => User.findById(id) }`. */
  people: group(peopleRows, '{ find: (id) => User.findById(id) }'),
};

/** A user with any of the common fields. */
type DefaultUser = Readonly<Record<string, unknown>>;

function defaultUserId(user: object): string {
  const { id: plainId, _id } = user as DefaultUser;
  const id = plainId ?? _id;
  if (id === undefined || id === null)
    throw new TypeError(
      'authorizationServer: req.user has neither id nor _id; write people: { id: (user) => … }',
    );
  if (typeof id === 'string') return id;
  if (typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id))) return id.toString();
  // ObjectId and UUID of any copy of MongoDB's driver
  const { toHexString } = id as { toHexString?: unknown };
  if (typeof toHexString === 'function') return String(toHexString.call(id));
  // the text of other objects is often the same for all users, who would then share one account
  throw new TypeError(
    'authorizationServer: the id of req.user is neither text, a whole number, an ObjectId nor a UUID; write people: { id: (user) => … }',
  );
}

/**
 * Validates the id that a function of the site returned. In a filter, anything but text could match another user, or
 * all.
 *
 * @param giver the function, as messages name it
 * @throws TypeError unless the id is text that is not empty
 */
export function checkedUserId(giver: string, id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  const actual = id === null ? 'null' : id === '' ? 'empty text' : typeof id;
  throw new TypeError(
    `authorizationServer: ${giver} must give the id of a user as text that is not empty, such as String(user.id); it gave ${actual}`,
  );
}

/** The default name of a user, from common fields. */
export function defaultUserName(of: object): string {
  const user = of as DefaultUser;
  const { name, profile } = user;
  const profileName = memberOf(profile, 'name');
  return (
    findText([user.displayName, name, profileName, user.fullName]) ??
    findText([wholeName(user.firstName, user.lastName), namesIn(name), namesIn(profileName)]) ??
    findText([user.username, user.userName, user.login, user.email]) ??
    defaultUserId(user)
  );
}

function findText(candidates: readonly unknown[]): string | undefined {
  return candidates.filter((each) => typeof each === 'string').find((each) => each.trim() !== '');
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? (holder as DefaultUser)[name] : undefined;
}

/** The name in a Passport profile. */
function namesIn(name: unknown): string {
  return wholeName(memberOf(name, 'givenName'), memberOf(name, 'familyName'));
}

function wholeName(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string').join(' ');
}
