import { withImplied, withImpliers } from '../../shared/protocol/implied-scopes.js';
import { toConsent } from '../../shared/protocol/resource.js';
import { consentAfter, type DecidedBound } from '../authorization-details/consent-after.js';
import { questionsOf } from '../authorization-details/selectable-choices.js';
import type { GrantConstraints } from '../authorization-details/selections.js';
import type { ConsentStore } from '../grants/consent-store.js';
import { expandClaimScopes } from './claim-scopes.js';
import type { AuthenticatedContext } from './interaction.js';
import type { DecisionOutcome } from './pending-decisions.js';

type Consents = Pick<ConsentStore, 'findOfUser' | 'remember' | 'withdraw'>;
type ConsentRules = Parameters<typeof expandClaimScopes>[0] &
  Parameters<typeof questionsOf>[1] &
  Parameters<typeof consentAfter>[2];

/** Remembers a decision, but nothing that was refused or that the person wants to be asked about again. */
export async function keepConsent(
  consents: Consents,
  {
    request,
    userId,
    now,
    bound,
  }: Pick<AuthenticatedContext, 'request' | 'userId' | 'now'> & { readonly bound: GrantConstraints },
  outcome: DecisionOutcome,
  settings: ConsentRules,
): Promise<void> {
  if (outcome.decision === 'cancel') return;
  const { impliedScopes } = expandClaimScopes(settings, request.scopes);
  const { client, resources } = request;
  const isOnce = outcome.isAskedEachTime === true;
  const isForgotten = outcome.decision === 'deny' || isOnce;
  const left = isOnce ? [] : withImplied(outcome.scopes, impliedScopes);
  const refused = request.scopes.filter((scope) => !left.includes(scope));
  // a scope that was allowed before and includes a refused one would silently give it the next time
  const requested = toConsent(
    [...new Set([...request.scopes, ...withImpliers(refused, impliedScopes)])],
    resources,
  );
  const decided = { requested: request, bound: isForgotten ? {} : bound };
  const details = await findConsented(consents, { request, userId }, decided, settings);
  if (isForgotten) return consents.withdraw(userId, client.clientId, { requested, ...details, now });
  const allowed = toConsent(outcome.scopes, resources);
  const { clientId, name: clientName, mayAct = [] } = client;
  const handedOn = mayAct.length > 0 ? { mayAct } : {};
  await consents.remember(userId, clientId, { requested, allowed, ...details, ...handedOn, clientName, now });
}

/** What is remembered beside scopes from now on; empty if none of it was asked for, so that nothing changes. */
async function findConsented(
  consents: Consents,
  { request, userId }: Pick<AuthenticatedContext, 'request' | 'userId'>,
  decided: DecidedBound,
  settings: ConsentRules,
): Promise<GrantConstraints> {
  if (request.authorizationDetails.length + questionsOf(request, settings).length === 0) return {};
  const [before = {}] = await consents.findOfUser(userId, [request.client.clientId]);
  return consentAfter(before, decided, settings);
}
