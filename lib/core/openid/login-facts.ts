import type { Request } from 'express';

import type { OpenidSettings } from '../../settings/features/openid-options.js';
import { unexpectedCondition } from '../../shared/errors.js';
import { loginTimeOf } from '../sessions/login-session.js';
import type { OpenidAuthorization } from './openid-authorization.js';

/** How a person has logged in, as ID tokens say it. */
export type KnownLogin = Pick<OpenidAuthorization, 'authTime' | 'acr' | 'amr'>;

/**
 * How the person of a session has logged in, as far as the host says so or it was noted. Nothing unknown is told:
 * clients would believe that a login is younger than it is.
 *
 * @param findTime the time of the login in milliseconds since 1970, for a host that says nothing about logins
 * @throws OAuthError server_error if the host's function fails, or returns something else
 */
export function loginFactsOf(
  { authentication }: Pick<OpenidSettings, 'authentication'>,
  req: Request,
  findTime: () => number | undefined,
): KnownLogin {
  if (authentication === undefined) return timed(findTime());
  let facts: unknown;
  try {
    facts = authentication(req);
  } catch (cause) {
    throw unexpectedCondition('openid.authentication threw', cause);
  }
  const { at = loginTimeOf(req), acr, amr } = (facts ?? {}) as Readonly<Record<string, unknown>>;
  if (facts instanceof Promise || !isTextOrNone(acr) || !isTextsOrNone(amr))
    throw unexpectedCondition(
      'openid.authentication must give { at, acr, amr }: acr is text, amr a list of texts',
    );
  return { ...timed(at), ...(acr !== undefined && { acr }), ...(amr !== undefined && { amr }) };
}

function timed(at: unknown): Pick<KnownLogin, 'authTime'> {
  if (at === undefined || at === null) return {};
  const time = new Date(at as Date | number | string).getTime();
  if (Number.isNaN(time))
    throw unexpectedCondition(
      'openid.authentication gave a time that is none: a Date, or milliseconds since 1970',
    );
  return { authTime: Math.floor(time / 1000) };
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '');
}

function isTextsOrNone(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
}
