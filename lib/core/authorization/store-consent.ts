import { withImplied, withImpliers } from '../../shared/protocol/implied-scopes.js';
import { toConsent } from '../../shared/protocol/resource.js';
import { consentAfter } from '../authorization-details/consent-after.js';
import { questionsOf } from '../authorization-details/selectable-choices.js';
import type { GrantConstraints } from '../authorization-details/selections.js';
import type { ConsentStore } from '../grants/consent-store.js';
import { expandClaimScopes } from './claim-scopes.js';
import type { AuthenticatedContext } from './interaction.js';
import type { FinalDecision } from './pending-decisions.js';

type Consents = Pick<ConsentStore, 'findOfUser' | 'remember' | 'withdraw'>;
type ConsentRules = Parameters<typeof expandClaimScopes>[0] &
  Parameters<typeof questionsOf>[1] &
  Parameters<typeof consentAfter>[2];
type Decided = Pick<AuthenticatedContext, 'request' | 'userId' | 'now'> & {
  readonly constraints: GrantConstraints;
};

/**
 * Stores what the user has allowed, and removes from the stored consent what they have refused. Nothing is stored of
 * a decision that the user wants to make each time.
 */
export async function storeConsent(
  consents: Consents,
  decided: Decided,
  decision: FinalDecision,
  settings: ConsentRules,
): Promise<void> {
  if (decision.decision === 'cancel') return;
  const { request, userId, now, constraints } = decided;
  const { client, resources } = request;
  const isStored = decision.decision === 'allow' && decision.isAskedEachTime !== true;
  const requested = toConsent(scopesToReplace(request.scopes, decision, settings), resources);
  const details = await detailsToStore(
    consents,
    { ...decided, constraints: isStored ? constraints : {} },
    settings,
  );
  if (!isStored) return consents.withdraw(userId, client.clientId, { requested, ...details, now });
  const { clientId, name: clientName, mayAct = [] } = client;
  await consents.remember(userId, clientId, {
    requested,
    allowed: toConsent(decision.scopes, resources),
    ...details,
    ...(mayAct.length > 0 && { mayAct }),
    clientName,
    now,
  });
}

/**
 * The scopes whose stored consent this decision replaces: those of the request, and scopes allowed before that include
 * a refused one. They would silently give it the next time.
 */
function scopesToReplace(
  requested: readonly string[],
  { scopes, ...decision }: Exclude<FinalDecision, { decision: 'cancel' }>,
  settings: ConsentRules,
): readonly string[] {
  const { impliedScopes } = expandClaimScopes(settings, requested);
  const allowed = decision.isAskedEachTime === true ? [] : withImplied(scopes, impliedScopes);
  const refused = requested.filter((scope) => !allowed.includes(scope));
  return [...new Set([...requested, ...withImpliers(refused, impliedScopes)])];
}

/** The stored details and choices after this decision; empty if none were requested, so that nothing changes. */
async function detailsToStore(
  consents: Consents,
  { request, userId, constraints }: Decided,
  settings: ConsentRules,
): Promise<GrantConstraints> {
  if (request.authorizationDetails.length + questionsOf(request, settings).length === 0) return {};
  const [before = {}] = await consents.findOfUser(userId, [request.client.clientId]);
  return consentAfter(before, { requested: request, constraints }, settings);
}
