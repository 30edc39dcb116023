import { urlOf } from '../../../settings/endpoint-urls.js';
import { STATELESS_TTL } from '../../../settings/options/resource-options.js';
import type { Settings } from '../../../settings/settings.js';
import { createRefreshToken } from '../../../shared/crypto/secrets.js';
import { addSeconds } from '../../../shared/date.js';
import { invalidRequest, OAuthError, unexpectedCondition } from '../../../shared/errors.js';
import { type AuthorizationDetail, detailsAt } from '../../../shared/protocol/authorization-details.js';
import { areOpenidScopes, scopesAt, selectResource } from '../../../shared/protocol/resource.js';
import { formatScope, isSubset } from '../../../shared/protocol/scope.js';
import { withoutUndefined } from '../../../shared/without-undefined.js';
import type { Client } from '../../clients/client.js';
import { requiresFapi } from '../../clients/fapi-profile.js';
import type { CreateIdToken } from '../../openid/openid-authorization.js';
import type { SubjectOf } from '../../openid/subjects.js';
import type { TokenWrite } from '../grant.js';
import { kindOf } from '../named-token.js';
import type { Policy } from '../policy.js';
import type { AccessTokens } from './access-tokens.js';
import type { IssueContext, TokenPlan, TokenSpec } from './token-plan.js';

/** RFC 6749 §5.1 */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly refresh_token?: string;
  /** Absent if the token has no scope: RFC 6749 §3.3 does not allow an empty `scope`. */
  readonly scope?: string;
  /** OpenID Connect Core §3.1.3.3 */
  readonly id_token?: string;
  /** RFC 9396 §7 */
  readonly authorization_details?: readonly AuthorizationDetail[];
  readonly [additional: string]: unknown;
}

/** Tokens that are generated and not yet stored: the hashes for the grant, the values for the client. */
export interface GeneratedTokens {
  readonly write: TokenWrite;
  readonly response: TokenResponse;
  readonly scopes: readonly string[];
  /** Whether there is nothing to store: the access token is the only token, and carries everything itself. */
  readonly isStateless: boolean;
}

export type TokenIssuer = ReturnType<typeof createTokenIssuer>;

