import type { Request } from 'express';

import { defaultsOf, objectOf, option, type OptionsOf, type SettingsOf } from '../table/option.js';
import { optionError } from '../table/parse-options.js';
import { callback, flag, listOf, text } from '../table/shapes.js';

type User = NonNullable<Request['user']>;

/** The person who is meant, if there is one. */
export type FindPerson = (
  text: string,
  req: Request,
) => User | null | undefined | Promise<User | null | undefined>;

/** The ids of the people whose name begins like this. */
export type FindOwners = (name: string) => readonly string[] | Promise<readonly string[]>;

const choiceOptions = {
  /** The scopes that developers can choose. Default: all. */
  scopes: option({ shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']") }),
  /**
   * The grant types that developers can choose. Default: authorization_code, refresh_token and the one of devices, as
   * far as they are on. Those ask a person; with `client_credentials` anybody with an account gives themselves access
   * without asking anyone.
   */
  grantTypes: option({
    shape: () => listOf(text('a name'), "a list of grant types, such as ['authorization_code']"),
  }),
  /**
   * `(client) => address` of a page of yours, such as a playground, on which a developer tries the application step by
   * step. The application's page links to it. `undefined` for an application that it is not for. Default: no link.
   */
  tryIt: option({
    shape: () =>
      callback<(client: TriedClient) => string | undefined | Promise<string | undefined>>(
        '({ clientId }) => `/playground?client_id=${encodeURIComponent(clientId)}`',
      ),
  }),
  /**
   * Whether applications of developers, and clients that register themselves, wait until an administrator has approved
   * them: until then only their owner can authorize them, and `client_credentials` gives nothing. They wait again if
   * anybody but the site changes what it looked at: name, redirect URIs, keys, owners, more scopes or grant types and
   * the like. To take a scope or a grant type away changes nothing. What code or an administrator registers waits for nobody.
   * Default: `false`.
   */
  approval: option({ shape: flag, default: false }),
  /**
   * `async (name) => [id, …]`: the ids of the people whose name begins so, a few of them. With it administrators find
   * applications by the name of their owner. Default: they find them by the owner's id.
   */
  findOwners: option({
    shape: () => callback<FindOwners>('async (name) => [id, …]'),
  }),
  /**
   * Whether the page of an application says why it was refused in the last day, and how often, so that developers can
   * mend what they would otherwise ask you about. The collection `oauth_refusals` has the counts, and nothing about
   * people. Default: `true`.
   */
  failures: option({ shape: flag, default: true }),
  /**
   * `async (text, req) => user`: the person of the site with this user name or e-mail address, or `undefined`. The
   * whole of it must match, not a part. With it the owner of an application invites others to own it too, or hands it
   * over; nobody owns it before they have accepted. The page does not tell whether there is such a person. Default:
   * nobody can be invited; `oauth.clients.addOwner` can still add owners.
   */
  findPerson: option({
    shape: () => callback<FindPerson>('async (text) => user'),
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

/** What developers can choose on the applications page. */
export type ApplicationsOptions = OptionsOf<typeof choiceOptions>;

/** The applications page. */
export const applicationsOptions = {
  /**
   * What developers can choose for their applications. If code has registered an application for something
   * (`clients.create`, `clients.update`), its owner can narrow that, but never widen it. Administrators choose among
   * everything.
   */
  applications: option({
    shape: () => objectOf(choiceOptions, "an object, such as { scopes: ['photos:read'] }"),
    default: defaultsOf(choiceOptions),
  }),
};

/** The options with their defaults. */
export interface ApplicationsSettings {
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly tryIt?: SettingsOf<typeof choiceOptions>['tryIt'];
  readonly approval: boolean;
  readonly findOwners: FindOwners | undefined;
  readonly failures: boolean;
  readonly findPerson: FindPerson | undefined;
}

const ASKING_A_PERSON = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
];

/**
 * Fills in the defaults that follow from other options.
 *
 * @throws TypeError if a grant type or scope is not one of the server
 */
export function resolveApplications(
  { scopes, grantTypes, tryIt, approval, findOwners, findPerson, failures }: SettingsOf<typeof choiceOptions>,
  server: Pick<ApplicationsSettings, 'scopes' | 'grantTypes'>,
): ApplicationsSettings {
  checkAmong('applications', 'scopes', scopes ?? [], server.scopes);
  checkAmong('applications', 'grantTypes', grantTypes ?? [], server.grantTypes);
  return {
    ...(tryIt && { tryIt }),
    scopes: scopes ?? server.scopes,
    approval,
    findOwners,
    failures,
    findPerson,
    grantTypes: grantTypes ?? ASKING_A_PERSON.filter((name) => server.grantTypes.includes(name)),
  };
}

const DEFAULT_GRANT_TYPES = ['authorization_code', 'refresh_token'];

/**
 * What clients that nobody has looked at can have: what the option says, otherwise only what asks a person.
 *
 * @throws TypeError if a grant type or scope is not one of the server
 */
export function resolveOwnerChoices(
  option: string,
  given: {
    readonly grantTypes?: readonly string[] | undefined;
    readonly scopes?: readonly string[] | undefined;
  },
  server: Pick<ApplicationsSettings, 'scopes' | 'grantTypes'>,
): Pick<ApplicationsSettings, 'scopes' | 'grantTypes'> {
  checkAmong(option, 'grantTypes', given.grantTypes ?? [], server.grantTypes);
  checkAmong(option, 'scopes', given.scopes ?? [], server.scopes);
  return {
    grantTypes: given.grantTypes ?? DEFAULT_GRANT_TYPES.filter((name) => server.grantTypes.includes(name)),
    scopes: given.scopes ?? server.scopes,
  };
}

/** @throws TypeError if one of `given` is not among those of the server */
function checkAmong(
  option: string,
  member: 'grantTypes' | 'scopes',
  given: readonly string[],
  known: readonly string[],
): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw optionError(
      'authorizationServer',
      `${option}.${member}`,
      `'${unknown}' is not among ${member} of the server: ${known.join(', ')}`,
    );
}
