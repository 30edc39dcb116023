import type { OAuthError } from '../../shared/errors.js';
import type { Grant } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import type { RedeemingRequest, Resends } from '../grants/tokens/resends.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import { reloadIfUndone } from '../grants/undo-unacknowledged-writes.js';
import type { TokenContext } from './grant-type.js';

/** A code or a refresh token with its grant, as a client presents it. */
export interface PresentedSecret extends RedeemingRequest {
  readonly grant: Grant;
}

/** What a code and a refresh token, each good for one request, do differently. */
interface Redemption<Presented extends PresentedSecret> {
  /** Whether it was redeemed before, as far as the grant tells. */
  readonly isRedeemed: (grant: Grant) => boolean;
  /**
   * Generates tokens and stores them in one step; undefined if another request was faster, or it is no longer valid.
   */
  readonly redeem: (presented: Presented) => Promise<TokenResponse | undefined>;
  readonly resends: Resends;
  /** Ends the grant if it was redeemed before. @throws OAuthError invalid_grant if so */
  readonly revokeIfReused: (presented: Presented) => Promise<void>;
  /** Why it is refused if it was not redeemed before. */
  readonly refusal: (grant: Grant) => OAuthError;
}

/**
 * Redeems a code or a refresh token once. A second request gets the response again if the first one was lost, within
 * `tokens.reuseGrace`; otherwise it ends the grant.
 *
 * @throws OAuthError invalid_grant
 * @see RFC 6749 §4.1.2, RFC 9700 §4.14.2
 */
export async function redeemOnce<Presented extends PresentedSecret>(
  grants: Pick<GrantStore, 'find'>,
  presented: Presented,
  context: TokenContext,
  { isRedeemed, redeem, resends, revokeIfReused, refusal }: Redemption<Presented>,
): Promise<TokenResponse> {
  // redeem, or send a lost response again; else revoke if reused; else once more if undone meanwhile; else refuse
  const redeemOrResend = async (read: Presented) =>
    isRedeemed(read.grant)
      ? resends.find(read, context, read.grant)
      : ((await redeem(read)) ?? (await resends.find(read, context)));

  const response = await redeemOrResend(presented);
  if (response !== undefined) return response;
  await revokeIfReused(presented);
  // the database did not answer an earlier redemption, which has been undone since. Nobody got its tokens, so this
  // request may redeem
  const grant = await reloadIfUndone(grants, presented.grant, isRedeemed);
  const secondTry = grant && (await redeemOrResend({ ...presented, grant }));
  if (secondTry === undefined) throw refusal(presented.grant);
  return secondTry;
}
