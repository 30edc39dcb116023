import type { Request } from 'express';

import { option, type OptionsOf, type SettingsOf, switchable } from '../table/option.js';
import { serverOptionError } from '../table/parse-options.js';
import { callback, listOf, textLike } from '../table/shapes.js';
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
   * The classes of logins that `authentication` can give, the best first: `['mfa', 'pwd']`. They are published.
   * Default: none, only the age of a login counts. (RFC 9470 §7)
   */
  acrValues: option({ shape: acrValueList, default: [] }),
  /**
   * `(req) => ({ at, acr, amr })`: as `openid.authentication`. Leave it out if you have that one.
   * Default: the login by `localLogin`, or by Passport behind the router.
   */
  authentication: option({
    shape: () =>
      callback<(req: Request) => LoginInfo | undefined>(
        "(req) => ({ at: req.session.loggedInAt, acr: req.session.secondFactor ? 'mfa' : 'pwd' })",
      ),
  }),
};

/** What routes can ask of a login. */
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
  stepUp: switchable(rows, "{ acrValues: ['mfa'], authentication: (req) => ({ acr: 'mfa' }) }"),
};

/** Whether and how the logins of users are known. */
export interface UserAuthenticationSettings {
  /** What the site says of the login of a session; undefined: only its time is noted. */
  readonly read: ((req: Request) => LoginInfo | undefined) | undefined;
  /** The option in which the site says it, for messages. */
  readonly option: 'openid.authentication' | 'stepUp.authentication';
}

/** @throws TypeError if nobody, or two functions, could say which class a login has */
export function resolveUserAuthentication({
  openid,
  stepUp,
}: {
  readonly openid: { readonly authentication?: UserAuthenticationSettings['read'] } | false;
  readonly stepUp: StepUpSettings | false;
}): UserAuthenticationSettings | false {
  const ofOpenid = openid === false ? undefined : openid.authentication;
  if (stepUp === false) return openid === false ? false : { read: ofOpenid, option: 'openid.authentication' };
  if (ofOpenid !== undefined && stepUp.authentication !== undefined)
    throw serverOptionError(
      'stepUp.authentication',
      'is what openid.authentication says already; write one of them',
    );
  const read = stepUp.authentication ?? ofOpenid;
  if (stepUp.acrValues.length > 0 && read === undefined)
    throw serverOptionError(
      'stepUp.acrValues',
      "no login would have one of them; write authentication: (req) => ({ acr: … }) beside it, which says what a session's login was",
    );
  const option = ofOpenid === undefined ? 'stepUp.authentication' : 'openid.authentication';
  return { read, option };
}
