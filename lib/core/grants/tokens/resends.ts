import { MAX_CODE_GRACE } from '../../../settings/options/token-options.js';
import type { Settings } from '../../../settings/settings.js';
import { seal, unseal } from '../../../shared/crypto/seal.js';
import { equalText } from '../../../shared/crypto/secrets.js';
import { OAuthError } from '../../../shared/errors.js';
import { parseScope } from '../../../shared/protocol/scope.js';
import { stillRegisteredDetails } from '../../authorization-details/compare-details.js';
import { stillRegisteredScopes } from '../../clients/resolve-scopes.js';
import type { Grant, StoredAccessToken, StoredResend } from '../grant.js';
import type { GrantStore } from '../grant-store.js';
import type { TokenResponse } from './token-issuer.js';
import type { IssueContext, TokenSpec } from './token-plan.js';

/** What was redeemed for a response; the key that seals the response is derived from it. */
const PURPOSES = {
  refreshToken: 'refresh resend',
  authorizationCode: 'code resend',
  deviceCode: 'device code resend',
} as const;

/** A request that redeems a code or a refresh token, as far as a second one must be like it. */
export interface RedeemingRequest {
  readonly grantId: string;
  /** The code or refresh token as the client presented it. */
  readonly secret: string;
  readonly hash: string;
  /** What the request asks for, by `requestFingerprint`. */
  readonly fingerprint: string;
  /** Seconds in which a lost response is sent again, or until its tokens are used. 0: not at all. */
  readonly grace: Settings['tokens']['reuseGrace'];
}

interface StoredResponse {
  readonly fingerprint: string;
  readonly response: TokenResponse;
}

/**
 * Sends a response again that was lost on its way to the client, within `tokens.reuseGrace`. What is stored of the
 * response can be opened only with the code or refresh token that was redeemed for it.
 */
export function createResends(
  presented: keyof typeof PURPOSES,
  { settings, grants }: { readonly settings: Settings; readonly grants: GrantStore },
) {
  const sealingOf = ({ grantId, secret }: RedeemingRequest) => ({
    secret,
    owner: grantId,
    purpose: PURPOSES[presented],
  });

  return {
    /**
     * What to store with the new tokens so that their response can be sent again. Undefined if there is no grace. Also
     * undefined if the grace is a time and the previous response was sent again: otherwise a thief who repeats each
     * refresh of the client would stay unnoticed. With `'untilUsed'` the client's own use ends the grace.
     */
    async prepare(
      request: RedeemingRequest,
      { now }: IssueContext,
      tokens: {
        readonly response: TokenResponse;
        readonly accessToken: StoredAccessToken;
        readonly previous?: StoredResend | undefined;
      },
    ): Promise<StoredResend | undefined> {
      const { response, accessToken, previous } = tokens;
      const { grace, hash, fingerprint } = request;
      if (grace === 0 || (grace !== 'untilUsed' && previous?.isAnswered === true)) return undefined;
      const stored: StoredResponse = { fingerprint, response };
      const sealed = await seal(JSON.stringify(stored), sealingOf(request));
      const resend = { hash, sealed, rotatedAt: now };
      return grace === 'untilUsed' ? { ...resend, accessTokenHash: accessToken.hash } : resend;
    },
    /**
     * The response that an equal request got before; undefined if there was none, or this one comes too late. Its
     * `expires_in` is 0 if the access token in the response has expired meanwhile.
     *
     * @param read the grant as it was read, if the code or token was redeemed by then; without it the grant is read now,
     *   since another request, perhaps in another process, was a moment faster
     * @throws OAuthError invalid_scope if the client has lost one of its scopes since; invalid_dpop_proof if the request
     *   has no proof of its own
     */
    async find(
      request: RedeemingRequest,
      { client, proof, now }: IssueContext,
      read?: Grant,
    ): Promise<TokenResponse | undefined> {
      // the grace as it is now: a site that removes it removes it for stored responses, too
      const { grace, grantId, hash, fingerprint } = request;
      if (grace === 0) return undefined;
      const grant = read ?? (await grants.find(grantId));
      const stored = grant?.revokedAt === undefined ? grant?.resend : undefined;
      if (stored === undefined || !equalText(stored.hash, hash)) return undefined;
      const elapsed = Math.max(0, now.getTime() - stored.rotatedAt.getTime()) / 1000;
      const maxUnused = presented === 'refreshToken' ? Infinity : MAX_CODE_GRACE;
      // the process that stored it may have a clock that is behind: a client that comes in time is no thief
      const max = grace === 'untilUsed' ? maxUnused : grace + settings.security.clockTolerance;
      // a response that was stored for a time is not good for longer once the option says 'untilUsed'
      const isOver =
        grace === 'untilUsed' && (stored.accessTokenHash === undefined || stored.isUsed === true);
      if (elapsed >= max || isOver) return undefined;
      const opened = JSON.parse(await unseal(stored.sealed, sealingOf(request))) as StoredResponse;
      if (opened.fingerprint !== fingerprint) return undefined;

      // what the client has lost since is not sent again
      const { response } = opened;
      const { scope, authorization_details: details = [] } = response;
      const scopes = scope === undefined ? [] : parseScope(scope);
      if (stillRegisteredScopes(scopes, client, settings).length < scopes.length)
        throw new OAuthError(
          'invalid_scope',
          'the client is not registered for all of these scopes any more',
          { reason: 'scope_not_registered' },
        );
      if (stillRegisteredDetails(details, client, settings).length < details.length)
        throw new OAuthError(
          'invalid_authorization_details',
          'the client may not have all of these authorization_details any more',
          { reason: 'authorization_details_not_registered' },
        );

      // RFC 9449 §11.1: somebody who has only overheard the first request cannot send it again
      await proof?.use();
      if (stored.isAnswered !== true && !(await grants.markResent(grantId, hash))) return undefined;
      return { ...response, expires_in: Math.max(0, Math.floor(response.expires_in - elapsed)) };
    },
  };
}

/**
 * Requests with the same names (scopes, resources), details and key are the same request. A request that got a response
 * names one resource at most (RFC 8707 §2.2), so the order of resources does not matter.
 */
export function requestFingerprint(
  names: readonly string[],
  { proof, authorizationDetails }: Pick<IssueContext & TokenSpec, 'proof' | 'authorizationDetails'>,
): string {
  const details = authorizationDetails === undefined ? [] : [JSON.stringify(authorizationDetails)];
  const keys = [proof?.jkt, proof?.x5tS256].filter((key) => key !== undefined);
  return [...names, ...keys, ...details].join(' ');
}
