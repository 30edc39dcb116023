import { seal, unseal } from '../../../shared/crypto/seal.js';
import { equalText } from '../../../shared/crypto/secrets.js';
import type { Client } from '../../clients/client.js';
import type { Grant, StoredResend } from '../grant.js';
import type { TokenResponse } from './token-issuer.js';

/** What a response was given for. The names stay as they were first stored: keys are made from them. */
const PURPOSES = { refreshToken: 'refresh replay', authorizationCode: 'code replay' } as const;

/** The part of a token request that its repetition must have in common. */
export interface RepeatableRequest {
  readonly client: Client;
  readonly grantId: string;
  /** The refresh token or the code as it was presented. */
  readonly secret: string;
  readonly hash: string;
  /** What it asked for (scope and the like), as one text. */
  readonly asked: string;
  readonly now: Date;
}

interface Answered {
  readonly asked: string;
  readonly response: TokenResponse;
}

/** Sends a lost response again. What is stored of it is opened only by the code or token that was used up for it. */
export interface Resends {
  /**
   * What to store with the new tokens; undefined if there is no grace, or the previous response was sent again:
   * otherwise a thief and the client who take turns would never be noticed.
   */
  prepare(
    request: RepeatableRequest,
    response: TokenResponse,
    before: StoredResend | undefined,
  ): Promise<StoredResend | undefined>;
  /**
   * The response to the request that this one repeats, from a live grant; undefined if it repeats none, or comes too
   * late.
   */
  find(request: RepeatableRequest, grant: Grant | null): Promise<TokenResponse | undefined>;
}

/** @param graceOf seconds in which a repetition by a client is answered */
export function createResends(of: keyof typeof PURPOSES, graceOf: (client: Client) => number): Resends {
  const keyOf = ({ grantId, secret }: RepeatableRequest) => ({
    secret,
    owner: grantId,
    purpose: PURPOSES[of],
  });
  return {
    async prepare(request, response, before) {
      if (graceOf(request.client) === 0 || before?.isAnswered === true) return undefined;
      const answered: Answered = { asked: request.asked, response };
      return {
        hash: request.hash,
        sealed: await seal(JSON.stringify(answered), keyOf(request)),
        rotatedAt: request.now,
      };
    },
    async find(request, grant) {
      const stored = grant?.revokedAt === undefined ? grant?.resend : undefined;
      if (stored === undefined || !equalText(stored.hash, request.hash)) return undefined;
      // the option as it is now: a host that removes the grace removes it for stored responses, too
      const elapsed = Math.max(0, request.now.getTime() - stored.rotatedAt.getTime()) / 1000;
      if (elapsed >= graceOf(request.client)) return undefined;
      const { asked, response } = JSON.parse(await unseal(stored.sealed, keyOf(request))) as Answered;
      if (asked !== request.asked) return undefined;
      return { ...response, expires_in: Math.max(0, Math.floor(response.expires_in - elapsed)) };
    },
  };
}
