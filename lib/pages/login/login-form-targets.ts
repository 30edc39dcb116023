import type { PendingRequest } from '../../core/authorization/return-path.js';
import { formTargetsOf } from '../rendering/form-targets.js';

/**
 * Where the redirects after the form of our login page may lead.
 *
 * @param pending the request in the return path, as it is
 * @param waitingUris the redirect URIs that the server knows: also of a request that leaves it out or was pushed, and
 * of one that the return cookie keeps
 */
export function loginFormTargetsOf(
  pending: PendingRequest | undefined,
  waitingUris: readonly string[],
): readonly string[] {
  const named = pending === undefined ? [] : [pending.redirectUri];
  return [...new Set([...named, ...waitingUris].flatMap(formTargetsOf))];
}
