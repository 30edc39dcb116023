import { blockedDomains } from '../../core/clients/domain-trust.js';
import type { GrantTypeDependencies } from '../../core/grant-types/grant-type.js';
import {
  confirmArrival,
  findAccessToken,
  findInactiveReason,
} from '../../core/grants/stored-access-token.js';
import { isStateless } from '../../core/grants/tokens/access-tokens.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';

/** An access token of this server that can be used now, with the grant that it is of. */
export type LiveToken = Awaited<ReturnType<typeof readLiveToken>>;

/**
 * @throws OAuthError invalid_request if it is not one: RFC 8693 §2.2.2 has this code for tokens that are invalid for any
 *   reason
 */
export async function readLiveToken(
  { accessTokens, grants, settings }: GrantTypeDependencies,
  token: string,
  now: Date,
) {
  const presented = await accessTokens.read(token, now);
  // nothing that is stored could end what came of it
  if (isStateless(presented)) throw invalidSubjectToken('stored nowhere');
  const grant = presented && (await grants.find(presented.grantId));
  const found = grant && findAccessToken(grant, presented.hash);
  if (!presented || !grant || !found) throw invalidSubjectToken('unknown, or not an access token');
  const problem = findInactiveReason(grant, found, { isBlockedDomain: blockedDomains(settings), now });
  if (problem !== undefined) throw invalidSubjectToken(problem);
  // RFC 8693 §2.2.2: unacceptable by policy. A token that a user has made for one program makes no other tokens, not
  // even for a resource that was called with it. It is no actor token either, because no client is registered for it.
  if (grant.namedToken !== undefined)
    throw invalidRequest(
      'a personal access token or service token cannot be exchanged',
      'exchange_not_allowed',
    );
  await confirmArrival(grants, grant, presented.hash);
  // the hashes of the tokens that it came of, and last its own; and the clients through which it came
  const { lineage = [presented.hash], through = [] } = found.exchanged ?? {};
  return { ...found, presented, grant, lineage, through };
}

/** One text for every cause: somebody who tries tokens must not learn which it was. */
export function invalidSubjectToken(
  detail: string,
  reason: FailureReason = 'subject_token_invalid',
): OAuthError {
  return invalidRequest('a token of the request is invalid, expired or revoked', reason, { detail });
}
