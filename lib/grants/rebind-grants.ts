import type { Emit } from '../observability/events.js';
import type { ConsentStore } from './consent-store.js';
import type { GrantStore, ReboundChoice } from './grant-store.js';

export interface RebindingStores {
  readonly grants: Pick<GrantStore, 'rebindAll'>;
  readonly consents: Pick<ConsentStore, 'rebind'>;
}

/**
 * Has a client work with something else than what was picked for it, without ending anything: tokens stay, and are
 * about the new pick from now on. A JWT that others check by its signature alone says what it said until it expires.
 */
export async function rebindGrants(
  { grants, consents }: RebindingStores,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
  { rebound, emit }: { readonly rebound: ReboundChoice; readonly emit: Emit },
): Promise<void> {
  // first: what is allowed by it meanwhile, without a question, is of the new pick
  await consents.rebind(userId, clientId, { ...rebound, now });
  const count = await grants.rebindAll({ userId, clientId }, rebound, now);
  emit('grant.rebound', { userId, clientId, reason: rebound.name, count });
}
