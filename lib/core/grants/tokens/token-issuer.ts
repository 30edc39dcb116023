import type { Settings } from '../../../settings/settings.js';
import { createRefreshToken, type NewRefreshToken, type NewToken } from '../../../shared/crypto/secrets.js';
import { OAuthError, unexpectedCondition } from '../../../shared/errors.js';
import type { AuthorizationDetail } from '../../../shared/protocol/authorization-details.js';
import { formatScope, isSubset } from '../../../shared/protocol/scope.js';
import type { Client } from '../../clients/client.js';
import { requiresFapi } from '../../clients/fapi-profile.js';
import type { IdTokens } from '../../openid/id-tokens.js';
import type { SubjectOf } from '../../openid/subjects.js';
import { type Binding, bindingOf } from '../../proof-of-possession/binding.js';
import type { StoredAccessToken, TokenWrite } from '../grant.js';
import type { Policy, PolicyQuestion } from '../policy.js';
import type { AccessTokens } from './access-tokens.js';
import { type IssueContext, planTokens, type TokenPlan, type TokenSpec } from './token-plan.js';

/** RFC 6749 §5.1 */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly refresh_token?: string;
  /** Absent if the token has no scope: RFC 6749 §3.3 does not allow an empty one. */
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
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  /** Whether there is nothing to store: the access token is all there is, and carries everything itself. */
  readonly isStateless: boolean;
}

/**
 * Generates the tokens of a grant: the context (who asks) and the spec (which tokens) become a plan (what they are, by
 * `planTokens`), and the plan becomes a write and a response. The write must be stored in one atomic step before the
 * response is sent.
 */
export interface TokenIssuer {
  /**
   * Asks the policy of the site, which counts the token, and consumes the proof of the client's key.
   *
   * @throws OAuthError invalid_target, invalid_scope, or what a hook of the site throws
   */
  generate(context: IssueContext, spec: TokenSpec): Promise<GeneratedTokens>;
  /** Whether a grant of this client comes with a refresh token: only if both the server and the client use them. */
  givesRefreshToken(client: Client): boolean;
}

type IssuerSettings = Pick<
  Settings,
  'lifetimes' | 'grantTypes' | 'tokens' | 'profile' | 'dpop' | 'mutualTls' | 'resources'
>;

interface IssuerParts {
  readonly policy: Pick<Policy, 'issue'>;
  /** Undefined if this server signs nobody in. */
  readonly idTokens: IdTokens | undefined;
  readonly subjectOf: SubjectOf;
}

export function createTokenIssuer(
  settings: IssuerSettings,
  accessTokens: AccessTokens,
  { policy, idTokens, subjectOf }: IssuerParts,
): TokenIssuer {
  const hasRefreshTokens = settings.grantTypes.includes('refresh_token');

  return {
    givesRefreshToken: (client) => hasRefreshTokens && client.grantTypes.includes('refresh_token'),
    async generate(context, spec) {
      const planned = planTokens(settings, context, spec);
      // the site's hooks first: if one failed after the atomic step, the code would be used up for nothing
      const plan = { ...planned, scopes: await policy.issue(policyQuestion(planned)) };
      const additional = await additionalParameters(settings, plan);
      requireBinding(settings, plan);
      // the first call counts: another may follow if the redemption fails and a lost response is found
      await plan.proof?.use();
      const { client, authorization } = plan;
      // RFC 9068 §2.2: the `sub` by which the client knows the user, since the client can read the token as well
      const subject =
        authorization.userId === undefined ? undefined : subjectOf(client, authorization.userId);
      const accessToken = await accessTokens.create(plan, subject);
      const refreshToken = plan.withRefreshToken
        ? createRefreshToken(plan.grantId, plan.refreshTokenFamily)
        : undefined;
      const idToken = asksForIdToken(spec, planned, plan)
        ? await createIdToken(idTokens, plan, accessToken.value)
        : undefined;
      return {
        scopes: plan.scopes,
        isStateless: plan.isStateless,
        write: tokenWrite(plan, { accessToken, refreshToken }),
        response: tokenResponse(plan, { accessToken, refreshToken, idToken, additional }),
      };
    },
  };
}

/** What the site's policy is asked about. */
function policyQuestion(plan: TokenPlan): PolicyQuestion & { readonly isNewGrant: boolean } {
  return {
    client: plan.client,
    userId: plan.authorization.userId,
    scopes: plan.scopes,
    resources: plan.resources,
    authorizationDetails: plan.authorizationDetails,
    grantType: plan.grantType,
    now: plan.now,
    isNewGrant: plan.grantCreatedAt === undefined,
  };
}

/**
 * FAPI 2.0 Security Profile §5.3.2.1-4, RFC 9449 §5.2, RFC 8705 §3.4: for every client and grant type. A token from the
 * authorization endpoint (RFC 6749 §4.2), or one that the site makes, cannot be bound.
 *
 * @throws OAuthError invalid_request if the key or the certificate that the client has to show is missing
 */
function requireBinding(settings: IssuerSettings, { client, proof }: TokenPlan): void {
  const { jkt, x5tS256 } = proof ?? {};
  if (proof === undefined && requiresFapi(settings, client)) throw bindingMissing();
  if (settings.dpop !== false && client.dpopBoundAccessTokens === true && jkt === undefined)
    throw bindingMissing();
  const needsCertificate =
    settings.mutualTls !== false && client.tlsClientCertificateBoundAccessTokens === true;
  if (needsCertificate && x5tS256 === undefined) throw bindingMissing();
}

