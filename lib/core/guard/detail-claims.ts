import type { ChoiceValue } from '../../settings/features/choice-options.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/**
 * The authorization details and the choices in the claims of a JWT, or in an introspection response.
 *
 * @throws OAuthError invalid_token if they are malformed: a route that finds none might allow more than was meant
 * @see RFC 9396 §9.1, §9.2
 */
export function parseDetailClaims({
  authorization_details: details = [],
  authorization_choices: choices = {},
}: Readonly<Record<string, unknown>>): Pick<AccessToken, 'authorizationDetails' | 'choices'> {
  if (!isDetailList(details)) throw invalidToken('authorization_details is no list of objects with a type');
  if (typeof choices !== 'object' || choices === null || Array.isArray(choices))
    throw invalidToken('authorization_choices is no object');
  return {
    ...(details.length > 0 && { authorizationDetails: details }),
    ...(Object.keys(choices).length > 0 && { choices: choices as Record<string, ChoiceValue> }),
  };
}

/** RFC 9396 §2: objects with a `type`. */
export function isDetailList(value: unknown): value is AuthorizationDetail[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof (each as Partial<AuthorizationDetail> | null)?.type === 'string')
  );
}
