import { type ResourceOptions, STATELESS_TTL } from '../../../settings/options/resource-options.js';
import type { Settings } from '../../../settings/settings.js';
import { type AuthorizationDetail, detailsAt } from '../../../shared/protocol/authorization-details.js';
import { scopesAt, selectResource } from '../../../shared/protocol/resource.js';
import type { TokenKind } from '../../../shared/protocol/token-kind.js';
import type { Client } from '../../clients/client.js';
import { lifetimeOf } from '../../clients/client-lifetimes.js';
import type { Proof } from '../../proof-of-possession/binding.js';
import type { Authorization } from '../grant.js';

/** What is known about the tokens of a request before they are made. */
export interface TokenPlan {
  readonly grantId: string;
  readonly client: Client;
  readonly grantType: string;
  readonly authorization: Authorization;
  /** The scopes of the access token, if the client asked for fewer than were authorized. */
  readonly scopes?: readonly string[];
  /** The details of the access token, if not those that were authorized (RFC 9396 §6). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  readonly withRefreshToken: boolean;
  /** Whether the access token is all that the grant gives. Then it is not stored if its resource is `stateless`. */
  readonly isTokenAll?: boolean;
  /** The family of the refresh token that the new one replaces. */
  readonly refreshTokenFamily?: string;
  /** Proves that the client holds the key to which the tokens are bound; used up before they are made. */
  readonly proof?: Proof | undefined;
  /** What its grant makes the token, if the grant type of the request does not say it. */
  readonly kind?: TokenKind;
  /** When the grant was authorized, if that was earlier: the end of refreshing is counted from it. */
  readonly authorizedAt?: Date;
  readonly now: Date;
}

/** The plan for one resource, with the scopes and the details that the access token has there. */
export type PlannedToken = TokenPlan & {
  readonly scopes: readonly string[];
  readonly authorizationDetails: readonly AuthorizationDetail[];
};

/** RFC 8707 §2.2: an access token is for one resource, with the scopes and the life that tokens have there. */
export function planForResource(
  { resources, accessTokenTtl }: Pick<Settings, 'resources' | 'accessTokenTtl'>,
  plan: TokenPlan,
) {
  const { authorization, scopes = authorization.scopes } = plan;
  const details = plan.authorizationDetails ?? authorization.authorizationDetails ?? [];
  const resource = selectResource(plan.resources, authorization.resources);
  if (resource === undefined)
    return {
      isStateless: false,
      plan: { ...plan, scopes, authorizationDetails: details },
      accessTokenTtl: lifetimeOf(plan.client, 'accessTokenTtl', accessTokenTtl),
    };
  const { ttlAtResource, isStateless } = planLife(resources.get(resource), plan, accessTokenTtl);
  return {
    isStateless,
    resource: { resource },
    // the client's lifetime and the resource's are each meant as a limit
    accessTokenTtl: Math.min(
      lifetimeOf(plan.client, 'accessTokenTtl', ttlAtResource ?? accessTokenTtl),
      ttlAtResource ?? Infinity,
    ),
    plan: {
      ...plan,
      scopes: scopesAt(scopes, [resource], resources),
      authorizationDetails: detailsAt(details, resource),
    },
  };
}

/** Whether the token is stored nowhere, and how long it may live because of that, or because its resource says so. */
function planLife(
  { stateless = false, accessTokenTtl: ttlAtResource }: ResourceOptions = {},
  { isTokenAll = false }: TokenPlan,
  usualTtl: number,
) {
  const isStateless = isTokenAll && stateless;
  const shortTtl = isStateless ? Math.min(usualTtl, STATELESS_TTL) : undefined;
  return { isStateless, ttlAtResource: ttlAtResource ?? shortTtl };
}
