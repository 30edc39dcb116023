import { equalText, parseToken } from '../../shared/crypto/secrets.js';
import { OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { findVerifierMismatch } from '../../shared/protocol/pkce.js';
import { requiresFapi } from '../clients/fapi-profile.js';
import { type Grant, grantEventData, type StoredAuthorizationCode } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import { createResends, requestFingerprint, type Resends } from '../grants/tokens/resends.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import {
  generateTokens,
  type GrantType,
  type GrantTypeDependencies,
  type TokenContext,
} from './grant-type.js';
import { type PresentedSecret, redeemOnce } from './redeem-once.js';

/** Why a code cannot be redeemed: for the log and the client's developers. The wire has one text for all. */
type Problem = Required<Pick<OAuthErrorOptions, 'reason' | 'detail'>>;

const UNKNOWN: Problem = { reason: 'code_unknown', detail: 'not a code of this server' };

/** A code with its grant, as a client presents it. */
interface PresentedCode extends PresentedSecret {
  readonly code: StoredAuthorizationCode;
}

/**
 * Redeems an authorization code. Everything that proves who presents it is checked before the code is redeemed: only a
 * caller who could have redeemed it can end its tokens by presenting it again.
 *
 * @see RFC 6749 §4.1.3, §4.1.4, RFC 7636 §4.6
 */
export const authorizationCode: GrantType<'authorization_code'> = {
  name: 'authorization_code',
  openapiFlow: {
    name: 'authorizationCode',
    urls: { authorizationUrl: 'authorize', tokenUrl: 'token', refreshUrl: 'token' },
  },
  isDefault: true,
  takesDetails: true,
  parameters: ['code', 'redirect_uri', 'code_verifier'],
  mayOmitResource: true,
  create(dependencies) {
    const { settings, grants } = dependencies;
    const resends = createResends({
      of: 'authorizationCode',
      // FAPI 2.0 Security Profile §5.3.2.2-9: a used code is rejected, however soon it comes again
      graceFor: (client) => (requiresFapi(settings, client) ? 0 : settings.tokens.reuseGrace),
      settings,
      grants,
    });

    return async (context) => {
      const presented = await findCode(grants, context);
      checkClient(presented, context);
      checkKey(presented, context);
      checkRedirectUri(presented, context);
      checkVerifier(presented, context);
      return redeemOnce(grants, presented, context, {
        isRedeemed,
        redeem: (read) => redeem(dependencies, read, { context, resends }),
        resends,
        revokeIfReused: (read) => revokeIfReused(grants, read, context),
        refusal: (grant) => invalidCode(explainRejection(grant, context)),
      });
    };
  },
};

/** @throws OAuthError invalid_grant if there is no such code */
async function findCode(
  grants: Pick<GrantStore, 'findOfCode'>,
  context: TokenContext,
): Promise<PresentedCode> {
  const secret = requireParameter(context.parameters, 'code');
  const token = parseToken('authorizationCode', secret);
  const grant = token && (await grants.findOfCode(token.grantId));
  const code = grant?.code;
  if (token === null || !grant || code === undefined || !equalText(code.hash, token.hash))
    throw invalidCode(UNKNOWN);
  const fingerprint = requestFingerprint([...context.resources].sort(), context);
  return { ...token, secret, fingerprint, grant, code };
}

/** RFC 6749 §4.1.3: the code was issued to the authenticated client. */
function checkClient({ grant }: PresentedCode, { client }: TokenContext): void {
  if (grant.clientId !== client.clientId)
    throw invalidCode({ reason: 'code_of_other_client', detail: `issued to client ${grant.clientId}` });
}

/** RFC 9449 §10: the client holds the key that the authorization request named. */
function checkKey({ code: { jkt } }: PresentedCode, { proof }: TokenContext): void {
  if (jkt !== undefined && jkt !== proof?.jkt)
    throw invalidCode({ reason: 'key_mismatch', detail: 'bound to another key' });
}

