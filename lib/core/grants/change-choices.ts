import type { Emit } from '../observability/events.js';
import type { ConsentStore } from './consent-store.js';
import type { ChangedChoice, GrantStore } from './grant-store.js';

export interface RebindingStores {
  readonly grants: Pick<GrantStore, 'changeChoices'>;
  readonly consents: Pick<ConsentStore, 'rebind'>;
}

/**
 * Changes what was picked for a client without ending anything: its tokens stay, and are for the new pick from now on.
 * A JWT that others check only by its signature keeps the old pick until it expires.
 */
export async function changeChoicesOfGrants(
  { grants, consents }: RebindingStores,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
  { rebound, emit }: { readonly rebound: ChangedChoice; readonly emit: Emit },
): Promise<void> {
  // first, so that a silent request in between is given the new pick
  await consents.rebind(userId, clientId, { ...rebound, now });
  const count = await grants.changeChoices({ userId, clientId }, rebound, now);
  await emit('grant.rebound', { userId, clientId, reason: rebound.name, count });
}
