import type { Request } from 'express';

import { group, option, type OptionsOf } from '../table/option.js';
import type { OptionContext } from '../table/option-context.js';
import { serverOptionError } from '../table/parse-options.js';
import { callback, flag, listOf, text } from '../table/shapes.js';

type Decision = (req: Request) => boolean | Promise<boolean>;

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
    resolve(names, context) {
      const scopes = Object.keys(context.scopes);
      checkAmong('applications', 'scopes', names, scopes);
      return names ?? scopes;
    },
  }),
  /**
   * The grant types that developers can choose. With `client_credentials`, anybody with an account gets access without
   * a user. Default: authorization_code, refresh_token and the one of devices, as far as they are on.
   */
  grantTypes: option({
    shape: () => listOf(text('a name'), "a list of grant types, such as ['authorization_code']"),
    resolve(names, { grantTypes }) {
      checkAmong('applications', 'grantTypes', names, grantTypes);
      return names ?? ASKING_A_PERSON.filter((name) => grantTypes.includes(name));
    },
  }),
  /**
   * Whether applications of developers, and clients that register themselves, wait for an administrator, at first and
   * after a change: until then only their owners can authorize them, and `client_credentials` gives nothing. Unused
   * clients that registered themselves are removed after `registration.unusedTtl`: set that longer than you take.
   * Default: `false`.
   */
  approval: option({ shape: flag, default: false }),
};

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
 * The grant types and scopes of unreviewed clients: those of the option, otherwise only grant types that ask a user.
 *
 * @throws TypeError if the server lacks a grant type or scope
 */
export function resolveOwnerChoices(
  option: string,
  choices: {
    readonly grantTypes?: readonly string[] | undefined;
    readonly scopes?: readonly string[] | undefined;
  },
  context: OptionContext,
) {
  const scopes = Object.keys(context.scopes);
  checkAmong(option, 'grantTypes', choices.grantTypes, context.grantTypes);
  checkAmong(option, 'scopes', choices.scopes, scopes);
  return {
    grantTypes: choices.grantTypes ?? DEFAULT_GRANT_TYPES.filter((name) => context.grantTypes.includes(name)),
    scopes: choices.scopes ?? scopes,
  };
}

/** @throws TypeError if the server lacks one of the names */
function checkAmong(
  option: string,
  member: 'grantTypes' | 'scopes',
  names: readonly string[] | undefined,
  available: readonly string[],
): void {
  const unknown = names?.find((name) => !available.includes(name));
  if (unknown !== undefined)
    throw serverOptionError(
      `${option}.${member}`,
      `'${unknown}' is not among ${member} of the server: ${available.join(', ')}`,
    );
}
