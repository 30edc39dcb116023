import type { AuthorizationDetail } from '../protocol/authorization-details.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/**
 * The authorization details in the claims of a JWT, or in the answer to an introspection.
 *
 * @throws OAuthError invalid_token if they are none: a route that finds none might allow more than was meant
 * @see RFC 9396 §9.1, §9.2
 */
export function detailsIn({
  authorization_details: details,
}: Readonly<Record<string, unknown>>): Pick<AccessToken, 'authorizationDetails'> {
  if (details === undefined) return {};
  if (!Array.isArray(details) || !details.every(isDetail))
    throw invalidToken('authorization_details is no list of objects with a type');
  return details.length > 0 ? { authorizationDetails: details } : {};
}

function isDetail(value: unknown): value is AuthorizationDetail {
  return typeof (value as Partial<AuthorizationDetail> | null)?.type === 'string';
}
