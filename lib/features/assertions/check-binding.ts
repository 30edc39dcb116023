import type { AssertionClaims } from '../../core/grants/asserted-user.js';
import type { Proof } from '../../core/proof-of-possession/binding.js';
import { matchesConfirmation } from '../../core/proof-of-possession/confirmation.js';
import { invalidAssertion } from './assertion.js';

/**
 * An assertion that is bound to a key is good only with a proof of that key.
 *
 * @throws OAuthError invalid_grant
 * @see ID-JAG §8.6.1.2, RFC 7800 §3.1
 */
export function checkBinding({ cnf }: AssertionClaims, proof: Proof | undefined): void {
  if (matchesConfirmation(cnf, proof)) return;
  throw invalidAssertion('bound to a key of which no proof was shown', {
    reason: 'key_mismatch',
    description: 'proof of possession is required for this assertion',
  });
}
