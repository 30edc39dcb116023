import { equalText, parseToken } from '../crypto/secrets.js';
import { OAuthError } from '../errors.js';
import type { Grant } from '../grants/grant.js';
import { createRefreshReplays, type RefreshRequest } from '../grants/refresh-replay.js';
import type { TokenResponse } from '../grants/token-issuer.js';
import { requireParameter } from '../protocol/parameters.js';
import { isSubset, parseScope } from '../protocol/scope.js';
import { factsOf, type GrantType, type GrantTypeDependencies, type TokenRequest } from './grant-type.js';

interface RotationRequest extends RefreshRequest, Pick<TokenRequest, 'client' | 'emit'> {
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

/**
 * Replaces a refresh token by a new one. Presented again later, the old one ends the grant: either it or the new one
 * was stolen, and nobody can tell which. Within `reuseGrace` the same request has the same answer once more.
 *
 * @see RFC 6749 §6, §10.4, RFC 9700 §4.14.2
 */
export function createRefreshTokenGrant({ settings, models, issuer }: GrantTypeDependencies): GrantType {
  const { grants } = models;
  const replays = createRefreshReplays(settings.reuseGrace);
  /** The tokens of the rotation that this request repeats, from a grant that lives. */
  const replay = async (grant: Grant | null, request: RefreshRequest): Promise<TokenResponse | undefined> =>
    grant === null || grant.revokedAt !== undefined
      ? undefined
      : replays.find(request, grant.refreshReplay, new Date());
  const rotate = async (
    grant: Grant,
    { client, emit, ...request }: RotationRequest,
  ): Promise<TokenResponse | undefined> => {
    const { write, response } = await issuer.prepare({
      grantId: grant._id,
      client,
      userId: grant.userId,
      grantType: 'refresh_token',
      scopes: request.scopes,
      grantScopes: grant.scopes,
      withRefreshToken: true,
      authorizedAt: grant.createdAt,
      resources: request.resources,
      grantResources: grant.resources,
    });
    // the absolute end may have come nearer since the refresh token was made: the option is the host's to change
    if (write.refreshToken !== undefined && write.refreshToken.expiresAt <= write.now)
      throw invalidRefreshToken('refreshTokenMaxTtl is over');
    const refreshReplay = await replays.prepare(request, response, write.now);
    if (
      await grants.rotateRefreshToken(grant._id, request.hash, {
        ...write,
        ...(refreshReplay && { refreshReplay }),
      })
    ) {
      const facts = { ...factsOf(grant), scopes: request.scopes };
      emit('refresh.rotated', facts);
      emit('token.issued', { ...facts, grantType: 'refresh_token' });
      return response;
    }
    // another request, perhaps in another process, was faster by a moment
    return settings.reuseGrace === 0 ? undefined : replay(await grants.find(grant._id), request);
  };
  return {
    grantType: 'refresh_token',
    parameters: ['refresh_token', 'scope'],
    goesByStoredGrant: true,
    async handle({ client, parameters, resources, emit }) {
      const refreshToken = requireParameter(parameters, 'refresh_token');
      const presented = parseToken('refreshToken', refreshToken);
      const grant = presented && (await grants.find(presented.grantId));
      // RFC 6749 §6: the refresh token is bound to the client to which it was issued
      if (presented === null || !grant || grant.clientId !== client.clientId)
        throw invalidRefreshToken('unknown, or of another client');
      const facts = factsOf(grant);
      const isCurrent =
        grant.refreshToken !== undefined && equalText(grant.refreshToken.hash, presented.hash);
      const request = { ...presented, refreshToken, asked: formatAsked(grant, parameters.scope, resources) };
      const response = isCurrent
        ? await rotate(grant, {
            ...request,
            client,
            emit,
            resources,
            scopes: narrowScopes(
              grant.scopes,
              parameters.scope,
              (scope) => client.scopes.includes(scope) && Object.hasOwn(settings.scopes, scope),
            ),
          })
        : await replay(grant, request);
      if (response !== undefined) return response;
      const isReuse = await grants.revokeReusedRefreshToken(grant._id, presented.hash, new Date());
      if (!isReuse) throw invalidRefreshToken('unknown, expired or revoked');
      emit('refresh.reused', facts);
      emit('grant.revoked', { ...facts, reason: 'refresh_reused' });
      throw invalidRefreshToken('used before: the grant is revoked now');
    },
  };
}

/**
 * RFC 6749 §6: the scope MUST NOT include any scope not originally granted; omitted, it is the same. What the client's
 * registration or this server has lost since is lost for the grant, too.
 */
function narrowScopes(
  granted: readonly string[],
  scope: string | undefined,
  isHeld: (scope: string) => boolean,
): readonly string[] {
  const requested = scope === undefined ? granted : parseScope(scope);
  if (!isSubset(requested, granted))
    throw new OAuthError('invalid_scope', 'the scope exceeds what the resource owner granted');
  const held = requested.filter(isHeld);
  if (held.length === 0 && requested.length > 0)
    throw new OAuthError('invalid_scope', 'the client is not registered for these scopes any more');
  return held;
}

/** The same scopes at the same resource are the same request, in whatever order and whether named or not. */
function formatAsked(grant: Grant, scope: string | undefined, resources: readonly string[]): string {
  const scopes = [...new Set(scope?.split(' ') ?? grant.scopes)].sort();
  return [...scopes, ...(resources.length > 0 ? resources : (grant.resources ?? []))].join(' ');
}

function invalidRefreshToken(detail: string): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the refresh token is invalid, expired, revoked, or was issued to another client',
    { detail },
  );
}
