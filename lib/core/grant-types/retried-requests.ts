import { OAuthError } from '../../shared/errors.js';
import { parseScope } from '../../shared/protocol/scope.js';
import { heldDetails } from '../authorization-details/compare-details.js';
import type { Client } from '../clients/client.js';
import { heldScopes } from '../clients/resolve-scopes.js';
import type { Grant } from '../grants/grant.js';
import type { RepeatableRequest, Resends } from '../grants/tokens/idempotent-response.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import type { GrantTypeDependencies, TokenRequest } from './grant-type.js';

/** A request of an authenticated client that may have come before. */
export type Repeated = RepeatableRequest & Pick<TokenRequest, 'proof'>;

/**
 * The response that a request repeats, if it may be sent again; undefined if the secret is presented a second time.
 *
 * @throws OAuthError invalid_scope if the client has lost one of its scopes since; invalid_dpop_proof if it has not made a
 *   proof of its own for this request
 */
export interface Resending {
  /** Goes by the grant as it was just read. */
  from(request: Repeated, grant: Grant | null): Promise<TokenResponse | undefined>;
  /** Goes by the grant as it is now: another request, perhaps in another process, was a moment faster. */
  afresh(request: Repeated): Promise<TokenResponse | undefined>;
}

export function createResending(
  { settings, grants }: Pick<GrantTypeDependencies, 'settings' | 'grants'>,
  resends: Resends,
): Resending {
  const from: Resending['from'] = async (request, grant) => {
    const response = await resends.find(request, grant);
    if (response === undefined) return undefined;
    checkHeld(response, request.client, settings);
    // RFC 9449 §11.1: somebody who has only overheard the first request cannot send it again
    await request.proof?.use();
    const isKnown = grant?.resend?.isAnswered === true;
    return isKnown || (await grants.markResent(request.grantId, request.hash)) ? response : undefined;
  };
  return {
    from,
    afresh: async (request) =>
      settings.reuseGrace === 0 ? undefined : from(request, await grants.find(request.grantId)),
  };
}

/** Refuses to give again what the client has lost since. */
function checkHeld(
  { scope, authorization_details: details = [] }: TokenResponse,
  client: Client,
  settings: GrantTypeDependencies['settings'],
): void {
  const scopes = scope === undefined ? [] : parseScope(scope);
  if (heldScopes(scopes, client, settings).length < scopes.length)
    throw new OAuthError('invalid_scope', 'the client is not registered for all of these scopes any more', {
      reason: 'scope_not_registered',
    });
  if (heldDetails(details, client, settings).length < details.length)
    throw new OAuthError(
      'invalid_authorization_details',
      'the client may not have all of these authorization_details any more',
      { reason: 'authorization_details_not_registered' },
    );
}
