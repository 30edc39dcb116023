import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

type Authenticated = Pick<AccessToken, 'authTime' | 'acr' | 'amr'>;

/**
 * When and how the user has logged in, by the claims of a JWT or of an introspection response.
 *
 * @throws OAuthError invalid_token if they are malformed
 * @see RFC 9470 §6.1, §6.2, RFC 9068 §2.2.1
 */
export function parseAuthenticationClaims({
  auth_time: authTime,
  acr,
  amr,
}: Readonly<Record<string, unknown>>): Authenticated {
  // most tokens say nothing of it
  if (authTime === undefined && acr === undefined && amr === undefined) return {};
  return {
    ...(authTime !== undefined && { authTime: checked(authTime, isNumber, 'auth_time is no number') }),
    ...(acr !== undefined && { acr: checked(acr, isText, 'acr is no text') }),
    ...(amr !== undefined && { amr: checked(amr, isTexts, 'amr is no list of texts') }),
  };
}

function checked<Value>(value: unknown, isRight: (value: unknown) => value is Value, problem: string): Value {
  if (!isRight(value)) throw invalidToken(problem);
  return value;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
