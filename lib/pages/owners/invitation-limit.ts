import { createFailureLimit, type FailureLimit } from '../../shared/limits/failure-limit.js';
import type { SharedFailures } from '../../shared/limits/shared-failures.js';

/** Per hour: each of them can go to somebody else, to whom it would be a nuisance. */
const MAX_INVITATIONS = 20;

/** Counts the invitations of a user, whatever they are to. */
export function createInvitationLimit(isLimited: boolean, store: SharedFailures): FailureLimit {
  return createFailureLimit(
    isLimited && {
      failures: MAX_INVITATIONS,
      window: 3600,
      counted: 'invitations',
      shared: { name: 'invitations', store },
    },
  );
}
