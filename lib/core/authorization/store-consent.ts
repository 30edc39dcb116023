import { withImplied, withImpliers } from '../../shared/protocol/implied-scopes.js';
import { toConsent } from '../../shared/protocol/resource.js';
import { questionsOf } from '../authorization-details/offers.js';
import type { Bound } from '../authorization-details/picks.js';
import { type DecidedBound, rememberedAfter } from '../authorization-details/remembered.js';
import type { ConsentStore } from '../grants/consent-store.js';
import { withSingleClaims } from './claim-scopes.js';
import type { PersonsTurn } from './interaction.js';
import type { Outcome } from './pending-decisions.js';

type Consents = Pick<ConsentStore, 'findOfUser' | 'remember' | 'withdraw'>;
type KeptSettings = Parameters<typeof withSingleClaims>[0] &
  Parameters<typeof questionsOf>[1] &
  Parameters<typeof rememberedAfter>[2];

/** Remembers a decision, but nothing that was refused or that the person wants to be asked about again. */
export async function keepConsent(
  consents: Consents,
  {
    request,
    userId,
    now,
    bound,
  }: Pick<PersonsTurn, 'request' | 'userId' | 'now'> & { readonly bound: Bound },
  outcome: Outcome,
  settings: KeptSettings,
): Promise<void> {
  if (outcome.decision === 'cancel') return;
  const { impliedScopes } = withSingleClaims(settings, request.scopes);
  const { client, resources } = request;
  const { decision, scopes, isAskedEachTime = false } = outcome;
  const isForgotten = decision === 'deny' || isAskedEachTime;
  const left = isAskedEachTime ? [] : withImplied(scopes, impliedScopes);
  const refused = request.scopes.filter((scope) => !left.includes(scope));
  // a scope that was allowed before and includes a refused one would silently give it the next time
  const asked = toConsent(
    [...new Set([...request.scopes, ...withImpliers(refused, impliedScopes)])],
    resources,
  );
  const decided = { asked: request, bound: isForgotten ? {} : bound };
  const details = await findRemembered(consents, { request, userId }, decided, settings);
  if (isForgotten) return consents.withdraw(userId, client.clientId, { asked, ...details, now });
  const allowed = toConsent(scopes, resources);
  const { clientId, name: clientName, mayAct = [] } = client;
  const handedOn = mayAct.length > 0 ? { mayAct } : {};
  await consents.remember(userId, clientId, { asked, allowed, ...details, ...handedOn, clientName, now });
}

/** What is remembered beside scopes from now on; empty if none of it was asked for, so that nothing changes. */
async function findRemembered(
  consents: Consents,
  { request, userId }: Pick<PersonsTurn, 'request' | 'userId'>,
  decided: DecidedBound,
  settings: KeptSettings,
): Promise<Bound> {
  if (request.authorizationDetails.length + questionsOf(request, settings).length === 0) return {};
  const [before = {}] = await consents.findOfUser(userId, [request.client.clientId]);
  return rememberedAfter(before, decided, settings);
}