function bindingMissing(): OAuthError {
  return new OAuthError('invalid_request', 'tokens are bound to a key or a certificate here: show one', {
    reason: 'dpop_proof_missing',
  });
}

/**
 * Whether the request asks for the scope `openid`, at whichever resource, and the site's policy has left it. The
 * implicit grant has its ID token beside the token response, if the response type says so (OpenID Connect Core
 * §3.2.2.1).
 */
function asksForIdToken(
  { authorization, scopes = authorization.scopes, grantType }: TokenSpec,
  planned: TokenPlan,
  allowed: TokenPlan,
): boolean {
  const isTaken = planned.scopes.includes('openid') && !allowed.scopes.includes('openid');
  return scopes.includes('openid') && !isTaken && grantType !== 'implicit';
}

/** OpenID Connect Core §3.1.3.3, §12.2: for a grant that may sign the user in. */
async function createIdToken(
  idTokens: IdTokens | undefined,
  { client, authorization: { userId, openid }, scopes, grantType, now }: TokenPlan,
  accessToken: string,
): Promise<string | undefined> {
  if (idTokens === undefined || openid === undefined || userId === undefined) return undefined;
  const isRefreshed = grantType === 'refresh_token';
  return idTokens.create({ client, userId, scopes, openid, accessToken, isRefreshed, now });
}

/** What is stored of the tokens. */
function tokenWrite(
  plan: TokenPlan,
  { accessToken, refreshToken }: { accessToken: NewToken; refreshToken: NewRefreshToken | undefined },
): TokenWrite {
  const { scopes, resource, proof, now, accessTokenExpiresAt, refreshTokenExpiresAt } = plan;
  const isNarrower = !isSubset(plan.authorization.scopes, scopes);
  const outlives = refreshToken !== undefined && refreshTokenExpiresAt > accessTokenExpiresAt;
  return {
    accessToken: {
      hash: accessToken.hash,
      expiresAt: accessTokenExpiresAt,
      ...(isNarrower && { scopes }),
      ...ownDetails(plan),
      ...(resource !== undefined && { resource }),
      ...(proof && bindingOf(proof)),
    },
    ...(refreshToken && {
      refreshToken: {
        hash: refreshToken.hash,
        familyHash: refreshToken.familyHash,
        expiresAt: refreshTokenExpiresAt,
        ...refreshTokenBinding(plan),
      },
    }),
    now,
    expiresAt: outlives ? refreshTokenExpiresAt : accessTokenExpiresAt,
  };
}

/** The details of the token, if they differ from those of its grant. */
function ownDetails({
  authorization,
  authorizationDetails,
}: TokenPlan): Pick<StoredAccessToken, 'authorizationDetails'> {
  const { authorizationDetails: granted = [] } = authorization;
  return authorizationDetails === granted || granted.length === 0 ? {} : { authorizationDetails };
}

/**
 * RFC 9449 §5, RFC 8705 §4, §7.1: refresh tokens of other clients are bound to the client, which authenticates and may
 * use another key.
 */
function refreshTokenBinding({ client, proof }: TokenPlan): Binding {
  return client.type === 'public' && proof !== undefined ? bindingOf(proof) : {};
}

/** RFC 6749 §5.1. The parameters of the site come first: it cannot replace ours. */
function tokenResponse(
  { scopes, authorizationDetails, accessTokenTtl, proof }: TokenPlan,
  {
    accessToken,
    refreshToken,
    idToken,
    additional,
  }: {
    accessToken: NewToken;
    refreshToken: NewRefreshToken | undefined;
    idToken: string | undefined;
    additional: Record<string, unknown>;
  },
): TokenResponse {
  return {
    ...additional,
    access_token: accessToken.value,
    // RFC 9449 §5; one that is bound to a certificate is presented as a Bearer token (RFC 8705 §3)
    token_type: proof?.jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: accessTokenTtl,
    ...(refreshToken && { refresh_token: refreshToken.value }),
    ...(idToken !== undefined && { id_token: idToken }),
    ...(scopes.length > 0 && { scope: formatScope(scopes) }),
    // RFC 9396 §7
    ...(authorizationDetails.length > 0 && { authorization_details: authorizationDetails }),
  };
}

/** What the site adds to the response. */
async function additionalParameters(
  { tokens: { responseParameters } }: IssuerSettings,
  { client, authorization: { userId }, scopes, grantType }: TokenPlan,
): Promise<Record<string, unknown>> {
  if (responseParameters === undefined) return {};
  try {
    const given = await responseParameters({
      client: { clientId: client.clientId, name: client.name },
      ...(userId !== undefined && { userId }),
      scopes,
      grantType,
    });
    // the optional ones of RFC 6749 §5.1 and RFC 9396 §7 are ours even if a response has none: no made-up refresh token
    const { refresh_token, scope, authorization_details, ...additional } = given;
    return additional;
  } catch (cause) {
    throw cause instanceof OAuthError ? cause : unexpectedCondition('tokens.responseParameters threw', cause);
  }
}
