import { equalText, parseToken } from '../../shared/crypto/secrets.js';
import { OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { findVerifierMismatch } from '../../shared/protocol/pkce.js';
import { requiresFapi } from '../clients/fapi-profile.js';
import { type Grant, grantEventData, type StoredAuthorizationCode } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import {
  createResponseReplays,
  type ReplayKey,
  requestFingerprint,
} from '../grants/tokens/response-replay.js';
import { reloadIfUndone } from '../grants/undo-unacknowledged-writes.js';
import { type GrantType, prepareTokens, type TokenContext } from './grant-type.js';

/** Why a code cannot be redeemed: for the log and the client's developers. The wire has one text for all. */
type Problem = Required<Pick<OAuthErrorOptions, 'reason' | 'detail'>>;

const UNKNOWN: Problem = { reason: 'code_unknown', detail: 'not a code of this server' };

/** A code with its grant, as a client presents it. */
interface PresentedCode extends ReplayKey {
  readonly grant: Grant;
  readonly code: StoredAuthorizationCode;
}

/**
 * Redeems an authorization code. Everything that proves who presents it is checked before the one atomic step that uses
 * it up, so that only somebody who could have used it can end its tokens by presenting it again. Within `reuseGrace`
 * the same request gets the same response once more.
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
  redeemsGrant: true,
  create({ settings, grants, issuer }) {
    const replays = createResponseReplays({
      of: 'authorizationCode',
      // FAPI 2.0 Security Profile §5.3.2.2-9: a used code is rejected, however soon it comes again
      graceFor: (client) => (requiresFapi(settings, client) ? 0 : settings.reuseGrace),
      settings,
      grants,
    });

    /** Issues tokens and uses the code up in one step; undefined if it was used before, or another request was faster. */
    const redeem = async (presented: PresentedCode, context: TokenContext) => {
      const { grant, hash } = presented;
      if (isUsed(grant)) return undefined;
      const { write, response, scopes } = await prepareTokens({ settings, issuer }, grant, context);
      const resend = isSenderConstrained(presented, context)
        ? await replays.seal(presented, context, { response })
        : undefined;
      const isFirst = await grants.redeemCode(grant, hash, { ...write, ...(resend && { resend }) });
      if (!isFirst) return undefined;
      context.emit('token.issued', { ...grantEventData(grant), scopes, grantType: 'authorization_code' });
      return response;
    };

    return async (context) => {
      const presented = await findCode(grants, context);
      checkClient(presented, context);
      checkKey(presented, context);
      checkRedirectUri(presented, context);
      checkVerifier(presented, context);
      const response = (await redeem(presented, context)) ?? (await replays.findFresh(presented, context));
      if (response !== undefined) return response;
      await refuseReplay(grants, presented, context);
      // the step that had used the code up was undone since: its outcome had been unknown, and nobody got its tokens
      const grant = await reloadIfUndone(grants, presented.grant, isUsed);
      const late = grant && (await redeem({ ...presented, grant }, context));
      if (late === undefined) throw invalidCode(explainRejection(presented.grant, context));
      return late;
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

/**
 * RFC 6749 §4.1.2: a code that is used more than once MUST be denied, and all tokens issued from it SHOULD be revoked.
 *
 * @throws OAuthError invalid_grant if the code was used before
 */
async function refuseReplay(
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
function explainRejection({ code, blockedAt }: Grant, { now }: TokenContext): Problem {
  if (code?.usedAt !== undefined) return { reason: 'code_used', detail: 'used before, and revoked' };
  if (code !== undefined && code.expiresAt <= now) return { reason: 'code_expired', detail: 'expired' };
  return blockedAt === undefined
    ? { reason: 'code_revoked', detail: 'revoked' }
    : { reason: 'client_blocked', detail: 'its client is blocked' };
}

function isUsed({ code }: Grant): boolean {
  return code?.usedAt !== undefined;
}

/** Whether the code alone is not enough to redeem it, so that whoever presents it again is the one who came first. */
function isSenderConstrained({ code }: PresentedCode, { client }: TokenContext): boolean {
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
