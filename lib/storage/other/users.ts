import { randomUUID } from 'node:crypto';

import type { Connection } from 'mongoose';

import type { AccountEndOptions, EndedAccount, RunningPeople } from '../../core/people/people-registry.js';
import { siteOptions } from '../../settings/options/site-options.js';
import { type UsersOptions, usersOptions } from '../../settings/options/users-options.js';
import { checkNames, parseOptions } from '../../settings/table/parse-options.js';
import type { CustomUserFields } from '../../shared/custom-fields.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { hasStackedMarks, hasUnseenCharacters } from '../../shared/protocol/display-name.js';
import { normalizeText, usernameKey } from '../../shared/protocol/username-key.js';
import { Collection } from '../connection/collection.js';
import { createDatabase, findSchemaProblem } from '../connection/database.js';
import { defineCollection, modelOf, requiredType } from '../connection/model.js';
import { createFailureStore } from './failures.js';
import { createPasswords } from './passwords.js';

/** The public data of a user, without the hash of the password. */
export interface User extends CustomUserFields {
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

export interface NewUser extends CustomUserFields {
  /** Unique, ignoring case. */
  readonly username: string;
  readonly password: string;
  /** The name on pages. Default: the user name. */
  readonly name?: string;
}

/** A store of users for a site without one. */
export interface Users {
  /**
   * @throws UserError with a message for the user who signs up
   * @throws OAuthError temporarily_unavailable if the database or the queue for passwords is overloaded, as `verify`
   * @throws TypeError for an unknown member
   */
  create(user: NewUser): Promise<User>;
  /**
   * The user with this name and password, or null. Takes the same time whichever of the two was wrong.
   *
   * @param waiting `signal`: nobody waits any more. If it is aborted before bcrypt begins, the password is not checked.
   */
  verify(
    username: string,
    password: string,
    waiting?: { readonly signal?: AbortSignal | undefined },
  ): Promise<User | null>;
  findById(id: string): Promise<User | null>;
  /**
   * Deletes a user, and ends the account at the authorization server on the same connection (`oauth.people.end`). If
   * this fails or the process is killed, call it again.
   *
   * @throws TypeError if an option is wrong, or there is no authorization server on the connection
   */
  delete(id: string, options?: AccountEndOptions): Promise<EndedAccount>;
  /** Counts wrong passwords at `localLogin`, for all processes together. */
  readonly failures: SharedFailures;
  /** The connection of the users. `localLogin` belongs to the authorization server on the same connection. */
  readonly connection: Connection;
}

/** Why a user cannot be created, as a message for the user who signs up. */
export class UserError extends Error {
  override readonly name = 'UserError';

