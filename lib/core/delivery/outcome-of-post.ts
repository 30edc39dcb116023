import { messageOf, OAuthError } from '../../shared/errors.js';
import type { DeliveryOutcome } from './attempt.js';

/** These may succeed the next time; all others below 500 are final. (Back-Channel Logout §2.5, RFC 8935 §2) */
const RECOVERABLE = [408, 425, 429];

/** The answer of a receiver that has not taken a token. */
export class NotTaken extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/** Sends a token once. Resolves in any case; an answer that would be the same the next time is final. */
export async function outcomeOfPost(send: () => Promise<void>): Promise<DeliveryOutcome> {
  try {
    await send();
    return {};
  } catch (error) {
    const problem = error instanceof OAuthError ? (error.detail ?? error.message) : messageOf(error);
    const isRecoverable =
      !(error instanceof NotTaken) || error.status >= 500 || RECOVERABLE.includes(error.status);
    return { problem, ...(!isRecoverable && { isFinal: true }) };
  }
}
