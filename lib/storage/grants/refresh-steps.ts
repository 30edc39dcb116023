import type { RefreshTokenHashes } from '../../core/grants/grant.js';
import type { RefreshGrants } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** A grant keeps this many live access tokens (the oldest goes first), so it cannot grow without bound. */
const MAX_ACCESS_TOKENS = 10;

/** What refresh tokens do to their grant; a part of the store of grants. */
export function createRefreshGrants(grants: Collection<GrantDocument>): RefreshGrants {
  return {
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
          revokedAt: { $exists: false },
          blockedAt: { $exists: false },
        },
        {
          $set: { refreshToken, expiresAt, renewedAt: now, ...(resend && { resend }) },
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
        { _id: id, 'resend.hash': refreshTokenHash, revokedAt: { $exists: false } },
        { $set: { 'resend.isAnswered': true } },
      ),
    endResend: (id, accessTokenHash) =>
      grants.updateOne(
        { _id: id, 'resend.accessTokenHash': accessTokenHash, 'resend.isUsed': { $exists: false } },
        // whoever has the response has its tokens: the step that stored them is not undone either
        { $set: { 'resend.isUsed': true, 'resend.isAnswered': true } },
      ),
    revokeReusedRefreshToken: (id, token, now) =>
      grants.updateOne(
        {
          _id: id,
          ...relationOf(token),
          'refreshToken.hash': { $ne: token.hash },
          revokedAt: { $exists: false },
        },
        { $set: { revokedAt: now } },
      ),
    revokeByRefreshToken: ({ grantId, clientId, ...token }, now) =>
      grants.updateOne(
        {
          _id: grantId,
          clientId,
          $or: [{ 'refreshToken.hash': token.hash }, relationOf(token)],
          revokedAt: { $exists: false },
        },
        { $set: { revokedAt: now } },
      ),
  };
}

/** How a grant recognizes its own refresh tokens, even used ones: by their family, or one by one if another server made them. */
function relationOf({ hash, familyHash }: RefreshTokenHashes): Readonly<Record<string, string>> {
  return familyHash === undefined ? { usedRefreshTokens: hash } : { 'refreshToken.familyHash': familyHash };
}
