import type { Request } from 'express';

import { group, option, type OptionsOf, type ResolvedSettingsOf } from '../table/option.js';
import type { OptionContext } from '../table/option-context.js';
import { optionError } from '../table/parse-options.js';
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
   * The grant types that developers can choose. The default ones ask a user; with `client_credentials`, anybody with
   * an account could get access without asking anyone. Default: authorization_code, refresh_token and the one of
   * devices, as far as they are on.
   */
  grantTypes: option({
    shape: () => listOf(text('a name'), "a list of grant types, such as ['authorization_code']"),
    resolve(given, { grantTypes }) {
      checkAmong('applications', 'grantTypes', given, grantTypes);
      return given ?? ASKING_A_PERSON.filter((name) => grantTypes.includes(name));
    },
  }),
  /**
   * `(client) => address` of a page of your site, such as a playground, on which a developer tries the application step
   * by step. The application's page links to it. `undefined` for an application that it is not for. Default: no link.
   */
  tryIt: option({
    shape: () =>
      callback<(client: TriedClient) => string | undefined | Promise<string | undefined>>(
        '({ clientId }) => `/playground?client_id=${encodeURIComponent(clientId)}`',
      ),
  }),
  /**
   * Whether applications of developers, and clients that register themselves, wait until an administrator has approved
   * them: until then only their owners can authorize them, and `client_credentials` gives nothing. They wait again if
   * anybody but an administrator or your code changes what was approved: name, redirect URIs, keys, owners, more scopes
   * or grant types and the like. To take a scope or a grant type away changes nothing. What code or an administrator
   * registers waits for nobody. A client that registered itself and that nobody uses is removed after
   * `registration.unusedTtl`, also if it waits: set that longer than you take to approve. Default: `false`.
   */
  approval: option({ shape: flag, default: false }),
  /**
   * `async (text) => [id, …]`: the ids of a few users whose name begins with this text. With it, administrators find
   * applications by the name of their owner, 20 at most. Default: by the owner's id.
   */
  findOwners: option({
    shape: () => callback<FindOwners>('async (name) => [id, …]'),
  }),
  /**
   * Whether the page of an application says why it was refused in the last day, and how often, so that developers can
   * mend what they would otherwise ask you about. The collection `oauth_refusals` has the counts, and nothing about
   * users. Anybody who knows a client id can raise its counts; nothing depends on them. Default: `true`.
   */
  failures: option({ shape: flag, default: true }),
  /**
   * `async (text, req) => user`: the user with this user name or e-mail address, or `undefined`. The whole of it must
   * match, not a part. With it the owner of an application invites others to own it too, or hands it over; nobody owns
   * it before they have accepted. Five invitations can be open at a time, and a user can send twenty in an hour. The
   * page does not tell whether there is such a user: let the function take the same time for everybody, because that
   * could tell as well. Default: nobody can be invited; `oauth.clients.addOwner` can still add owners.
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
/** The options with their defaults. */
export type ApplicationsSettings = ResolvedSettingsOf<typeof applicationRows>;

/** Applications. */
export const applicationsOptions = {
  /**
   * Who may register applications, and what developers can choose for them. If code has registered an application for
   * something (`clients.create`, `clients.update`), its owner can narrow that, but never widen it. Administrators
   * choose among everything.
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
  context: Pick<OptionContext, 'scopes' | 'grantTypes'>,
): Pick<ApplicationsSettings, 'scopes' | 'grantTypes'> {
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
    throw optionError(
      'authorizationServer',
      `${option}.${member}`,
      `'${unknown}' is not among ${member} of the server: ${known.join(', ')}`,
    );
}
