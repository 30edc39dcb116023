import { requiresFapi } from '../../core/clients/fapi-profile.js';
import { refuseBlocked, refuseBlockedGrant } from '../../core/clients/status/blocked-client.js';
import { generateTokens, type GrantType } from '../../core/grant-types/grant-type.js';
import { type Grant, grantEventData, type StoredDeviceCode } from '../../core/grants/grant.js';
import { DEVICE_CODE } from '../../core/grants/named-token.js';
import { createLostResponses } from '../../core/grants/tokens/lost-responses.js';
import { parseToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { requireParameter } from '../../shared/protocol/parameters.js';

/**
 * A device polls until the user has decided on another device. One command both answers and counts a poll, so that two
 * polls in the same interval never both pass.
 *
 * @see RFC 8628 §3.4, §3.5
 */
export const deviceCode: GrantType<typeof DEVICE_CODE> = {
  name: DEVICE_CODE,
  openapiFlow: {
    name: 'deviceAuthorization',
    urls: { deviceAuthorizationUrl: 'device_authorization', tokenUrl: 'token', refreshUrl: 'token' },
    since: '3.2',
  },
  takesDetails: true,
  parameters: ['device_code'],
  mayOmitResource: true,
  allowsCachedClient: true,
  connectsDevice: true,
  pendingErrors: ['authorization_pending', 'slow_down'],
  create(dependencies) {
    const { settings, clients, grants, reportChange } = dependencies;
    const lostResponseOf = createLostResponses('deviceCode', dependencies);
    return async (context) => {
      const { client, parameters, proof, now, emit } = context;
      const value = requireParameter(parameters, 'device_code');
      const presented = parseToken('deviceCode', value);
      const grant =
        presented && (await grants.pollDeviceCode({ ...presented, clientId: client.clientId }, now));
      if (presented === null || !grant)
        throw invalidDeviceCode('device_code_unknown', 'unknown, or of another client');
      // as with an authorization code (RFC 9449 §10): checked first, so that a request without the key ends no grant
      if (grant.device?.jkt !== undefined && grant.device.jkt !== proof?.jkt)
        throw invalidDeviceCode('key_mismatch', 'bound to another key');
      refuseBlockedGrant(grant, client);
      const data = grantEventData(grant);
      const code = { kind: 'device', hash: presented.hash } as const;
      // RFC 8628 §3.5: a device whose connection timed out polls again, and may have lost its tokens. FAPI 2.0 Security
      // Profile §5.3.2.2-9 also holds for device codes: a used code is rejected, however soon it comes again
      const grace = requiresFapi(settings, client) ? 0 : settings.tokens.reuseGrace;
      const lostResponse = lostResponseOf({ ...presented, value, names: context.resources, grace }, context);

      const isUsed = ({ device }: Grant) => device?.usedAt !== undefined;
      if (grant.device !== undefined && !isUsed(grant) && grant.revokedAt === undefined) {
        // RFC 8628 §3.5: the device has to wait, or gets no tokens
        const { device } = grant;
        if (device.expiresAt <= now)
          throw new OAuthError('expired_token', 'the device code has expired: begin anew', {
            reason: 'device_code_expired',
          });
        if (device.decision === 'deny')
          throw new OAuthError('access_denied', 'the resource owner denied the request', {
            reason: 'denied_by_user',
            status: 400,
          });
        if (device.decision === undefined) throw stillPending(device);

        // a grant that was stored during the deletion of its client escapes revocation, so the client is read again
        const current = await clients.find(client.clientId);
        if (current === null) throw invalidDeviceCode('client_unknown', 'the client is deleted');
        refuseBlocked(current);
        const tokens = await generateTokens(dependencies, grant, { ...context, client: current });
        const resend = await lostResponse.seal(tokens);
        if (await grants.redeemCode(grant, code, { ...tokens.write, resend })) {
          emit('token.issued', { ...data, scopes: tokens.scopes, grantType: DEVICE_CODE });
          return tokens.response;
        }
      }
      const lost = await lostResponse.find(isUsed(grant) ? grant : undefined);
      if (lost !== undefined) return lost;
      // as with an authorization code (RFC 6749 §4.1.2): a second use means that the code was stolen
      const isReplay =
        grant.revokedAt === undefined &&
        (await reportChange(
          { type: 'grant.revoked', ...data, reason: 'device_code_replayed' },
          { emit },
          (endedAt) => grants.revokeReplayedCode(grant.grantId, code, endedAt),
        ));
      if (!isReplay) {
        // another process has undone a redemption with an unknown outcome (`undo-unacknowledged-writes.ts`): the next
        // poll gets the tokens
        const reread = isUsed(grant) ? await grants.find(grant.grantId) : null;
        if (reread !== null && !isUsed(reread)) throw stillPending({});
        throw invalidDeviceCode('device_code_revoked', 'revoked, or expired meanwhile');
      }
      throw invalidDeviceCode('device_code_used', 'used before: the grant is revoked now');
    };
  },
};

function stillPending({ isTooSoon, interval }: Partial<StoredDeviceCode>): OAuthError {
  if (isTooSoon !== true)
    return new OAuthError('authorization_pending', 'the resource owner has not decided yet: ask again');
  return new OAuthError('slow_down', 'that was too soon: add 5 seconds to the interval and ask again', {
    detail: `the interval is ${interval} s now`,
  });
}

/** One description for every cause: an attacker who guesses codes must not learn the cause. */
function invalidDeviceCode(reason: FailureReason, detail: string): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the device code is invalid, was used or revoked, or was issued to another client',
    { reason, detail },
  );
}
