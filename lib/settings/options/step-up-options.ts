import type { Request } from 'express';

import { option, type OptionsOf, type SettingsOf, switchable } from '../table/option.js';
import { serverOptionError } from '../table/parse-options.js';
import { listOf, textLike } from '../table/shapes.js';
import type { LoginInfo } from './openid-options.js';

/** RFC 9470 §3, RFC 6750 §3: a value of the list `acr_values`, in quotes. */
export const acrValueList = () =>
  listOf(
    textLike(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, "a class of logins without spaces, such as 'mfa'"),
    "a list of classes of logins, such as ['mfa']",
    { isNeeded: true },
  );

const rows = {
  /**
   * The classes of logins that `people.authentication` can give, the best first: `['mfa', 'pwd']`. They are published.
   * Default: none, only the age of a login counts. (RFC 9470 §7)
   */
  acrValues: option({ shape: acrValueList, default: [] }),
};

/** Requirements of routes on the login. */
export type StepUpOptions = OptionsOf<typeof rows>;

/** The options with their defaults. */
export type StepUpSettings = SettingsOf<typeof rows>;

/** Routes that need a newer or a stronger login (RFC 9470). */
export const stepUpOptions = {
  /**
   * Lets routes ask for a new or strong login, with `guard({ maxAge: 300, acr: ['mfa'] })`; other calls get 401
   * `insufficient_user_authentication`. Access tokens then have `auth_time`, `acr` and `amr`, and authorization
   * requests can have `max_age` and `acr_values`. `true`, or an object. Default: `false`. (RFC 9470)
   */
  stepUp: switchable(rows, "{ acrValues: ['mfa'] }"),
};

/** How the logins of users are known. */
export interface UserAuthenticationSettings {
  /** The site's data about a session's login; undefined: only its time is recorded. */
  readonly read: ((req: Request) => LoginInfo | undefined) | undefined;
}

/** @throws TypeError if no option provides the classes of logins */
export function resolveUserAuthentication({
  openid,
  stepUp,
  people: { authentication: read },
}: {
  readonly openid: unknown;
  readonly stepUp: StepUpSettings | false;
  readonly people: { readonly authentication?: UserAuthenticationSettings['read'] };
}): UserAuthenticationSettings | false {
  if (stepUp !== false && stepUp.acrValues.length > 0 && read === undefined)
    throw serverOptionError(
      'stepUp.acrValues',
      "no login would have one of them; write people: { authentication: (req) => ({ acr: … }) }, which says what a session's login was",
    );
  return openid === false && stepUp === false ? false : { read };
}