export function createTokenIssuer(
  settings: Settings,
  accessTokens: AccessTokens,
  parts: {
    readonly policy: Policy;
    readonly createIdToken: CreateIdToken | undefined;
    readonly subjectOf: SubjectOf;
  },
) {
  const { policy, createIdToken, subjectOf } = parts;
  const { lifetimes, resources: knownResources } = settings;
  const hasRefreshTokens = settings.grantTypes.includes('refresh_token');

  return {
    /** Whether a grant of this client has a refresh token: only if both server and client use refresh tokens. */
    givesRefreshToken: (client: Client) => hasRefreshTokens && client.grantTypes.includes('refresh_token'),
    /**
     * Generates the tokens of a grant: the response, and a write that must be stored in one atomic step before the
     * response is sent. Calls the hooks of the site's policy, counts the token against the client's cap, and consumes
     * the proof of the client's key.
     *
     * @throws OAuthError invalid_target, invalid_scope, or the error of a hook
     */
    async generate(context: IssueContext, spec: TokenSpec): Promise<GeneratedTokens> {
      const { client, proof, now } = context;
      const { authorization, grantType, grantCreatedAt = now } = spec;
      const { userId, endsAt, openid } = authorization;

      // RFC 8707 §2.2: a token is for one resource, with the scopes, details and lifetime of that resource
      const resource = selectResource(context.resources, authorization.resources);
      const resourceSettings = knownResources.get(resource ?? '');
      const isStateless = spec.mayBeStateless === true && resourceSettings?.stateless === true;
      const { scopes: requestedScopes = authorization.scopes } = spec;
      const { authorizationDetails: grantedDetails = [] } = authorization;
      let scopesAtResource = requestedScopes;
      let authorizationDetails = spec.authorizationDetails ?? grantedDetails;
      if (resource !== undefined) {
        scopesAtResource = scopesAt(requestedScopes, [resource], knownResources);
        authorizationDetails = detailsAt(authorizationDetails, resource);
      }

      // the lifetime is the client's or else the resource's, and no longer than the resource and the user allow. A
      // token that is not stored cannot be revoked
      const statelessTtl = isStateless ? Math.min(lifetimes.accessToken, STATELESS_TTL) : undefined;
      const resourceTtl = resourceSettings?.accessTokenTtl ?? statelessTtl;
      const left = endsAt === undefined ? Infinity : Math.floor((endsAt.getTime() - now.getTime()) / 1000);
      if (left <= 0)
        throw new OAuthError('invalid_grant', 'the access has ended', { reason: 'access_ended' });
      const accessTokenTtl = Math.min(
        client.accessTokenTtl ?? resourceTtl ?? lifetimes.accessToken,
        resourceTtl ?? Infinity,
        left,
      );
      const accessTokenExpiresAt = addSeconds(now, accessTokenTtl);
      const refreshTokenTtl = client.refreshTokenTtl ?? lifetimes.refreshToken;
      const refreshTokenExpiresAt = new Date(
        Math.min(
          now.getTime() + refreshTokenTtl * 1000,
          grantCreatedAt.getTime() + (lifetimes.refreshTokenMax ?? Infinity) * 1000,
          endsAt?.getTime() ?? Infinity,
        ),
      );

      // The site's hooks come first: if one failed after the atomic step, the code would be used up for nothing
      const scopes = await policy.issue({
        client,
        userId,
        scopes: scopesAtResource,
        resources: context.resources,
        authorizationDetails,
        grantType,
        now,
      });
      let additional: Readonly<Record<string, unknown>> = {};
      const { responseParameters } = settings.tokens;
      try {
        const { clientId, name } = client;
        if (responseParameters !== undefined)
          additional = await responseParameters({
            client: { clientId, name },
            ...withoutUndefined({ userId }),
            scopes,
            grantType,
          });
      } catch (cause) {
        throw cause instanceof OAuthError
          ? cause
          : unexpectedCondition('tokens.responseParameters threw', cause);
      }

      // RFC 9068 §3: the audience of the access token. Where a resource is required, a grant of OpenID Connect scopes
      // alone may name none: all its tokens are then for userinfo, including tokens with fewer scopes
      const isForUserinfoOnly =
        settings.security.requireResource &&
        knownResources.size > 0 &&
        grantedDetails.length === 0 &&
        authorization.scopes.length > 0 &&
        areOpenidScopes(authorization.scopes, settings.openid);
      const audience = resource ?? (isForUserinfoOnly ? urlOf(settings, 'userinfo') : undefined);

      // FAPI 2.0 Security Profile §5.3.2.1-4, RFC 9449 §5.2, RFC 8705 §3.4, for every client and grant type: a token
      // that must be bound is refused if the request proves no key. Tokens from the authorization endpoint (RFC 6749
      // §4.2), and tokens that the site makes, never have a proof, so a client that needs bound tokens gets none there.
      const isBindingMissing =
        (proof === undefined && requiresFapi(settings, client)) ||
        (settings.dpop && client.dpopBoundAccessTokens === true && proof?.jkt === undefined) ||
        (settings.mutualTls &&
          client.tlsClientCertificateBoundAccessTokens === true &&
          proof?.x5tS256 === undefined);
      if (isBindingMissing)
        throw invalidRequest(
          'tokens are bound to a key or a certificate here: show one',
          'dpop_proof_missing',
        );
      // a proof is consumed once: the second call, after a failed redemption, does nothing
      await proof?.use();

      const plan: TokenPlan = {
        ...context,
        ...spec,
        kind: spec.kind ?? kindOf({ grantType }),
        resource: audience,
        scopes,
        authorizationDetails,
        isStateless,
        accessTokenExpiresAt,
      };
      // RFC 9068 §2.2: the `sub` by which the client knows the user, because the client can read the token
      const subject = userId === undefined ? undefined : subjectOf(client, userId);
      const accessToken = await accessTokens.create(plan, subject);
      const refreshToken = spec.withRefreshToken
        ? createRefreshToken(spec.grantId, spec.refreshTokenFamily)
        : undefined;

      // OpenID Connect Core §3.1.3.3, §12.2: the response has an ID token if the request has the scope `openid`, at any
      // resource, unless the policy removed it. The implicit grant has its ID token beside the token response
      // (§3.2.2.1)
      const isOpenidRefused = scopesAtResource.includes('openid') && !scopes.includes('openid');
      const signsIn = requestedScopes.includes('openid') && !isOpenidRefused && grantType !== 'implicit';
      let idToken: string | undefined;
      if (signsIn && createIdToken !== undefined && openid !== undefined && userId !== undefined)
        idToken = await createIdToken({
          client,
          userId,
          scopes,
          openid,
          accessToken: accessToken.value,
          isRefreshed: grantType === 'refresh_token',
          now,
        });

      // The grant stores hashes and the resource. It stores the access token's scopes and details only if they differ
      // from those of the grant. `detailsAt` returns the same list if it leaves nothing out.
      const isNarrower = !isSubset(authorization.scopes, scopes);
      const hasFewerDetails = grantedDetails.length > 0 && authorizationDetails !== grantedDetails;
      const binding = { jkt: proof?.jkt, x5tS256: proof?.x5tS256 };
      const write: TokenWrite = {
        accessToken: {
          hash: accessToken.hash,
          expiresAt: accessTokenExpiresAt,
          scopes: isNarrower ? scopes : undefined,
          authorizationDetails: hasFewerDetails ? authorizationDetails : undefined,
          resource: audience,
          ...binding,
        },
        refreshToken: refreshToken && {
          hash: refreshToken.hash,
          familyHash: refreshToken.familyHash,
          expiresAt: refreshTokenExpiresAt,
          // RFC 9449 §5, RFC 8705 §4, §7.1: the refresh token of a confidential client is bound to the client, which
          // authenticates and may change its key
          ...(client.type === 'public' && binding),
        },
        now,
        expiresAt:
          refreshToken !== undefined && refreshTokenExpiresAt > accessTokenExpiresAt
            ? refreshTokenExpiresAt
            : accessTokenExpiresAt,
      };
      // RFC 6749 §5.1. The site's parameters come first: they cannot replace the server's, not even parameters that
      // this response lacks, such as a refresh token
      const response: TokenResponse = {
        ...additional,
        access_token: accessToken.value,
        // RFC 9449 §5; a token that is bound to a certificate is presented as a Bearer token (RFC 8705 §3)
        token_type: proof?.jkt === undefined ? 'Bearer' : 'DPoP',
        expires_in: accessTokenTtl,
        refresh_token: refreshToken?.value,
        id_token: idToken,
        // RFC 6749 §3.3 does not allow an empty `scope`
        scope: scopes.length > 0 ? formatScope(scopes) : undefined,
        // RFC 9396 §7
        authorization_details: authorizationDetails.length > 0 ? authorizationDetails : undefined,
      };
      return { scopes, isStateless, write, response };
    },
  };
}