/** RFC 6749 §4.1.3: if the authorization request had a redirect_uri, the values MUST be identical. */
function checkRedirectUri(
  { code: { redirectUri, isRedirectUriRequired } }: PresentedCode,
  { parameters: { redirect_uri: given } }: TokenContext,
): void {
  if (given === undefined ? !isRedirectUriRequired : given === redirectUri) return;
  throw invalidCode({
    reason: 'code_redirect_uri_mismatch',
    detail:
      given === undefined
        ? 'redirect_uri missing'
        : 'redirect_uri differs from the one that the code was sent to',
  });
}

/** RFC 7636 §4.6: the verifier matches the challenge of the authorization request. */
function checkVerifier({ code }: PresentedCode, { parameters }: TokenContext): void {
  const detail = findVerifierMismatch(parameters.code_verifier, code.codeChallenge);
  if (detail !== undefined) throw invalidCode({ reason: 'pkce_mismatch', detail });
}

/** Generates tokens and uses the code up in one step; undefined if it is expired or revoked, or another was faster. */
async function redeem(
  dependencies: GrantTypeDependencies,
  presented: PresentedCode,
  { context, resends }: { readonly context: TokenContext; readonly resends: Resends },
): Promise<TokenResponse | undefined> {
  const { grant, hash } = presented;
  // the same is a condition of the step below; here it comes before policy, quotas and the proof of a key
  if (grant.revokedAt !== undefined || isExpired(grant, context)) return undefined;
  const { write, response, scopes } = await generateTokens(dependencies, grant, context);
  const resend = needsMoreThanCode(presented, context)
    ? await resends.prepare(presented, context, { response })
    : undefined;
  const isFirst = await dependencies.grants.redeemCode(grant, hash, { ...write, ...(resend && { resend }) });
  if (!isFirst) return undefined;
  context.emit('token.issued', { ...grantEventData(grant), scopes, grantType: 'authorization_code' });
  return response;
}

/**
 * RFC 6749 §4.1.2: a code that is used more than once MUST be denied, and all tokens issued from it SHOULD be revoked.
 *
 * @throws OAuthError invalid_grant if the code was used before
 */
async function revokeIfReused(
  grants: Pick<GrantStore, 'revokeReplayedCode'>,
  { grant, hash }: PresentedCode,
  { now, emit }: TokenContext,
): Promise<void> {
  if (!(await grants.revokeReplayedCode(grant.grantId, hash, now))) return;
  const data = grantEventData(grant);
  emit('code.replayed', data);
  emit('grant.revoked', { ...data, reason: 'code_replayed' });
  throw invalidCode({ reason: 'code_used', detail: 'used before: the grant is revoked now' });
}

/** Why a code that matches in everything else is refused. */
function explainRejection(grant: Grant, context: TokenContext): Problem {
  const { code, blockedAt } = grant;
  if (code?.usedAt !== undefined) return { reason: 'code_used', detail: 'used before, and revoked' };
  if (isExpired(grant, context)) return { reason: 'code_expired', detail: 'expired' };
  return blockedAt === undefined
    ? { reason: 'code_revoked', detail: 'revoked' }
    : { reason: 'client_blocked', detail: 'its client is blocked' };
}

function isRedeemed({ code }: Grant): boolean {
  return code?.usedAt !== undefined;
}

function isExpired({ code }: Grant, { now }: TokenContext): boolean {
  return code !== undefined && code.expiresAt <= now;
}

/**
 * Whether the code alone is not enough to redeem it: whoever presents it again has a secret or a verifier as well, so
 * it is the client that came first.
 */
function needsMoreThanCode({ code }: PresentedCode, { client }: TokenContext): boolean {
  return client.type === 'confidential' || code.codeChallenge !== undefined;
}

/** One text for every cause: somebody who tries codes must not learn which it was. */
function invalidCode({ reason, detail }: Problem): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the authorization code is invalid, expired, revoked, or does not match the redirect URI, the code verifier, the key or the client',
    { reason, detail },
  );
}
