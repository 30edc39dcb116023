import { type ResourceOptions, STATELESS_TTL } from '../../../settings/options/resource-options.js';
import type { Settings } from '../../../settings/settings.js';
import { type AuthorizationDetail, detailsAt } from '../../../shared/protocol/authorization-details.js';
import { scopesAt, selectResource } from '../../../shared/protocol/resource.js';
import type { TokenKind } from '../../../shared/protocol/token-kind.js';
import type { Client } from '../../clients/client.js';
import { lifetimeOf } from '../../clients/client-lifetimes.js';
import type { Emit } from '../../observability/events.js';
import type { Proof } from '../../proof-of-possession/binding.js';
import type { Authorization } from '../grant.js';

/** What tokens are issued from, made once for each request and passed whole: who asks, for what, with which key, when. */
export interface IssueContext {
  readonly client: Client;
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  /** Proves that the client holds the key to which the tokens are bound; used up before the tokens are made. */
  readonly proof?: Proof | undefined;
  /** The moment at which the whole request happens. */
  readonly now: Date;
  /** Emits what happened as an event of this request. */
  readonly emit: Emit;
}

/** Which tokens of a grant are issued. */
export interface TokenIssue {
  readonly grantId: string;
  readonly grantType: string;
  readonly authorization: Authorization;
  /** The scopes of the access token. Default: all that were authorized. */
  readonly scopes?: readonly string[];
  /** The details of the access token (RFC 9396 §6). Default: all that were authorized. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly withRefreshToken: boolean;
  /** Whether the grant gives an access token alone, which is not stored if its resource is `stateless`. Default: false. */
  readonly accessTokenOnly?: boolean;
  /** The family of the refresh token that the new one replaces. */
  readonly refreshTokenFamily?: string | undefined;
  /** What the grant makes the token, if its grant type does not say so. */
  readonly kind?: TokenKind | undefined;
  /** When the grant was authorized, if that was earlier: the absolute end of refreshing is counted from it. */
  readonly authorizedAt?: Date;
}

/** A context with the tokens that are issued from it. */
export type IssuePlan = IssueContext & TokenIssue;

/** The plan for one resource, with the scopes and the details that the access token has there. */
export type ResourceTokenContext = IssuePlan & {
  readonly scopes: readonly string[];
  readonly authorizationDetails: readonly AuthorizationDetail[];
};

/** RFC 8707 §2.2: an access token is for one resource, with the scopes and the life that tokens have there. */
export function narrowToResource(
  { resources, accessTokenTtl }: Pick<Settings, 'resources' | 'accessTokenTtl'>,
  plan: IssuePlan,
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
  { accessTokenOnly = false }: IssuePlan,
  defaultTtl: number,
) {
  const isStateless = accessTokenOnly && stateless;
  const shortTtl = isStateless ? Math.min(defaultTtl, STATELESS_TTL) : undefined;
  return { isStateless, ttlAtResource: ttlAtResource ?? shortTtl };
}
