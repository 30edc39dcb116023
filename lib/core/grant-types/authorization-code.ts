import { equalText, parseToken, type PresentedToken } from '../../shared/crypto/secrets.js';
import { OAuthError, type OAuthErrorOptions } from '../../shared/errors.js';
import { type Parameters, requireParameter } from '../../shared/protocol/parameters.js';
import { findVerifierMismatch } from '../../shared/protocol/pkce.js';
import { isHeldToFapi } from '../clients/fapi-profile.js';
import { factsOf, type Grant, type StoredAuthorizationCode } from '../grants/grant.js';
import { createResends, type Resends } from '../grants/tokens/idempotent-response.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import { grantTakenBack } from '../grants/undo-unacknowledged-writes.js';
import { namesOfBinding } from '../proof-of-possession/binding.js';
import {
  type GrantType,
  type GrantTypeDependencies,
  prepareFirstTokens,
  type TokenRequest,
} from './grant-type.js';
import { createResending, type Repeated } from './retried-requests.js';

/** Why a code cannot be redeemed: for the log and the client's developers. The wire has one text for all. */
type Problem = Required<Pick<OAuthErrorOptions, 'reason' | 'detail'>>;

const UNKNOWN: Problem = { reason: 'code_unknown', detail: 'not a code of this server' };

/** A token request whose code was found, and was issued to whoever presents it. */
interface Redemption
  extends Repeated, Pick<TokenRequest, 'resources' | 'authorizationDetails' | 'proof' | 'now' | 'emit'> {
  readonly grant: Grant;
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
  isDefault: true,
  takesDetails: true,
  parameters: ['code', 'redirect_uri', 'code_verifier'],
  redeemsGrant: true,
  create(dependencies) {
    const { settings, grants } = dependencies;
    const resends = createResends('authorizationCode', (client) =>
      // FAPI 2.0 Security Profile §5.3.2.2-9: a used code is rejected, however soon it comes again
      isHeldToFapi(settings, client) ? 0 : settings.reuseGrace,
    );
    const resending = createResending(dependencies, resends);
    const redeem = createRedemption(dependencies, resends);
    const redeemTakenBack = async (redemption: Redemption): Promise<TokenResponse> => {
      const grant = await grantTakenBack(grants, redemption.grant, isUsed);
      const response = grant && (await redeem({ ...redemption, grant }));
      if (response === undefined) throw invalidCode(overBy(redemption));
      return response;
    };

    return async ({ client, parameters, ...request }) => {
      const { proof, now, emit } = request;
      const given = requireParameter(parameters, 'code');
      const code = parseToken('authorizationCode', given);
      const grant = code && (await grants.findOfCode(code.grantId));
      const problem = findBindingProblem(grant, code, { client, parameters, proof });
      if (problem !== undefined || code === null || !grant) throw invalidCode(problem ?? UNKNOWN);
      const redemption = { ...code, ...request, secret: given, asked: formatAsked(request), grant, client };
      const response = (await redeem(redemption)) ?? (await resending.afresh(redemption));
      if (response !== undefined) return response;
      // RFC 6749 §4.1.2: used more than once MUST be denied and SHOULD revoke all tokens issued from it
      const isReplay = await grants.revokeReplayedCode(grant.grantId, code.hash, now);
      if (!isReplay) return redeemTakenBack(redemption);
      const facts = factsOf(grant);
      emit('code.replayed', facts);
      emit('grant.revoked', { ...facts, reason: 'code_replayed' });
      throw invalidCode({ reason: 'code_used', detail: 'used before: the grant is revoked now' });
    };
  },
};

/** Tokens for the first who redeems a code; undefined if it was used before, or another request was faster. */
function createRedemption({ settings, grants, issuer }: GrantTypeDependencies, resends: Resends) {
  return async (redemption: Redemption): Promise<TokenResponse | undefined> => {
    const { grant, hash, client, emit } = redemption;
    if (isUsed(grant)) return undefined;
    const { write, response, scopes } = await prepareFirstTokens({ settings, issuer }, grant, redemption);
    const resend = isProven(grant, client)
      ? await resends.prepare(redemption, response, undefined)
      : undefined;
    const isFirst = await grants.redeemCode(grant, hash, { ...write, ...(resend && { resend }) });
    if (!isFirst) return undefined;
    emit('token.issued', { ...factsOf(grant), scopes, grantType: 'authorization_code' });
    return response;
  };
}

/** Why a code that matches in everything else is refused. */
function overBy({ grant: { code, blockedAt }, now }: Redemption): Problem {
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
function isProven({ code }: Grant, client: TokenRequest['client']): boolean {
  return client.type === 'confidential' || code?.codeChallenge !== undefined;
}

/** Why this request may not use the code, or undefined if it may. */
function findBindingProblem(
  grant: Grant | null,
  presented: PresentedToken | null,
  { client, parameters, proof }: Pick<TokenRequest, 'client' | 'parameters' | 'proof'>,
): Problem | undefined {
  const code = grant?.code;
  if (presented === null || !grant || code === undefined || !equalText(code.hash, presented.hash))
    return UNKNOWN;
  // RFC 6749 §4.1.3: the code was issued to the authenticated client
  if (grant.clientId !== client.clientId)
    return { reason: 'code_of_other_client', detail: `issued to client ${grant.clientId}` };
  const keyProblem = findKeyProblem(code, proof);
  if (keyProblem !== undefined) return { reason: 'key_mismatch', detail: keyProblem };
  const uriProblem = findRedirectUriProblem(code, parameters);
  if (uriProblem !== undefined) return { reason: 'code_redirect_uri_mismatch', detail: uriProblem };
  const mismatch = findVerifierMismatch(parameters.code_verifier, code.codeChallenge);
  return mismatch === undefined ? undefined : { reason: 'pkce_mismatch', detail: mismatch };
}

/** The same resources and details for the same key are the same request. */
function formatAsked({
  resources,
  authorizationDetails,
  proof,
}: Pick<TokenRequest, 'resources' | 'authorizationDetails' | 'proof'>): string {
  const details = authorizationDetails === undefined ? [] : [JSON.stringify(authorizationDetails)];
  return [...[...resources].sort(), ...namesOfBinding(proof), ...details].join(' ');
}

/** RFC 9449 §10 */
function findKeyProblem({ jkt }: StoredAuthorizationCode, proof: TokenRequest['proof']): string | undefined {
  return jkt === undefined || jkt === proof?.jkt ? undefined : 'bound to another key';
}

/** RFC 6749 §4.1.3: if the authorization request had a redirect_uri, the values MUST be identical. */
function findRedirectUriProblem(
  { redirectUri, isRedirectUriRequired }: StoredAuthorizationCode,
  { redirect_uri: given }: Parameters,
): string | undefined {
  if (given === undefined) return isRedirectUriRequired ? 'redirect_uri missing' : undefined;
  return given === redirectUri ? undefined : 'redirect_uri differs from the one that the code was sent to';
}

/** One text for every cause: somebody who tries codes must not learn which it was. */
function invalidCode({ reason, detail }: Problem): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the authorization code is invalid, expired, revoked, or does not match the redirect URI, the code verifier, the key or the client',
    { reason, detail },
  );
}
