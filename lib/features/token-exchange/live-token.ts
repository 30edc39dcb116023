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

/** A valid access token of this server, with its grant. */
export type LiveToken = Awaited<ReturnType<typeof readLiveToken>>;

/** @throws OAuthError invalid_request if the token is not valid for any reason (RFC 8693 §2.2.2) */
export async function readLiveToken(
  { accessTokens, grants, settings }: GrantTypeDependencies,
  token: string,
  now: Date,
) {
  const presented = await accessTokens.read(token, now);
  // no revocation could end the tokens that a stateless token is exchanged for
  if (isStateless(presented)) throw invalidSubjectToken('stored nowhere');
  const grant = presented && (await grants.find(presented.grantId));
  const stored = grant && findAccessToken(grant, presented.hash);
  if (!presented || !grant || !stored) throw invalidSubjectToken('unknown, or not an access token');
  const problem = findInactiveReason(grant, stored, { isBlockedDomain: blockedDomains(settings), now });
  if (problem !== undefined) throw invalidSubjectToken(problem);
  // RFC 8693 §2.2.2: unacceptable by policy. A personal token cannot be exchanged, not even by a resource that was
  // called with it. Nor is it an actor token, because it has no registered client.
  if (grant.namedToken !== undefined)
    throw invalidRequest(
      'a personal access token or service token cannot be exchanged',
      'exchange_not_allowed',
    );
  await confirmArrival(grants, grant, presented.hash);
  // `lineage`: the hashes of the preceding tokens and of this one; `through`: the clients of the exchanges
  const { lineage = [presented.hash], through = [] } = stored.exchanged ?? {};
  return { ...stored, presented, grant, lineage, through };
}

/** The same error for every cause: an attacker who guesses tokens must not learn the cause. */
export function invalidSubjectToken(
  detail: string,
  reason: FailureReason = 'subject_token_invalid',
): OAuthError {
  return invalidRequest('a token of the request is invalid, expired or revoked', reason, { detail });
}
