import type { Settings } from '../../../settings/settings.js';
import { createRefreshToken } from '../../../shared/crypto/secrets.js';
import { addSeconds } from '../../../shared/date.js';
import { OAuthError, unexpectedCondition } from '../../../shared/errors.js';
import type { AuthorizationDetail } from '../../../shared/protocol/authorization-details.js';
import { formatScope, isSubset } from '../../../shared/protocol/scope.js';
import type { Client } from '../../clients/client.js';
import { requiresFapi } from '../../clients/fapi-profile.js';
import type { IdTokens } from '../../openid/id-tokens.js';
import type { SubjectOf } from '../../openid/subjects.js';
import { type Binding, bindingOf } from '../../proof-of-possession/binding.js';
import type { StoredAccessToken, TokenWrite } from '../grant.js';
import { kindOf } from '../named-token.js';
import type { Policy } from '../policy.js';
import type { AccessTokens } from './access-tokens.js';
import {
  type IssueContext,
  type IssuePlan,
  narrowToResource,
  type ResourceTokenContext,
  type TokenIssue,
} from './token-context.js';
import { accessTokenLife, refreshTokenEnd } from './token-lifetimes.js';

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

/** Tokens that are made but not yet stored: the hashes for the grant, the values for the client. */
export interface PreparedTokens {
  readonly write: TokenWrite;
  readonly response: TokenResponse;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  /** Whether there is nothing to store: the access token is all there is, and carries everything itself. */
  readonly isStateless: boolean;
}

/** Makes tokens for a grant. They must be stored in one atomic step before the response is sent. */
export interface TokenIssuer {
  /** @throws OAuthError invalid_target, invalid_scope, or what a hook of the host throws */
  prepare(context: IssueContext, issue: TokenIssue): Promise<PreparedTokens>;
  /** Whether a grant of this client comes with a refresh token: only if both the server and the client use them. */
  givesRefreshToken(client: Client): boolean;
}

type IssuerSettings = Pick<
  Settings,
  | 'accessTokenTtl'
  | 'refreshTokenTtl'
  | 'refreshTokenMaxTtl'
  | 'grantTypes'
  | 'additionalTokenParameters'
  | 'profile'
  | 'dpop'
  | 'mutualTls'
  | 'resources'
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
  const { grantTypes } = settings;
  const hasRefreshTokens = grantTypes.includes('refresh_token');

  return {
    givesRefreshToken: (client) => hasRefreshTokens && client.grantTypes.includes('refresh_token'),
    async prepare(context, issue) {
      const planned = { ...context, ...issue };
      const { resource, plan: possible, isStateless, ...life } = narrowToResource(settings, planned);
      const accessTokenTtl = accessTokenLife(life.accessTokenTtl, possible);
      // the host's hooks first: if one failed after the atomic step, the code would be used up for nothing
      const plan = { ...possible, scopes: await policy.issue(toPolicyInput(possible)) };
      const additional = await additionalParameters(settings, plan);
      requireBinding(settings, plan);
      const bound = await consumeProof(plan);
      const { now } = plan;
      const refreshToken = plan.withRefreshToken
        ? createRefreshToken(plan.grantId, plan.refreshTokenFamily)
        : undefined;
      const accessTokenExpiresAt = addSeconds(now, accessTokenTtl);
      const refreshTokenExpiresAt = refreshTokenEnd(settings, plan, now);
      const accessToken = await accessTokens.create({
        ...describe(plan),
        isStateless,
        ...subjectIn(plan, subjectOf),
        ...resource,
        ...bound,
        expiresAt: accessTokenExpiresAt,
      });
      const isNarrower = !isSubset(plan.authorization.scopes, plan.scopes);
      return {
        scopes: plan.scopes,
        isStateless,
        write: {
          accessToken: {
            hash: accessToken.hash,
            expiresAt: accessTokenExpiresAt,
            ...(isNarrower && { scopes: plan.scopes }),
            ...ownDetails(plan),
            ...resource,
            ...bound,
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
          expiresAt:
            refreshToken && refreshTokenExpiresAt > accessTokenExpiresAt
              ? refreshTokenExpiresAt
              : accessTokenExpiresAt,
        },
        response: {
          ...additional,
          access_token: accessToken.value,
          ...tokenTypeOf(plan),
          expires_in: accessTokenTtl,
          ...(refreshToken && { refresh_token: refreshToken.value }),
          ...(asksForIdToken(planned, possible, plan) &&
            (await idTokenOf(idTokens, plan, accessToken.value))),
          ...(plan.scopes.length > 0 && { scope: formatScope(plan.scopes) }),
          // RFC 9396 §7
          ...(plan.authorizationDetails.length > 0 && { authorization_details: plan.authorizationDetails }),
        },
      };
    },
  };
}

/** Whether the scope `openid` is present, whichever API the access token is for, and the host's rules have left it. */
function asksForIdToken(
  { authorization, scopes = authorization.scopes }: IssuePlan,
  possible: ResourceTokenContext,
  left: ResourceTokenContext,
): boolean {
  const isTaken = possible.scopes.includes('openid') && !left.scopes.includes('openid');
  // the implicit grant adds it beside the token itself, if the response type says so (§3.2.2.1)
  return scopes.includes('openid') && !isTaken && left.grantType !== 'implicit';
}

