import type { Client } from '../client.js';
import type { ClientField } from '../client-field.js';
import { isOwner } from '../client-owners.js';
import { reviewAfterChange } from '../client-review.js';
import type { ClientStore } from '../client-store.js';
import type { ClientInfo } from './client-info.js';
import { type Actor, createOwnership, type OwnershipStep, withOwner } from './ownership.js';
import { type OperationContext, updateClient } from './update-client.js';

/** Changes who owns clients. A broken rule is an OwnershipError; null: there is no such client. */
export function createClientOwnership(
  { clients, ...rules }: { clients: ClientStore; approval: boolean; fields: readonly ClientField[] },
  toInfo: (client: Client, now: Date) => ClientInfo,
) {
  const change = (clientId: string, now: Date, next: (before: Client) => OwnershipStep<Client> | null) =>
    updateClient(clients, clientId, { now }, (before) => {
      const step = next(before);
      if (step === null) return null;
      const { owned, isHandedOver = false, by, undone } = step;
      let changes: Partial<Client> = owned;
      // the consent page says since when the client belongs to others than the user who registered it
      if (isHandedOver)
        changes = {
          ...changes,
          ownerSince: owned.ownerId === before.ownerId ? before.ownerSince : now,
        };
      // after a decision of the site, a client that does not wait for approval stays approved and verified
      if (by === 'others' || (by === 'host' && before.awaitsApprovalSince === undefined)) {
        const review = reviewAfterChange(before, { ...before, ...owned }, { by, now, ...rules });
        changes = { ...changes, ...review };
      }
      // unless the client has changed since, its state before the accepted invitation is restored
      if (undone !== undefined && before.updatedAt.getTime() === undone.after.updatedAt.getTime()) {
        const { ownerSince, verified, publisher, review, awaitsApprovalSince } = undone.before;
        changes = { ...changes, ownerSince, verified, publisher, review, awaitsApprovalSince };
      }
      return { changes };
    });
  const { add: _add, ...ownership } = createOwnership<Client>({
    find: (clientId) => clients.find(clientId),
    change,
    count: async (userId, _now, limit) => (await clients.listOfOwner(userId, limit)).length,
    listInvited: (userId, _now, limit) => clients.listInvited(userId, limit),
    idsOf: ({ clientId }) => ({ clientId }),
  });

  return {
    ...ownership,
    async addOwner(clientId: string, userId: string, { now, emit }: OperationContext) {
      const changed = await change(clientId, now, (before) =>
        isOwner(before, userId) ? null : { owned: withOwner(before, userId), by: 'host' },
      );
      if (changed !== null && changed.after !== changed.before)
        await emit('owner.added', { clientId, userId });
      return changed && toInfo(changed.after, now);
    },
    async removeOwner(clientId: string, userId: string, act: OperationContext & { readonly by?: Actor }) {
      const changed = await ownership.removeOwner(clientId, userId, act);
      return changed && toInfo(changed.after, act.now);
    },
    async listInvitations(userId: string, now: Date) {
      const invited = await ownership.listInvitations(userId, now);
      return invited.map(({ thing, invitation }) => ({ client: toInfo(thing, now), invitation }));
    },
  };
}
