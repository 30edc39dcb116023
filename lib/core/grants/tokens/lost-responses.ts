import { MAX_CODE_GRACE } from '../../../settings/options/token-options.js';
import type { Settings } from '../../../settings/settings.js';
import { seal, unseal } from '../../../shared/crypto/seal.js';
import { equalText } from '../../../shared/crypto/secrets.js';
import { OAuthError } from '../../../shared/errors.js';
import { parseScope } from '../../../shared/protocol/scope.js';
import { stillRegisteredDetails } from '../../authorization-details/compare-details.js';
import { stillRegisteredScopes } from '../../clients/resolve-scopes.js';
import type { Grant, StoredResend } from '../grant.js';
import type { GrantStore } from '../grant-store.js';
import type { GeneratedTokens, TokenResponse } from './token-issuer.js';
import type { IssueContext, TokenSpec } from './token-plan.js';

/** What was redeemed for a response; the key that seals the response is derived from it. */
const PURPOSES = {
  refreshToken: 'refresh resend',
  authorizationCode: 'code resend',
  deviceCode: 'device code resend',
} as const;

/** A request that redeems a code or a refresh token. */
interface RedeemingRequest {
  readonly grantId: string;
  /** The code or refresh token as the client presented it. */
  readonly value: string;
  readonly hash: string;
  /** What the request names: scopes and resources. */
  readonly names: readonly string[];
  /** Seconds in which a lost response is sent again, or until its tokens are used. 0: not at all. */
  readonly grace: Settings['tokens']['reuseGrace'];
}

interface SealedResponse {
  readonly fingerprint: string;
  readonly response: TokenResponse;
}

/**
 * A response may get lost on its way to the client, which then repeats its request. Within `tokens.reuseGrace` it gets
 * the same response again. What is stored of the response can be opened only with the code or refresh token that was
 * redeemed for it.
 */
export function createLostResponses(
  redeems: keyof typeof PURPOSES,
  { settings, grants }: { readonly settings: Settings; readonly grants: GrantStore },
) {
  return (
    { grantId, value, hash, names, grace }: RedeemingRequest,
    context: IssueContext & Pick<TokenSpec, 'authorizationDetails'>,
  ) => {
    const { client, proof, now } = context;
    const sealKey = { secret: value, owner: grantId, purpose: PURPOSES[redeems] };
    // Requests with the same names, details and key are the same request. A request that got a response names one
    // resource at most (RFC 8707 §2.2), so the order of resources does not matter.
    const details = context.authorizationDetails && JSON.stringify(context.authorizationDetails);
    const fingerprint = [...names, proof?.jkt, proof?.x5tS256, details]
      .filter((part) => part !== undefined)
      .join(' ');

    return {
      /**
       * What to store with the new tokens so that their response can be sent again. Undefined if there is no grace. Also
       * undefined if the grace is a time and the previous response was sent again: otherwise a thief who repeats each
       * refresh of the client would stay unnoticed. With `'untilUsed'` the client's own use ends the grace.
       */
      async seal(
        { write, response }: Pick<GeneratedTokens, 'write' | 'response'>,
        previous?: StoredResend,
      ): Promise<StoredResend | undefined> {
        if (grace === 0 || (grace !== 'untilUsed' && previous?.isAnswered === true)) return undefined;
        const sealed = await seal(
          JSON.stringify({ fingerprint, response } satisfies SealedResponse),
          sealKey,
        );
        const accessTokenHash = grace === 'untilUsed' ? write.accessToken.hash : undefined;
        return { hash, sealed, rotatedAt: now, accessTokenHash };
      },
      /**
       * The response that an equal request got before; undefined if there was none, or this one comes too late. Its
       * `expires_in` is 0 if the access token in the response has expired meanwhile.
       *
       * @param read the grant as it was read, if the code or token was redeemed by then; without it the grant is read
       *   now, since another request, perhaps in another process, was a moment faster
       * @throws OAuthError invalid_scope if the client has lost one of its scopes since; invalid_dpop_proof if the
       *   request has no proof of its own
       */
      async find(read?: Grant): Promise<TokenResponse | undefined> {
        // the grace as it is now: a site that removes it removes it for stored responses, too
        if (grace === 0) return undefined;
        const grant = read ?? (await grants.find(grantId));
        const stored = grant?.revokedAt === undefined ? grant?.resend : undefined;
        if (stored === undefined || !equalText(stored.hash, hash)) return undefined;
        const elapsed = Math.max(0, now.getTime() - stored.rotatedAt.getTime()) / 1000;
        const maxUnused = redeems === 'refreshToken' ? Infinity : MAX_CODE_GRACE;
        // the process that stored it may have a clock that is behind: a client that comes in time is no thief
        const max = grace === 'untilUsed' ? maxUnused : grace + settings.security.clockTolerance;
        // a response that was stored for a time is not good for longer once the option says 'untilUsed'
        const isOver =
          grace === 'untilUsed' && (stored.accessTokenHash === undefined || stored.isUsed === true);
        if (elapsed >= max || isOver) return undefined;
        const opened = JSON.parse(await unseal(stored.sealed, sealKey)) as SealedResponse;
        if (opened.fingerprint !== fingerprint) return undefined;

        // what the client has lost since is not sent again
        const { response } = opened;
        const { scope, authorization_details: granted = [] } = response;
        const scopes = scope === undefined ? [] : parseScope(scope);
        if (stillRegisteredScopes(scopes, client, settings).length < scopes.length)
          throw new OAuthError(
            'invalid_scope',
            'the client is not registered for all of these scopes any more',
            { reason: 'scope_not_registered' },
          );
        if (stillRegisteredDetails(granted, client, settings).length < granted.length)
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
  };
}
