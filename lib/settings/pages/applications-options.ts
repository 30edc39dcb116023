import type { Request } from 'express';

import { group, option, type OptionsOf } from '../table/option.js';
import type { OptionContext } from '../table/option-context.js';
import { serverOptionError } from '../table/parse-options.js';
import { callback, flag, listOf, text } from '../table/shapes.js';

type User = NonNullable<Request['user']>;
type Decision = (req: Request) => boolean | Promise<boolean>;

/** The user who is meant, if there is one. */
export type FindInvitedUser = (
  text: string,
  req: Request,
) => User | null | undefined | Promise<User | null | undefined>;

/** The ids of the users whose name begins like this. */
export type FindOwners = (name: string) => readonly string[] | Promise<readonly string[]>;

export const applicationRows = {
  /** `(req) => boolean`: who may register applications on the page. Default: everyone who is logged in. */
  isDeveloper: option({
    shape: () => callback<Decision>('(req) => req.user.isDeveloper'),
    default: () => true,
  }),
  /** `(req) => boolean`: who sees, changes and verifies all applications; only `true` counts. Default: nobody. */
  isAdministrator: option({
    shape: () => callback<Decision>('(req) => req.user.isAdministrator'),
    default: () => false,
  }),
  /** The scopes that developers can choose. Default: all. */
  scopes: option({
    shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']"),
    resolve(given, context) {
      const scopes = Object.keys(context.scopes);
      checkAmong('applications', 'scopes', given, scopes);
      return given ?? scopes;
    },
  }),
  /**
   * The grant types that developers can choose. With `client_credentials`, anybody with an account gets access without
   * a user. Default: authorization_code, refresh_token and the one of devices, as far as they are on.
   */
  grantTypes: option({
    shape: () => listOf(text('a name'), "a list of grant types, such as ['authorization_code']"),
    resolve(given, { grantTypes }) {
      checkAmong('applications', 'grantTypes', given, grantTypes);
      return given ?? ASKING_A_PERSON.filter((name) => grantTypes.includes(name));
    },
  }),
  /**
   * `(client) => address` of a page, such as a playground, on which a developer tries the application; `undefined` for
   * none. Default: no link.
   */
  tryIt: option({
    shape: () =>
      callback<(client: TriedClient) => string | undefined | Promise<string | undefined>>(
        '({ clientId }) => `/playground?client_id=${encodeURIComponent(clientId)}`',
      ),
  }),
  /**
   * Whether applications of developers, and clients that register themselves, wait for an administrator, at first and
   * after a change: until then only their owners can authorize them, and `client_credentials` gives nothing. Unused
   * clients that registered themselves are removed after `registration.unusedTtl`: set that longer than you take.
   * Default: `false`.
   */
  approval: option({ shape: flag, default: false }),
  /**
   * `async (text) => [id, …]`: users whose name begins with this text, for administrators who look for applications.
   * Default: by the owner's id.
   */
  findOwners: option({
    shape: () => callback<FindOwners>('async (name) => [id, …]'),
  }),
  /**
   * Whether the page of an application says why, and how often, it was refused in the last day. Anybody who knows a
   * client id can raise the counts. Default: `true`.
   */
  failures: option({ shape: flag, default: true }),
  /**
   * `async (text, req) => user`: the user with exactly this user name or e-mail address, or `undefined`. With it owners
   * invite others or hand an application over: five open invitations for each application, and 20 in an hour from each
   * user. It must take the same time for everybody, because the page does not tell who has an account. Default: nobody
   * can be invited.
   */
  findUser: option({
    shape: () => callback<FindInvitedUser>('async (text) => user'),
  }),
};

/** What is known of an application whose page a developer looks at. */
export interface TriedClient {
  readonly clientId: string;
  readonly name: string;
  readonly type: 'confidential' | 'public';
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
}

/** The applications page: who may use it, and what developers can choose there. */
export type ApplicationsOptions = OptionsOf<typeof applicationRows>;

/** Applications. */
export const applicationsOptions = {
  /**
   * Who may register applications, and what developers can choose. Owners can narrow what code has registered, but
   * never widen it.
   */
  applications: group(applicationRows, "{ scopes: ['photos:read'] }"),
};

const ASKING_A_PERSON = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
];

const DEFAULT_GRANT_TYPES = ['authorization_code', 'refresh_token'];

/**
 * What clients that nobody has looked at can have: what the option says, otherwise only what asks a user.
 *
 * @throws TypeError if a grant type or scope is not one of the server
 */
export function resolveOwnerChoices(
  option: string,
  given: {
    readonly grantTypes?: readonly string[] | undefined;
    readonly scopes?: readonly string[] | undefined;
  },
  context: OptionContext,
) {
  const scopes = Object.keys(context.scopes);
  checkAmong(option, 'grantTypes', given.grantTypes, context.grantTypes);
  checkAmong(option, 'scopes', given.scopes, scopes);
  return {
    grantTypes: given.grantTypes ?? DEFAULT_GRANT_TYPES.filter((name) => context.grantTypes.includes(name)),
    scopes: given.scopes ?? scopes,
  };
}

/** @throws TypeError if one of `given` is not among those of the server */
function checkAmong(
  option: string,
  member: 'grantTypes' | 'scopes',
  given: readonly string[] | undefined,
  known: readonly string[],
): void {
  const unknown = given?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw serverOptionError(
      `${option}.${member}`,
      `'${unknown}' is not among ${member} of the server: ${known.join(', ')}`,
    );
}
