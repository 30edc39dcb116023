import type { Authorization, Grant, RefreshTokenHashes, TokenWrite } from '../../core/grants/grant.js';
import type { GrantStore, PreviousGrant } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { type GrantDocument, NOT_REVOKED, toGrant, USABLE } from './grant-document.js';

/** Maximum number of live access tokens of a grant (the oldest is dropped first), which bounds its size. */
const MAX_ACCESS_TOKENS = 10;
/** Seconds by which a poll that comes too soon lengthens the interval (RFC 8628 §3.5). */
const SLOW_DOWN = 5;
/** Milliseconds by which the network may shorten the interval between two polls. */
const POLL_TOLERANCE = 1000;

/** Updates of a grant by its codes, device codes and refresh tokens; a part of the grant store. */
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
      // a pipeline: the new interval depends on the stored one, and two concurrent polls must both count
      const polled = await grants.findOneAndUpdate(filter, [
        { $set: { 'device.isTooSoon': { $gt: ['$device.nextPollAt', now] } } },
        { $set: { 'device.interval': interval } },
        { $set: { 'device.nextPollAt': nextPollAt } },
      ]);
      return polled && toGrant(polled);
    },
    /** Stores the user's decision; false if there was a decision before, or the code has expired or was revoked. */
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
          // a new access token for a lost response: only if nobody has used or renewed that response meanwhile
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
            // a token of another server has no family, so its hash is stored to detect a reuse
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
        // the sender has the response and its tokens: their update must not be undone either
        { $set: { 'resend.isUsed': true, 'resend.isAnswered': true } },
      ),
    revokeReusedRefreshToken: (id, token, now) =>
      revoke({ _id: id, ...tokenFilter(token), 'refreshToken.hash': { $ne: token.hash } }, now),
    revokeByRefreshToken: ({ grantId, clientId, ...token }, now) =>
      revoke({ _id: grantId, clientId, $or: [{ 'refreshToken.hash': token.hash }, tokenFilter(token)] }, now),

    // updates that confirm or undo an unacknowledged update
    /**
     * Whether these tokens are stored in a live grant, confirmed by the majority of the database: a write without a
     * change, since a read could see data that a failover rolls back. Also false if newer access tokens have displaced
     * them.
     */
    confirmTokens: ({ grantId }: Pick<Grant, 'grantId'>, { accessToken, now }: TokenWrite) =>
      grants.updateOne(
        { _id: grantId, 'accessTokens.hash': accessToken.hash, ...NOT_REVOKED },
        { $max: { renewedAt: now } },
      ),
    /**
     * Undoes a redemption or rotation whose tokens nobody received: the code is valid again, or the previous refresh
     * token is active again. False if the update was not made, its response was sent again (`markResent`) or its
     * refresh token replaced since, or the grant is revoked.
     */
    undoTokens(before: PreviousGrant, { accessToken, refreshToken }: TokenWrite) {
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

/** The condition that recognizes a grant's refresh tokens, even used ones: by family, or by hash without a family. */
function tokenFilter({ hash, familyHash }: RefreshTokenHashes): Readonly<Record<string, string>> {
  return familyHash === undefined ? { usedRefreshTokens: hash } : { 'refreshToken.familyHash': familyHash };
}
