import type { Settings } from '../../settings/settings.js';
import { withImplied, withImpliers } from '../../shared/protocol/implied-scopes.js';
import { toConsent } from '../../shared/protocol/resource.js';
import { consentAfter } from '../authorization-details/consent-after.js';
import { listQuestions } from '../authorization-details/selectable-choices.js';
import type { GrantConstraints } from '../authorization-details/selections.js';
import type { ConsentStore } from '../grants/consent-store.js';
import { expandClaimScopes } from './claim-scopes.js';
import type { AuthenticatedContext } from './interaction.js';
import type { FinalDecision } from './pending-decisions.js';

/**
 * Stores what the user allowed, and removes what the user refused from the stored consent. A decision that the user
 * wants to make each time is not stored.
 */
export async function storeConsent(
  consents: ConsentStore,
  { request, userId, now, constraints }: AuthenticatedContext & { readonly constraints: GrantConstraints },
  decision: FinalDecision,
  settings: Settings,
): Promise<void> {
  if (decision.decision === 'cancel') return;
  const { client, resources } = request;
  const { clientId, name: clientName, mayAct = [] } = client;
  const isStored = decision.decision === 'allow' && decision.isAskedEachTime !== true;

  // this decision replaces the consent to the scopes of the request, and to stored scopes that include a refused one:
  // they would silently grant the refused scope the next time
  const { impliedScopes } = expandClaimScopes(settings, request.scopes);
  const allowed = decision.isAskedEachTime === true ? [] : withImplied(decision.scopes, impliedScopes);
  const refused = request.scopes.filter((scope) => !allowed.includes(scope));
  const replaced = [...new Set([...request.scopes, ...withImpliers(refused, impliedScopes)])];

  // the stored details and choices change only if the request has some
  let details: GrantConstraints = {};
  if (request.authorizationDetails.length + listQuestions(request, settings).length > 0) {
    const [before = {}] = await consents.findOfUser(userId, [clientId]);
    const decided = { requested: request, constraints: isStored ? constraints : {} };
    details = consentAfter(before, decided, settings);
  }

  const requested = toConsent(replaced, resources);
  if (!isStored) return consents.withdraw(userId, clientId, { requested, ...details, now });
  await consents.remember(userId, clientId, {
    requested,
    allowed: toConsent(decision.scopes, resources),
    ...details,
    ...(mayAct.length > 0 && { mayAct }),
    clientName,
    now,
  });
}
