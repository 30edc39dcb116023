import { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from '../../shared/errors.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { protectedResourceMetadataUrl } from './protected-resource.js';
import type { AuthenticationScheme, ChallengeAttributes } from './schemes.js';

/** RFC 6585 §4 */
const TOO_MANY_REQUESTS = 429;

/** The request has no credentials: the challenge has no error code (RFC 6750 §3.1). */
export class MissingToken extends OAuthError {
  constructor() {
    super('unauthorized', 'an access token is needed', {
      reason: 'access_token_missing',
      status: 401,
      detail: 'no token in the request',
    });
  }
}

/** The token is valid but allows too little; the challenge names the required scopes. */
export class InsufficientToken extends OAuthError {
  constructor(
    error: OAuthErrorCode,
    description: string,
    { reason, detail }: OAuthErrorOptions,
    readonly token: {
      /** The scopes of the token, with the scopes that they include. */
      readonly granted: readonly string[];
      readonly attributes?: ChallengeAttributes;
    },
  ) {
    super(error, description, { reason, detail });
  }
}

export interface ChallengeContext {
  readonly realm: string;
  readonly resource: string;
  readonly schemes: readonly AuthenticationScheme[];
  /** The schemes that the request has used: their challenges have the error. */
  readonly failedSchemes: readonly AuthenticationScheme[];
  readonly scopes: readonly string[];
  /** The scopes of the server; undefined if they are not known. */
  readonly knownScopes: readonly string[] | undefined;
  readonly impliedScopes: ImpliedScopes;
}

/** The error with the challenge that its response must have. @see RFC 6750 §3 */
export function withChallenge(error: OAuthError, context: ChallengeContext): OAuthError {
  // a challenge would make the client get another token, and the new token would have to wait as well
  if (error.status === TOO_MANY_REQUESTS || error.status >= 500) return error;
  const { schemes, failedSchemes, realm, resource } = context;

  // The scopes to request, so that the call succeeds and the client loses nothing: many clients request only the scopes
  // of the challenge (RFC 6750 §3.1; Model Context Protocol 2026-07-28, Runtime Insufficient Scope Errors). Scopes of
  // the token are left out if the server no longer has them, or if the others include them
  const { scopes: needed, knownScopes, impliedScopes } = context;
  const granted = error instanceof InsufficientToken ? error.token.granted : [];
  const all = [...new Set([...needed, ...granted])];
  const scopes = all.filter(
    (scope) =>
      needed.includes(scope) ||
      // the scopes of another server's token must not break out of the header
      (isScopeToken(scope) &&
        knownScopes?.includes(scope) !== false &&
        !all.some((other) => impliedScopes.get(other)?.includes(scope) === true)),
  );
  const attributes: ChallengeAttributes =
    error instanceof MissingToken
      ? {}
      : {
          error: error.error,
          error_description: error.description,
          ...(error instanceof InsufficientToken && error.token.attributes),
        };
  const challenges = schemes.map((scheme) =>
    scheme.challenge({
      realm,
      ...(failedSchemes.includes(scheme) && attributes),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      // RFC 9728 §5.1
      resource_metadata: protectedResourceMetadataUrl(resource),
    }),
  );
  const { description, reason, detail, cause, status, headers } = error;
  return new OAuthError(error.error, description, {
    reason,
    detail,
    cause,
    status,
    headers: { ...headers, 'WWW-Authenticate': challenges.join(', ') },
  });
}