  constructor(
    readonly field: keyof NewUser,
    message: string,
  ) {
    super(message);
  }
}

export interface StoredUser extends CustomUserFields {
  readonly _id: string;
  readonly username: string;
  readonly usernameKey: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: Date;
}

const MAX_NAME_LENGTH = 100;
const MIN_PASSWORD_LENGTH = 8;
/** bcrypt reads no further; a longer password would match by its beginning. */
const MAX_PASSWORD_BYTES = 72;
/** In the order of an index, so that the database reads no more. */
const SOME_HASHES = { projection: { passwordHash: 1 }, sort: { usernameKey: 1 }, limit: 100 } as const;
const CONTROL_CHARACTERS = /\p{Cc}/u;

export const USERS = defineCollection<StoredUser>({
  model: 'AuthorizationServerUser',
  extendedBy: ['createUsers', 'schema'],
  name: 'oauth_users',
  // `users.delete`
  people: {
    paths: { _id: { person: 'subject', atEnd: 'operation', with: ['username', 'usernameKey', 'name'] } },
  },
  fields: () => ({
    username: requiredType(String),
    usernameKey: requiredType(String),
    name: requiredType(String),
    passwordHash: requiredType(String),
    createdAt: requiredType(Date),
  }),
  indexes: [[{ usernameKey: 1 }, { unique: true }]],
  // the index is made before the first user, with a visible error, and not in the background
  options: { autoIndex: false },
});

/** The function of the server on a connection that ends an account. */
const accountEnds = new WeakMap<object, RunningPeople['end']>();

/** @returns a function that withdraws `end`, unless another server has replaced it */
export function offerAccountEnd(connection: object, end: RunningPeople['end']): () => void {
  accountEnds.set(connection, end);
  return () => void (accountEnds.get(connection) === end && accountEnds.delete(connection));
}

/** Milliseconds for a database command, as `advanced.databaseTimeout` by default. */
const DATABASE_TIMEOUT = 5000;

/** Stores users in the collection `oauth_users`, with passwords hashed by bcrypt. */
export function createUsers(connection: Connection, options: UsersOptions = {}): Users {
  parseOptions('createUsers', { connection: siteOptions.connection }, { connection });
  const { rounds, schema } = parseOptions('createUsers', usersOptions, options);
  const database = createDatabase(connection, DATABASE_TIMEOUT);
  // at once, so that a mistake in `schema` appears when the site starts
  modelOf(connection, USERS, schema ?? null);
  const stored = new Collection(database, USERS);
  let indexing: Promise<void> | undefined;
  const ensureUniqueNames = () =>
    (indexing ??= database
      .execute(() => stored.model.createIndexes())
      .catch((error: unknown) => {
        indexing = undefined;
        throw error;
      }));
  /** The site's fields of a new or a stored user. */
  const pickCustom = (of: object): CustomUserFields => {
    const { customFields } = stored;
    return Object.fromEntries(Object.entries(of).filter(([name]) => customFields.includes(name)));
  };
  const toUser = (user: StoredUser): User => ({
    ...pickCustom(user),
    id: user._id,
    username: user.username,
    name: user.name,
  });
  const passwords = createPasswords(rounds, async () =>
    (await stored.find({}, SOME_HASHES)).map(({ passwordHash }) => passwordHash),
  );

  return {
    async create(newUser) {
      checkNames('users.create', ['username', 'password', 'name', ...stored.customFields], newUser);
      const { username, password, name = username, ...custom } = newUser;
      const user = { username: checkedName(username, 'username'), name: checkedName(name, 'name') };
      checkPassword(password);
      const created: StoredUser = {
        ...pickCustom(custom),
        _id: randomUUID(),
        ...user,
        usernameKey: usernameKey(user.username),
        passwordHash: await passwords.hash(normalizeText(password)),
        createdAt: new Date(),
      };
      await ensureUniqueNames();
      const saved = await stored.save(created).catch((error: unknown) => {
        // a refusal by the site's schema is reported like one of this package, with the field
        const problem = findSchemaProblem(error);
        if (problem === undefined) throw error;
        // a plugin may have found the duplicate before the index does
        if (problem.path === 'usernameKey') throw nameTaken();
        throw new UserError(problem.path as keyof NewUser, problem.message);
      });
      if (saved === null) throw nameTaken();
      return toUser(saved);
    },
    async verify(username, password, { signal } = {}) {
      const user = isPossibleName(username)
        ? await stored.findOne({ usernameKey: usernameKey(username) })
        : null;
      const isPossible = isPossiblePassword(password);
      // an unknown name costs a comparison too: its absence must not be measurable
      const { isRight, renewed: passwordHash } = await passwords.compare(
        isPossible ? normalizeText(password) : '',
        user?.passwordHash,
        signal,
      );
      if (user === null || !isPossible || !isRight) return null;
      // unless the password was changed meanwhile
      if (passwordHash !== undefined)
        await stored.updateOne(
          { _id: user._id, passwordHash: user.passwordHash },
          { $set: { passwordHash } },
        );
      return toUser(user);
    },
    async delete(id, endOptions = {}) {
      const end = accountEnds.get(connection);
      if (end === undefined)
        throw new TypeError(
          'users.delete: there is no authorization server on this connection, so the tokens would stay alive; give authorizationServer the same connection, in the same process',
        );
      return end(id, endOptions, { withUser: true });
    },
    connection,
    failures: createFailureStore(database),
    async findById(id) {
      const user = typeof id === 'string' ? await stored.findOne({ _id: id }) : null;
      return user === null ? null : toUser(user);
    },
  };
}

function checkedName(value: string, field: 'username' | 'name'): string {
  const label = field === 'name' ? 'name' : 'user name';
  const name = typeof value === 'string' ? normalizeText(value).trim() : '';
  if (name === '') throw new UserError(field, `The ${label} is missing.`);
  if (name.length > MAX_NAME_LENGTH)
    throw new UserError(field, `The ${label} is longer than ${MAX_NAME_LENGTH} characters.`);
  // invisible characters would let one name pass for another
  if (hasUnseenCharacters(name))
    throw new UserError(field, `The ${label} has invisible or control characters.`);
  if (hasStackedMarks(name))
    throw new UserError(field, `The ${label} has too many marks above or below a letter.`);
  return name;
}

function checkPassword(password: string): void {
  if (typeof password !== 'string' || [...normalizeText(password)].length < MIN_PASSWORD_LENGTH) {
    throw new UserError('password', `The password has fewer than ${MIN_PASSWORD_LENGTH} characters.`);
  }
  if (Buffer.byteLength(normalizeText(password)) > MAX_PASSWORD_BYTES) {
    throw new UserError(
      'password',
      `The password is longer than ${MAX_PASSWORD_BYTES} bytes (letters outside a-z count two or more).`,
    );
  }
  if (CONTROL_CHARACTERS.test(password))
    throw new UserError('password', 'The password has control characters.');
}

function isPossibleName(username: unknown): username is string {
  return (
    typeof username === 'string' &&
    username.length <= 4 * MAX_NAME_LENGTH &&
    !hasUnseenCharacters(normalizeText(username).trim())
  );
}

function isPossiblePassword(password: unknown): password is string {
  return (
    typeof password === 'string' &&
    !CONTROL_CHARACTERS.test(password) &&
    Buffer.byteLength(normalizeText(password)) <= MAX_PASSWORD_BYTES
  );
}

function nameTaken(): UserError {
  return new UserError('username', 'This user name is taken already.');
}
