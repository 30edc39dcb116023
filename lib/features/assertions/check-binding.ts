import { type Binding, matchesBinding, type Proof } from '../../core/proof-of-possession/binding.js';
import type { AssertionClaims } from '../../settings/features/assertion-options.js';
import { invalidAssertion } from './assertion.js';

/**
 * An assertion that is bound to a key is good only with a proof of that key; one that is bound in a way that nobody
 * here can check is good for nothing.
 *
 * @throws OAuthError invalid_grant
 * @see ID-JAG §8.6.1.2, RFC 7800 §3.1
 */
export function checkBinding({ cnf }: AssertionClaims, proof: Proof | undefined): void {
  if (cnf === undefined) return;
  const binding = parseConfirmation(cnf);
  if (binding !== undefined && matchesBinding(binding, proof)) return;
  throw invalidAssertion('bound to a key of which no proof was shown', {
    reason: 'key_mismatch',
    description: 'proof of possession is required for this assertion',
  });
}

/** Undefined if it has a member that is not understood here. */
function parseConfirmation(cnf: unknown): Binding | undefined {
  const members = Object.entries((cnf ?? {}) as Readonly<Record<string, unknown>>);
  const isUnderstood = ([name, value]: readonly [string, unknown]) =>
    (name === 'jkt' || name === 'x5t#S256') && typeof value === 'string';
  if (members.length === 0 || !members.every(isUnderstood)) return undefined;
  const { jkt, 'x5t#S256': x5tS256 } = cnf as { readonly jkt?: string; readonly 'x5t#S256'?: string };
  return { ...(jkt !== undefined && { jkt }), ...(x5tS256 !== undefined && { x5tS256 }) };
}
