import type { Request } from 'express';

import type { LoginInfo } from '../../settings/options/people-options.js';
import type { Settings } from '../../settings/settings.js';
import { unexpectedCondition } from '../../shared/errors.js';
import { loginTimeOf } from './login-session.js';

/** When and how a user logged in, in the format of tokens. (RFC 9068 §2.2.1) */
export interface UserAuthentication {
  /** Seconds since 1970. */
  readonly authTime?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
}

/**
 * How the user of a session logged in, from the site's function or the recorded time. Unknown values are omitted:
 * clients would trust a login that seems younger than it is.
 *
 * @param findTime the time of the login in milliseconds since 1970, for a site without the function
 * @throws OAuthError server_error if the site's function fails, or returns something else
 */
export function readUserAuthentication(
  { authentication: read }: Pick<Settings['people'], 'authentication'>,
  req: Request,
  findTime: () => number | undefined,
): UserAuthentication {
  if (read === undefined) return timed(findTime());
  let result: unknown;
  try {
    result = read(req);
  } catch (cause) {
    throw unexpectedCondition('people.authentication threw', cause);
  }
  // an undefined member counts as absent
  const defined = Object.entries(result ?? {}).filter(([, value]) => value !== undefined);
  const login = { at: loginTimeOf(req), ...(Object.fromEntries(defined) as object) };
  if (result instanceof Promise || !isLogin(login))
    throw unexpectedCondition(
      'people.authentication must give { at, acr, amr }: at is a Date or milliseconds since 1970, acr text, amr a list of texts',
    );
  return toUserAuthentication(login);
}

/** Whether a value describes a login. */
export function isLogin(value: unknown): value is LoginInfo {
  if (typeof value !== 'object' || value === null) return false;
  const { at, acr, amr } = value as Readonly<Record<string, unknown>>;
  const isTime =
    at === undefined || at === null || !Number.isNaN(new Date(at as Date | number | string).getTime());
  const isText = acr === undefined || (typeof acr === 'string' && acr !== '');
  const areTexts = amr === undefined || (Array.isArray(amr) && amr.every((each) => typeof each === 'string'));
  return isTime && isText && areTexts;
}

export function toUserAuthentication({ at, acr, amr }: LoginInfo): UserAuthentication {
  // a copy: jose cannot sign a list that is no plain array, such as one of a Mongoose document
  return { ...timed(at), ...(acr !== undefined && { acr }), ...(amr !== undefined && { amr: [...amr] }) };
}

function timed(at: LoginInfo['at'] | null): Pick<UserAuthentication, 'authTime'> {
  if (at === undefined || at === null) return {};
  return { authTime: Math.floor(new Date(at).getTime() / 1000) };
}
