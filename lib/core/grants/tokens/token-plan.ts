import { STATELESS_TTL } from '../../../settings/options/resource-options.js';
import type { Settings } from '../../../settings/settings.js';
import { addSeconds } from '../../../shared/date.js';
import { OAuthError } from '../../../shared/errors.js';
import { type AuthorizationDetail, detailsAt } from '../../../shared/protocol/authorization-details.js';
import { scopesAt, selectResource } from '../../../shared/protocol/resource.js';
import type { TokenKind } from '../../../shared/protocol/token-kind.js';
import type { Client } from '../../clients/client.js';
import type { Emit } from '../../observability/events.js';
import type { Proof } from '../../proof-of-possession/binding.js';
import type { Authorization } from '../grant.js';
import { kindOf } from '../named-token.js';

/** Who asks for tokens, with which key and when: made once for each request, and passed whole. */
export interface IssueContext {
  readonly client: Client;
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  /** Proves that the client holds the key to which the tokens are bound; consumed before the tokens are generated. */
  readonly proof?: Proof | undefined;
  /** The moment at which the whole request happens. */
  readonly now: Date;
  /** Emits an event of this request. */
  readonly emit: Emit;
}

/** Which tokens of which grant are asked for. */
export interface TokenSpec {
  readonly grantId: string;
  readonly grantType: string;
  readonly authorization: Authorization;
  /** The scopes of the access token. Default: all that were authorized. */
  readonly scopes?: readonly string[];
  /** The details of the access token (RFC 9396 §6). Default: all that were authorized. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly withRefreshToken: boolean;
  /**
   * Whether the grant gives an access token alone, which is not stored if its resource is `stateless`. Default: false.
   */
  readonly mayBeStateless?: boolean;
  /** The family of the refresh token that the new one replaces. */
  readonly refreshTokenFamily?: string | undefined;
  /** The kind of the token. Default: the kind that its grant type gives. */
  readonly kind?: TokenKind | undefined;
  /** When the grant was created. Absent if this request creates it. */
  readonly grantCreatedAt?: Date;
}

/** What is decided about tokens before they are generated. */
export interface TokenPlan extends IssueContext, TokenSpec {
  /** The resource that the access token is for; undefined: the API of this server (RFC 8707 §2.2). */
  readonly resource: string | undefined;
  /** The scopes of the access token at that resource. */
  readonly scopes: readonly string[];
  /** The details of the access token at that resource. */
  readonly authorizationDetails: readonly AuthorizationDetail[];
  readonly kind: TokenKind;
  /** Whether the access token is stored nowhere: it carries everything itself, and is valid until it expires. */
  readonly isStateless: boolean;
  /** Seconds. */
  readonly accessTokenTtl: number;
  readonly accessTokenExpiresAt: Date;
  readonly refreshTokenExpiresAt: Date;
}

/**
 * Decides what the tokens of a request are. An access token is for one resource, with the scopes, the details and the
 * lifetime that tokens have there.
 *
 * @throws OAuthError invalid_target, or invalid_grant if the lifetime that the user has picked is over
 * @see RFC 8707 §2.2
 */
export function planTokens(
  settings: Pick<Settings, 'resources' | 'lifetimes'>,
  context: IssueContext,
  spec: TokenSpec,
): TokenPlan {
  const { authorization, grantType } = spec;
  const { scopes = authorization.scopes, kind = kindOf({ grantType }) } = spec;
  const details = detailsOf(spec);
  const resource = selectResource(context.resources, authorization.resources);
  const ofResource = settings.resources.get(resource ?? '');
  const isStateless = spec.mayBeStateless === true && ofResource?.stateless === true;
  const accessTokenTtl = accessTokenTtlOf(settings, {
    ...context,
    authorization,
    ttlAtResource: ofResource?.accessTokenTtl,
    isStateless,
  });
  return {
    ...context,
    ...spec,
    resource,
    scopes: resource === undefined ? scopes : scopesAt(scopes, [resource], settings.resources),
    authorizationDetails: resource === undefined ? details : detailsAt(details, resource),
    kind,
    isStateless,
    accessTokenTtl,
    accessTokenExpiresAt: addSeconds(context.now, accessTokenTtl),
    refreshTokenExpiresAt: refreshTokenEnd(settings, context, spec),
  };
}

/** The details of the access token at any resource. */
function detailsOf({ authorization, authorizationDetails }: TokenSpec): readonly AuthorizationDetail[] {
  return authorizationDetails ?? authorization.authorizationDetails ?? [];
}

/** An access token, as far as its lifetime depends on it. */
interface AccessTokenLifetime {
  readonly client: Client;
  readonly authorization: Authorization;
  /** The lifetime that the resource of the token sets, in seconds. */
  readonly ttlAtResource: number | undefined;
  readonly isStateless: boolean;
  readonly now: Date;
}

/**
 * The lifetime of an access token, in seconds. The lifetimes of the client and of the resource are limits, and the
 * token ends with the access that the user has allowed.
 *
 * @throws OAuthError invalid_grant if the lifetime that the user has picked is over
 */
function accessTokenTtlOf(
  { lifetimes: { accessToken: defaultTtl } }: Pick<Settings, 'lifetimes'>,
  { client, authorization: { endsAt }, ttlAtResource, isStateless, now }: AccessTokenLifetime,
): number {
  // nobody can revoke a token that is stored nowhere
  const statelessTtl = isStateless ? Math.min(defaultTtl, STATELESS_TTL) : undefined;
  const resourceTtl = ttlAtResource ?? statelessTtl;
  const ttl = Math.min(
    lifetimeOf(client, 'accessTokenTtl', resourceTtl ?? defaultTtl),
    resourceTtl ?? Infinity,
  );
  if (endsAt === undefined) return ttl;
  const left = Math.floor((endsAt.getTime() - now.getTime()) / 1000);
  if (left > 0) return Math.min(ttl, left);
  throw new OAuthError('invalid_grant', 'the access has ended', { reason: 'access_ended' });
}

/**
 * When a refresh token ends: unused for its lifetime, at the absolute end of refreshing, or at the end that the user
 * has picked, whichever is first.
 */
function refreshTokenEnd(
  { lifetimes: { refreshToken, refreshTokenMax } }: Pick<Settings, 'lifetimes'>,
  { client, now }: { readonly client: Client; readonly now: Date },
  {
    authorization: { endsAt },
    grantCreatedAt = now,
  }: { readonly authorization: Authorization; readonly grantCreatedAt?: Date },
): Date {
  const unused = addSeconds(now, lifetimeOf(client, 'refreshTokenTtl', refreshToken));
  const absolute = refreshTokenMax === undefined ? unused : addSeconds(grantCreatedAt, refreshTokenMax);
  return new Date(Math.min(unused.getTime(), absolute.getTime(), (endsAt ?? unused).getTime()));
}

/** Seconds that its tokens are valid: its own lifetime or the server's, but not beyond the cap of its host. */
function lifetimeOf(
  { document, ...client }: Pick<Client, 'accessTokenTtl' | 'refreshTokenTtl' | 'document'>,
  field: 'accessTokenTtl' | 'refreshTokenTtl',
  defaultValue: number,
): number {
  return Math.min(client[field] ?? defaultValue, document?.caps?.[field] ?? Infinity);
}
