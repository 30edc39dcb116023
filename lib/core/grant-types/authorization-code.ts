import { equalText, parseToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { findVerifierMismatch } from '../../shared/protocol/pkce.js';
import { requiresFapi } from '../clients/fapi-profile.js';
import { type Grant, grantEventData } from '../grants/grant.js';
import { createLostResponses } from '../grants/tokens/lost-responses.js';
import { generateTokens, type GrantType } from './grant-type.js';

/**
 * Redeems an authorization code. Everything that identifies the caller is checked before the code is redeemed: only a
 * caller who could have redeemed the code can end its tokens by presenting it again.
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
    const { settings, grants, reportChange } = dependencies;
    const lostResponseOf = createLostResponses('authorizationCode', dependencies);

    return async (context) => {
      const { client, parameters, proof, now, emit } = context;

      const value = requireParameter(parameters, 'code');
      const presented = parseToken('authorizationCode', value);
      // perhaps from this process's memory of GET /authorize: `redeemCode` decides
      const grant = presented && (await grants.findOfCode(presented.grantId));
      const code = grant?.code;
      if (presented === null || !grant || code === undefined || !equalText(code.hash, presented.hash))
        throw invalidCode('code_unknown', 'not a code of this server');

      // RFC 6749 §4.1.3: the code must have been issued to the authenticated client
      if (grant.clientId !== client.clientId)
        throw invalidCode('code_of_other_client', `issued to client ${grant.clientId}`);

      // RFC 9449 §10: the client must hold the key that the authorization request named
      if (code.jkt !== undefined && code.jkt !== proof?.jkt)
        throw invalidCode('key_mismatch', 'bound to another key');

      // RFC 6749 §4.1.3: if the authorization request had a redirect_uri, the values MUST be identical
      const { redirect_uri: redirectUri } = parameters;
      if (redirectUri === undefined && code.isRedirectUriRequired)
        throw invalidCode('code_redirect_uri_mismatch', 'redirect_uri missing');
      if (redirectUri !== undefined && redirectUri !== code.redirectUri)
        throw invalidCode(
          'code_redirect_uri_mismatch',
          'redirect_uri differs from the one that the code was sent to',
        );

      // RFC 7636 §4.6: the verifier must match the challenge of the authorization request
      const mismatch = findVerifierMismatch(parameters.code_verifier, code.codeChallenge);
      if (mismatch !== undefined) throw invalidCode('pkce_mismatch', mismatch);

      // The response may get lost. It is sent again only to a client that proves more than the code: by its
      // credentials, or by PKCE. FAPI 2.0 Security Profile §5.3.2.2-9: a used code is rejected, however soon it is
      // repeated
      const mayResend =
        (client.type === 'confidential' || code.codeChallenge !== undefined) &&
        !requiresFapi(settings, client);
      const grace = mayResend ? settings.tokens.reuseGrace : 0;
      // a repeated request must have the same `names`
      const lostResponse = lostResponseOf({ ...presented, value, names: context.resources, grace }, context);

      const presentedCode = { kind: 'code', hash: presented.hash } as const;
      /**
       * Generates tokens, and stores them in one atomic step. If another request with the same code was faster, returns
       * the stored response to that request. Undefined if the code is expired, revoked or used.
       */
      const redeem = async (current: Grant) => {
        // `redeemCode` checks this again, and more. Checked first: a dead code costs no hook, quota or DPoP proof.
        if (current.revokedAt === undefined && code.expiresAt > now) {
          const tokens = await generateTokens(dependencies, current, context);
          const resend = await lostResponse.seal(tokens);
          if (await grants.redeemCode(current, presentedCode, { ...tokens.write, resend })) {
            const data = { ...grantEventData(current), scopes: tokens.scopes };
            emit('token.issued', { ...data, grantType: 'authorization_code' });
            return tokens.response;
          }
        }
        return lostResponse.find();
      };

      // a code that was used before: the lost response is sent again. `find()` reads the grant anew, `find(grant)` does
      // not
      const response = code.usedAt === undefined ? await redeem(grant) : await lostResponse.find(grant);
      if (response !== undefined) return response;

      // RFC 6749 §4.1.2: a code used more than once MUST be denied, and its tokens SHOULD be revoked. `revokeReplayedCode`
      // revokes only the grant of a code that was used
      const wasReplayed =
        grant.revokedAt === undefined &&
        (await reportChange(
          { type: 'grant.revoked', ...grantEventData(grant), reason: 'code_replayed' },
          { emit },
          (endedAt) => grants.revokeReplayedCode(grant.grantId, presentedCode, endedAt),
        ));
      if (wasReplayed) throw invalidCode('code_used', 'used before: the grant is revoked now');

      // If an unused code cannot be redeemed, an unacknowledged redemption may just have been undone
      // (`undo-unacknowledged-writes.ts`). Nobody got those tokens: the code is valid again.
      const reread = code.usedAt === undefined ? null : await grants.find(grant.grantId);
      if (reread?.code !== undefined && reread.code.usedAt === undefined) {
        const second = await redeem(reread);
        if (second !== undefined) return second;
      }

      if (code.usedAt !== undefined) throw invalidCode('code_used', 'used before, and revoked');
      if (code.expiresAt <= now) throw invalidCode('code_expired', 'expired');
      throw grant.blockedAt === undefined
        ? invalidCode('code_revoked', 'revoked')
        : invalidCode('client_blocked', 'its client is blocked');
    };
  },
};

/**
 * One description for every cause: somebody who tries codes must not learn the cause. The reason and the detail are for
 * the log and the client's developers.
 */
function invalidCode(reason: FailureReason, detail: string): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the authorization code is invalid, expired, revoked, or does not match the redirect URI, the code verifier, the key or the client',
    { reason, detail },
  );
}
