import type { TokenWrite } from '../../core/grants/grant.js';
import type { GrantBefore, UndoSteps } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** Confirms or takes back a step of a grant whose answer was lost; a part of the store of grants. */
export function createUndoSteps(grants: Collection<GrantDocument>): UndoSteps {
  return {
    // a write that changes nothing: a read would see what a failover may take back
    confirmTokens: (grant, tokens) =>
      grants.updateOne(liveWith(grant, tokens), { $max: { renewedAt: tokens.now } }),
    undoFirstTokens: (grant, tokens) =>
      grants.updateOne(unseen(grant, tokens), {
        $set: { accessTokens: [], expiresAt: grant.expiresAt },
        $unset: {
          'code.usedAt': '',
          'device.usedAt': '',
          refreshToken: '',
          resend: '',
          renewedAt: '',
        },
      }),
    undoRotation: (grant, tokens) => {
      const { refreshToken, resend, renewedAt, expiresAt } = grant;
      return grants.updateOne(unseen(grant, tokens), {
        ...settingOrUnsetting({ refreshToken, expiresAt, renewedAt, resend }),
        $pull: {
          accessTokens: { hash: tokens.accessToken.hash },
          ...(refreshToken?.familyHash === undefined && { usedRefreshTokens: refreshToken?.hash }),
        },
      });
    },
  };
}

/**
 * Matches a live grant whose tokens no answer has contained, not even one that was sent again, and whose refresh token
 * was not replaced since.
 */
function unseen(grant: GrantBefore, tokens: TokenWrite): Readonly<Record<string, unknown>> {
  const { refreshToken } = tokens;
  return {
    ...liveWith(grant, tokens),
    ...(refreshToken && { 'refreshToken.hash': refreshToken.hash }),
    'resend.isAnswered': { $ne: true },
  };
}

/** Matches a live grant that has these tokens. */
function liveWith(
  { grantId }: Pick<GrantBefore, 'grantId'>,
  { accessToken }: TokenWrite,
): Readonly<Record<string, unknown>> {
  return {
    _id: grantId,
    'accessTokens.hash': accessToken.hash,
    revokedAt: { $exists: false },
  };
}

/** An update after which a document has these fields, and none of those that are undefined. */
function settingOrUnsetting(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields);
  const gone = entries.filter(([, value]) => value === undefined).map(([name]) => [name, '']);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(gone.length > 0 && { $unset: Object.fromEntries(gone) as Record<string, ''> }),
  };
}
