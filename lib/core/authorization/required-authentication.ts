import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { type Form, parseParameter, peekParameter } from '../../shared/protocol/parameters.js';
import type { Client } from '../clients/client.js';
import { MAX_HINT_LENGTH } from './hints.js';
import { LOGIN_DONE } from './prompt.js';

/** What a request needs of the user's login. @see RFC 9470 §4, OpenID Connect Core §3.1.2.1 */
export interface RequiredAuthentication {
  /** Seconds that may have passed since the login. */
  readonly maxAge: number | undefined;
  /** The login has to be of one of these classes. */
  readonly acr: readonly unknown[] | undefined;
  /** Whether the user has already been at the login for this request. */
  readonly isLoginDone: boolean;
}

/**
 * What a request needs of a login. `acr_values` is voluntary in OpenID Connect, but required with the option `stepUp`:
 * a route that needs such a login would refuse the token again (RFC 9470 §5).
 *
 * @throws OAuthError invalid_request
 */
export function parseRequiredAuthentication(
  form: Form,
  { defaultMaxAge }: Pick<Client, 'defaultMaxAge'>,
  { openid, stepUp }: Pick<Settings, 'openid' | 'stepUp'>,
): RequiredAuthentication | undefined {
  if (openid === false && stepUp === false) return undefined;
  return {
    maxAge: parseMaxAge(form) ?? defaultMaxAge,
    acr: stepUp === false ? undefined : parseAcrValues(form),
    isLoginDone: peekParameter(form, LOGIN_DONE) === 'yes',
  };
}

/** Whether the query of a request has to say that the user has logged in for it. */
export function needsLoginDone(required: RequiredAuthentication | undefined): boolean {
  return required !== undefined && (required.maxAge !== undefined || required.acr !== undefined);
}

/** The classes that meet both, if two parts of a request name some. */
export function inBoth(
  one: readonly unknown[] | undefined,
  other: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((acr) => other.includes(acr));
}

function parseMaxAge(form: Form): number | undefined {
  const given = parseParameter(form, 'max_age');
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new OAuthError('invalid_request', 'the parameter max_age is not a number of seconds', {
    reason: 'parameter_malformed',
  });
}

function parseAcrValues(form: Form): readonly string[] | undefined {
  const given = parseParameter(form, 'acr_values');
  // a longer one would not be in the address of the login page
  if (given !== undefined && given.length > MAX_HINT_LENGTH)
    throw new OAuthError(
      'invalid_request',
      `the parameter acr_values is longer than ${MAX_HINT_LENGTH} characters`,
      { reason: 'request_too_large' },
    );
  const values = (given ?? '').split(' ').filter((value) => value !== '');
  return values.length === 0 ? undefined : values;
}
