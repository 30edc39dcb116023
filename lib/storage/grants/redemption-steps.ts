import type { Authorization, Grant, RefreshTokenHashes, TokenWrite } from '../../core/grants/grant.js';
import type { GrantBefore, GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { type GrantDocument, NOT_REVOKED, toGrant, USABLE } from './grant-document.js';

/** A grant keeps this many live access tokens (the oldest goes first), so it cannot grow without bound. */
const MAX_ACCESS_TOKENS = 10;
/** Seconds by which a poll that comes too soon makes the interval longer (RFC 8628 §3.5). */
const SLOW_DOWN = 5;
/** Milliseconds by which the network may bring two polls closer to each other than they were sent. */
const POLL_TOLERANCE = 1000;

/** What codes, device codes and refresh tokens do to their grant; a part of the store of grants. */
export function createRedemptions(grants: Collection<GrantDocument>) {
  const revoke = (filter: object, now: Date) =>
    grants.updateOne({ ...filter, ...NOT_REVOKED }, { $set: { revokedAt: now } });

  return {
    redeemCode: ({ grantId }, { kind, hash }, { accessToken, refreshToken, resend, now, expiresAt }) =>
      grants.updateOne(
        {
          _id: grantId,
          [`${kind}.hash`]: hash,
          [`${kind}.usedAt`]: { $exists: false },
          [`${kind}.expiresAt`]: { $gt: now },
          ...(kind === 'device' && { 'device.decision': 'allow' }),
          ...USABLE,
        },
        {
          $set: {
            [`${kind}.usedAt`]: now,
            renewedAt: now,
            accessTokens: [accessToken],
            expiresAt,
            refreshToken,
            resend,
          },
        },
      ),
    revokeReplayedCode: (id, { kind, hash }, now) =>
      revoke({ _id: id, [`${kind}.hash`]: hash, [`${kind}.usedAt`]: { $exists: true } }, now),

    async pollDeviceCode({ grantId, hash, clientId }, now) {
      const filter = { _id: grantId, clientId, 'device.hash': hash };
      const interval = {
        $add: ['$device.interval', { $cond: ['$device.isTooSoon', SLOW_DOWN, 0] }],
      };
      const nextPollAt = { $add: [now, { $multiply: ['$device.interval', 1000] }, -POLL_TOLERANCE] };
      // a pipeline: the new interval depends on the stored one, and two polls at once must both count
      const polled = await grants.findOneAndUpdate(filter, [
        { $set: { 'device.isTooSoon': { $gt: ['$device.nextPollAt', now] } } },
        { $set: { 'device.interval': interval } },
        { $set: { 'device.nextPollAt': nextPollAt } },
      ]);
      return polled && toGrant(polled);
    },
    /** Stores the user's decision; false if somebody has decided before, or the code has expired or was revoked. */
    decideDeviceCode: (
      id: string,
      {
        decision,
        userId,
        ...authorization
      }: Omit<Authorization, 'resources'> & { readonly userId: string; readonly decision: 'allow' | 'deny' },
      now: Date,
    ) =>
      grants.updateOne(
        {
          _id: id,
          'device.decision': { $exists: false },
          'device.expiresAt': { $gt: now },
          ...NOT_REVOKED,
        },
        {
          $set: {
            'device.decision': decision,
            userId,
            ...Object.fromEntries(
              Object.entries(authorization).map(([name, value]) => [`authorization.${name}`, value]),
            ),
          },
        },
      ),

    storeRefresh: (
      { grantId, resend: previous },
      { hash, familyHash },
      { accessToken, refreshToken, resend, now, expiresAt },
    ) =>
      grants.updateOne(
        {
          _id: grantId,
          'refreshToken.hash': hash,
          'refreshToken.expiresAt': { $gt: now },
          // a new access token for a response that was lost: nobody has used or renewed that response meanwhile
          ...(resend !== undefined &&
            refreshToken?.hash === hash && {
              'resend.accessTokenHash': previous?.accessTokenHash,
              'resend.isUsed': { $exists: false },
            }),
          ...USABLE,
        },
        {
          $set: { refreshToken, expiresAt, renewedAt: now, resend },
          ...(resend === undefined && { $unset: { resend: '' } }),
          $push: {
            accessTokens: { $each: [accessToken], $slice: -MAX_ACCESS_TOKENS },
            // a token of another server has no family: its reuse is recognized by itself
            ...(familyHash === undefined && refreshToken?.hash !== hash && { usedRefreshTokens: hash }),
          },
        },
      ),
    markResent: (id, refreshTokenHash) =>
      grants.updateOne(
        { _id: id, 'resend.hash': refreshTokenHash, ...NOT_REVOKED },
        { $set: { 'resend.isAnswered': true } },
      ),
    endResend: (id, accessTokenHash) =>
      grants.updateOne(
        { _id: id, 'resend.accessTokenHash': accessTokenHash, 'resend.isUsed': { $exists: false } },
        // whoever has the response has its tokens: the step that stored them is not undone either
        { $set: { 'resend.isUsed': true, 'resend.isAnswered': true } },
      ),
    revokeReusedRefreshToken: (id, token, now) =>
      revoke({ _id: id, ...relationOf(token), 'refreshToken.hash': { $ne: token.hash } }, now),
    revokeByRefreshToken: ({ grantId, clientId, ...token }, now) =>
      revoke({ _id: grantId, clientId, $or: [{ 'refreshToken.hash': token.hash }, relationOf(token)] }, now),

    // what became of a step whose answer was lost, and undoing steps whose tokens were given to nobody
    /**
     * Whether these tokens are stored in a grant that is live, as the majority of the database knows: a write that
     * changes nothing, since a read would see what a failover may take back. False also if newer access tokens have
     * pushed them out.
     */
    confirmTokens: ({ grantId }: Pick<Grant, 'grantId'>, { accessToken, now }: TokenWrite) =>
      grants.updateOne(
        { _id: grantId, 'accessTokens.hash': accessToken.hash, ...NOT_REVOKED },
        { $max: { renewedAt: now } },
      ),
    /**
     * Makes a grant what it was before a redemption or rotation whose tokens were given to nobody: its code is good
     * again, or the previous refresh token is the active one. False if that step was not done, its response was sent
     * again (`markResent`) or its refresh token replaced since, or the grant is revoked.
     */
    undoTokens(before: GrantBefore, { accessToken, refreshToken }: TokenWrite) {
      const { grantId, refreshToken: previous, resend, renewedAt, expiresAt, code, device } = before;
      return grants.updateOne(
        {
          _id: grantId,
          'accessTokens.hash': accessToken.hash,
          ...NOT_REVOKED,
          ...(refreshToken && { 'refreshToken.hash': refreshToken.hash }),
          'resend.isAnswered': { $ne: true },
        },
        {
          ...setOrUnset({
            refreshToken: previous,
            expiresAt,
            renewedAt,
            resend,
            'code.usedAt': code?.usedAt,
            'device.usedAt': device?.usedAt,
          }),
          $pull: {
            accessTokens: { hash: accessToken.hash },
            ...(previous && previous.familyHash === undefined && { usedRefreshTokens: previous.hash }),
          },
        },
      );
    },
  } satisfies Partial<GrantStore> & Record<string, unknown>;
}

/** How a grant recognizes its refresh tokens, even used ones: by their family, or one by one if another server made them. */
function relationOf({ hash, familyHash }: RefreshTokenHashes): Readonly<Record<string, string>> {
  return familyHash === undefined ? { usedRefreshTokens: hash } : { 'refreshToken.familyHash': familyHash };
}
