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

/** The purpose of the key that seals a response, by the code or token that was redeemed. */
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
  /** The scopes and resources of the request. */
  readonly names: readonly string[];
  /** Seconds in which a lost response is sent again, or `'untilUsed'`: until its tokens are used. 0: never. */
  readonly grace: Settings['tokens']['reuseGrace'];
}

interface SealedResponse {
  readonly fingerprint: string;
  readonly response: TokenResponse;
}

/**
 * A response may get lost on its way to the client, which then repeats its request. Within `tokens.reuseGrace` the
 * client gets the same response again. Only the redeemed code or refresh token opens the stored response.
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
       * The sealed response, to be stored with the new tokens. Undefined if there is no grace. Also undefined if the
       * grace is a time and the previous response was sent again: otherwise a thief who repeats each refresh of the
       * client would stay unnoticed. With `'untilUsed'` the client's own use ends the grace.
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
       * The response to an earlier equal request; undefined if there was none, or this request comes too late. Its
       * `expires_in` is 0 if the access token has expired meanwhile.
       *
       * @param read the grant, if the code or token was already redeemed when the request read it. Otherwise a
       * concurrent request, perhaps in another process, was faster, and the grant is read now
       * @throws OAuthError invalid_scope if the client has lost one of the scopes since; invalid_dpop_proof if the
       * request repeats its proof
       */
      async find(read?: Grant): Promise<TokenResponse | undefined> {
        // the current grace: a site that removes it removes it for stored responses, too
        if (grace === 0) return undefined;
        const grant = read ?? (await grants.find(grantId));
        const stored = grant?.revokedAt === undefined ? grant?.resend : undefined;
        if (stored === undefined || !equalText(stored.hash, hash)) return undefined;
        const elapsed = Math.max(0, now.getTime() - stored.rotatedAt.getTime()) / 1000;
        const maxUnused = redeems === 'refreshToken' ? Infinity : MAX_CODE_GRACE;
        // the process that stored the response may have a slow clock: a client in time is no thief
        const max = grace === 'untilUsed' ? maxUnused : grace + settings.security.clockTolerance;
        // a response that was stored with a time as its grace is not sent again once the option is 'untilUsed'
        const isOver =
          grace === 'untilUsed' && (stored.accessTokenHash === undefined || stored.isUsed === true);
        if (elapsed >= max || isOver) return undefined;
        const opened = JSON.parse(await unseal(stored.sealed, sealKey)) as SealedResponse;
        if (opened.fingerprint !== fingerprint) return undefined;

        // scopes and details that the client has lost since are not sent again
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

        // RFC 9449 §11.1: an eavesdropper of the first request cannot send it again
        await proof?.use();
        if (stored.isAnswered !== true && !(await grants.markResent(grantId, hash))) return undefined;
        return { ...response, expires_in: Math.max(0, Math.floor(response.expires_in - elapsed)) };
      },
    };
  };
}
