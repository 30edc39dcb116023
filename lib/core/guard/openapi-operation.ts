import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { RouteSettings } from './parse-route-options.js';

/** A security scheme of an OpenAPI document, and its kinds of token. */
export interface SecurityScheme {
  readonly name: string;
  readonly kinds: readonly TokenKind[];
  /** Whether requirements list scopes. OpenAPI 3.0 allows this only for the type `oauth2`. */
  readonly namesScopes: boolean;
}

/** Tokens that clients get by the flows of the server. */
export const OAUTH2_SCHEME: SecurityScheme = { name: 'oauth2', kinds: ['app', 'device'], namesScopes: true };
/** Tokens that users make on a page. */
export const ACCESS_TOKEN_SCHEME: SecurityScheme = {
  name: 'accessToken',
  kinds: ['personal', 'service'],
  namesScopes: false,
};

/** The guard in an operation of an OpenAPI document. */
export interface OpenApiOperation {
  /** Alternatives. (OpenAPI 3.1 §4.8.30, Security Requirement Object) */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The refusals of the guard, which `oauth.openapi()` describes. */
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>;
}

export function describeOperation(
  { scopes, any, optional, requireUser, kinds }: RouteSettings,
  schemes: readonly SecurityScheme[],
): OpenApiOperation {
  const accepted = schemes.filter((scheme) => kinds?.some((kind) => scheme.kinds.includes(kind)) ?? true);
  const alternatives = any ? scopes.map((scope) => [scope]) : [scopes];
  const canForbid = scopes.length > 0 || requireUser || kinds !== undefined;
  return {
    security: [
      ...accepted.flatMap(({ name, namesScopes }) =>
        namesScopes ? alternatives.map((needed) => ({ [name]: needed })) : [{ [name]: [] }],
      ),
      // a request without credentials meets an empty requirement
      ...(optional ? [{}] : []),
    ],
    responses: {
      401: { $ref: '#/components/responses/Unauthorized' },
      ...(canForbid && { 403: { $ref: '#/components/responses/Forbidden' } }),
    },
  };
}
