import type { Request } from 'express';

import { option } from '../table/option.js';
import { callback } from '../table/shapes.js';

type User = NonNullable<Request['user']>;
type Decision = (req: Request) => boolean | Promise<boolean>;

/** People, as Passport knows them. */
export const userOptions = {
  /**
   * `(user) => string`: the stable id of the logged-in person, as text that is not empty; anything else is an error.
   * Default: `user.id ?? user._id`, if that is text, a whole number, an ObjectId or a UUID.
   */
  userId: option({
    shape: () => callback<(user: User) => string>('(user) => user.id'),
    default: defaultUserId,
  }),
  /**
   * `(user) => string`: how pages name the logged-in person. Default: `displayName`, `name`, `profile.name`,
   * `fullName`, first and last name (`name` of Passport's profiles as well), `username`, `userName`, `login`, `email`
   * or the id.
   */
  userName: option({
    shape: () => callback<(user: User) => string>('(user) => user.name'),
    default: defaultUserName,
  }),
  /**
   * `(user) => string`: what tells two people of one name apart, such as a user name or an e-mail address. The pages
   * show it after the person's name, unless it is the same or empty. Those who own an application together, or are
   * invited to, see each other's. Default: none.
   */
  userDetail: option({
    shape: () => callback<(user: User) => string | undefined>('(user) => user.email'),
  }),
  /** `(req) => boolean` or a promise: who may register applications on the page. Default: everyone who is logged in. */
  isDeveloper: option({
    shape: () => callback<Decision>('(req) => req.user.isDeveloper'),
    default: () => true,
  }),
  /**
   * `(req) => boolean` or a promise: who sees all applications, changes them, and verifies them; only `true` counts.
   * Default: nobody.
   */
  isAdministrator: option({
    shape: () => callback<Decision>('(req) => req.user.isAdministrator'),
    default: () => false,
  }),
};

/** What the users of most sites are like. */
interface DefaultUser {
  readonly id?: unknown;
  readonly _id?: unknown;
  readonly displayName?: unknown;
  readonly name?: unknown;
  readonly profile?: unknown;
  readonly fullName?: unknown;
  readonly firstName?: unknown;
  readonly lastName?: unknown;
  readonly username?: unknown;
  readonly userName?: unknown;
  readonly login?: unknown;
  readonly email?: unknown;
}

function defaultUserId(user: DefaultUser): string {
  const id = user.id ?? user._id;
  if (id === undefined || id === null)
    throw new TypeError(
      'authorizationServer: req.user has neither id nor _id; write the option userId: (user) => …',
    );
  if (typeof id === 'string') return id;
  if (typeof id === 'bigint' || (typeof id === 'number' && Number.isSafeInteger(id))) return id.toString();
  if (isObjectId(id)) return id.toHexString();
  // as text, many objects are the same for all people, who would then share one account
  throw new TypeError(
    'authorizationServer: the id of req.user is neither text, a whole number, an ObjectId nor a UUID; write the option userId: (user) => …',
  );
}

/** ObjectId and UUID of MongoDB's driver, from whichever copy of it. */
function isObjectId(id: NonNullable<unknown>): id is { toHexString(): string } {
  return typeof (id as { toHexString?: unknown }).toHexString === 'function';
}

/**
 * The id of a person, as a function of the host's has given it. Anything but text could mean another person in a
 * filter, or all of them.
 *
 * @param giver the function, as messages name it
 * @throws TypeError unless it is text that is not empty
 */
export function checkedUserId(giver: string, id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  const given = id === null ? 'null' : id === '' ? 'empty text' : typeof id;
  throw new TypeError(
    `authorizationServer: ${giver} must give the id of a person as text that is not empty, such as String(user.id); it gave ${given}`,
  );
}

/** The name of a person if the site has not said how to find it. */
export function defaultUserName(user: DefaultUser): string {
  const names = [
    ...[user.displayName, user.name, memberOf(user.profile, 'name'), user.fullName],
    ...[
      wholeName(user.firstName, user.lastName),
      namesIn(user.name),
      namesIn(memberOf(user.profile, 'name')),
    ],
    ...[user.username, user.userName, user.login, user.email],
  ];
  const name = names.find((candidate) => typeof candidate === 'string' && candidate.trim() !== '');
  return typeof name === 'string' ? name : defaultUserId(user);
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null
    ? (holder as Record<string, unknown>)[name]
    : undefined;
}

/** As Passport's profiles have them. */
function namesIn(name: unknown): string {
  return wholeName(memberOf(name, 'givenName'), memberOf(name, 'familyName'));
}

function wholeName(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string').join(' ');
}