/** OpenID Connect Core §3.1.3.3, §12.2: for a grant that may sign the person in. */
async function idTokenOf(
  idTokens: IdTokens | undefined,
  { client, authorization: { userId, openid }, scopes, grantType, now }: ResourceTokenContext,
  accessToken: string,
): Promise<{ readonly id_token?: string }> {
  if (idTokens === undefined || openid === undefined || userId === undefined) return {};
  const isRefreshed = grantType === 'refresh_token';
  return {
    id_token: await idTokens.create({ client, userId, scopes, openid, accessToken, isRefreshed, now }),
  };
}

function toPolicyInput({
  client,
  authorization,
  scopes,
  authorizationDetails,
  resources,
  ...plan
}: ResourceTokenContext) {
  const { userId } = authorization;
  const { grantType, now, authorizedAt } = plan;
  const requested = { client, userId, scopes, resources, authorizationDetails, grantType, now };
  return { ...requested, isNewGrant: authorizedAt === undefined };
}

/** The details of the token, if they differ from those of its grant. */
function ownDetails({
  authorization,
  authorizationDetails,
}: ResourceTokenContext): Pick<StoredAccessToken, 'authorizationDetails'> {
  const { authorizationDetails: granted = [] } = authorization;
  return authorizationDetails === granted || granted.length === 0 ? {} : { authorizationDetails };
}

/**
 * FAPI 2.0 Security Profile §5.3.2.1-4, RFC 9449 §5.2, RFC 8705 §3.4: for every client and grant type. A token from the
 * authorization endpoint (RFC 6749 §4.2), or one that the host makes, cannot be bound.
 */
function requireBinding(settings: IssuerSettings, { client, proof }: IssuePlan): void {
  const { dpopBoundAccessTokens: byKey, tlsClientCertificateBoundAccessTokens: byCertificate } = client;
  const lacksAny = proof === undefined && requiresFapi(settings, client);
  const lacksKey = settings.dpop !== false && byKey === true && !proof?.jkt;
  const lacksCertificate = settings.mutualTls !== false && byCertificate === true && !proof?.x5tS256;
  if ([lacksAny, lacksKey, lacksCertificate].includes(true))
    throw new OAuthError('invalid_request', 'tokens are bound to a key or a certificate here: show one', {
      reason: 'dpop_proof_missing',
    });
}

/** The key or certificate that the access token is bound to; uses up the proof of it. */
async function consumeProof({ proof }: IssuePlan): Promise<Binding | undefined> {
  await proof?.use();
  return proof && bindingOf(proof);
}

/** RFC 9449 §5; one that is bound to a certificate is presented as a Bearer token (RFC 8705 §3) */
function tokenTypeOf({ proof }: IssuePlan): Pick<TokenResponse, 'token_type'> {
  return { token_type: proof?.jkt === undefined ? 'Bearer' : 'DPoP' };
}

/**
 * RFC 9449 §5, RFC 8705 §4, §7.1: refresh tokens of other clients are bound to the client, which authenticates and may
 * use another key.
 */
function refreshTokenBinding({ client, proof }: IssuePlan): Binding {
  return client.type === 'public' && proof !== undefined ? bindingOf(proof) : {};
}

/** RFC 9068 §2.2: whoever reads the token knows the person by the same id as its client, which can read it as well. */
function subjectIn(
  { client, authorization: { userId } }: ResourceTokenContext,
  subjectOf: SubjectOf,
): { readonly subject?: string } {
  return userId === undefined ? {} : { subject: subjectOf(client, userId) };
}

function describe({
  grantId,
  client,
  authorization,
  scopes,
  authorizationDetails,
  grantType,
  kind = kindOf({ grantType }),
  now,
}: ResourceTokenContext) {
  const { userId, choices, authentication, actor, mayAct } = authorization;
  const { clientId, name: clientName } = client;
  const subject = { grantId, clientId, clientName, userId, authentication, actor, mayAct };
  return { ...subject, scopes, authorizationDetails, choices, grantType, kind, now };
}

async function additionalParameters(
  { additionalTokenParameters }: IssuerSettings,
  plan: ResourceTokenContext,
): Promise<Record<string, unknown>> {
  if (additionalTokenParameters === undefined) return {};
  const { client, authorization, scopes, grantType } = plan;
  const { userId } = authorization;
  try {
    const given = await additionalTokenParameters({
      client: { clientId: client.clientId, name: client.name },
      ...(userId !== undefined && { userId }),
      scopes,
      grantType,
    });
    // parameters that RFC 6749 §5.1 defines are ours alone: no made-up refresh token
    const { refresh_token, scope, authorization_details, ...additional } = given;
    return additional;
  } catch (cause) {
    throw cause instanceof OAuthError ? cause : unexpectedCondition('additionalTokenParameters threw', cause);
  }
}
