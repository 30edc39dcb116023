import { seal, unseal } from '../crypto/seal.js';
import { equalText } from '../crypto/secrets.js';
import type { StoredReplay } from './grant.js';
import type { TokenResponse } from './token-issuer.js';

const PURPOSE = 'refresh replay';

/** A refresh request as far as its repetition must be the same. */
export interface RefreshRequest {
  readonly grantId: string;
  /** The refresh token as it was presented. */
  readonly refreshToken: string;
  readonly hash: string;
  /** What it asked for, in one text (scope and the like). */
  readonly asked: string;
}

interface Replay {
  readonly asked: string;
  readonly response: TokenResponse;
}

/** How a response that was lost on its way is answered again: only the old refresh token opens what is stored of it. */
export interface RefreshReplays {
  /** What to store with the rotation; undefined where there is no grace. */
  prepare(request: RefreshRequest, response: TokenResponse, now: Date): Promise<StoredReplay | undefined>;
  /** The response of the rotation that this request repeats; undefined where it does not, or too late. */
  find(
    request: RefreshRequest,
    stored: StoredReplay | undefined,
    now: Date,
  ): Promise<TokenResponse | undefined>;
}

/** @param grace seconds in which a repetition is answered */
export function createRefreshReplays(grace: number): RefreshReplays {
  const keyOf = ({ grantId, refreshToken }: RefreshRequest) => ({
    secret: refreshToken,
    owner: grantId,
    purpose: PURPOSE,
  });
  return {
    async prepare(request, response, now) {
      if (grace === 0) return undefined;
      const replay: Replay = { asked: request.asked, response };
      return {
        hash: request.hash,
        sealed: await seal(JSON.stringify(replay), keyOf(request)),
        rotatedAt: now,
      };
    },
    async find(request, stored, now) {
      if (stored === undefined || !equalText(stored.hash, request.hash)) return undefined;
      // the option as it is now: a host that takes the grace away does so for what is stored, too
      const elapsed = Math.max(0, now.getTime() - stored.rotatedAt.getTime()) / 1000;
      if (elapsed >= grace) return undefined;
      const { asked, response } = JSON.parse(await unseal(stored.sealed, keyOf(request))) as Replay;
      if (asked !== request.asked) return undefined;
      return { ...response, expires_in: Math.max(0, Math.floor(response.expires_in - elapsed)) };
    },
  };
}
