import { OAuthError } from '../errors.js';
import { protectedResourceMetadataUrl } from './protected-resource.js';
import type { ChallengeAttributes, GuardScheme } from './schemes/scheme.js';

/** No credentials at all: the answer has no error code (RFC 6750 §3.1). */
export class MissingToken extends OAuthError {
  constructor() {
    super('unauthorized', 'an access token is needed', {
      reason: 'access_token_missing',
      status: 401,
      detail: 'no token in the request',
    });
  }
}

/** By whom a request was refused. */
export interface Refusal {
  readonly realm: string;
  readonly resource: string;
  readonly schemes: readonly GuardScheme[];
  /** The schemes whose challenge says what was wrong. */
  readonly about: readonly GuardScheme[];
  readonly scopes: readonly string[];
}

/** The error with the challenge that its answer must carry. @see RFC 6750 §3 */
export function withChallenge(error: OAuthError, refusal: Refusal): OAuthError {
  if (error.status >= 500) return error;
  const { schemes, about, realm, resource, scopes } = refusal;
  const attributes: ChallengeAttributes =
    error instanceof MissingToken ? {} : { error: error.error, error_description: error.description };
  const challenges = schemes.map((scheme) =>
    scheme.challenge({
      realm,
      ...(about.includes(scheme) && attributes),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      // RFC 9728 §5.1
      resource_metadata: protectedResourceMetadataUrl(resource),
    }),
  );
  const { description, reason, detail, cause, status, headers } = error;
  return new OAuthError(error.error, description, {
    ...(reason !== undefined && { reason }),
    ...(detail !== undefined && { detail }),
    cause,
    status,
    headers: { ...headers, 'WWW-Authenticate': challenges.join(', ') },
  });
}
