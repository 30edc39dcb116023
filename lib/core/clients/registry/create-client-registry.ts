import { checkNames, requireString } from '../../../settings/table/parse-options.js';
import type { Emit } from '../../observability/events.js';
import type { ClientChanges, ClientRegistry } from './client-registry.js';
import type { ClientService } from './client-service.js';
import type { OperationContext } from './update-client.js';

/** The registry for code. There is no request, so all events go to `emit`. Default: no events. */
export function createClientRegistry(clients: ClientService, emit: Emit = () => undefined): ClientRegistry {
  const act = (): OperationContext => ({ emit, now: new Date() });
  const idFor = (name: string, clientId: unknown) => requireString(`clients.${name}`, 'clientId', clientId);
  const userFor = (name: string, userId: unknown) => {
    const checked = requireString(`clients.${name}`, 'userId', userId);
    if (checked === '') throw new TypeError(`clients.${name}: userId must not be empty`);
    return checked;
  };
  return {
    limits: clients.limits,
    create: (client) => clients.create(client, act()),
    find: async (clientId) => clients.find(idFor('find', clientId)),
    update: async (clientId, changes) =>
      clients.update(idFor('update', clientId), changes as ClientChanges, act()),
    rotateSecret: async (clientId) => clients.rotateSecret(idFor('rotateSecret', clientId), act()),
    revokeOldSecrets: async (clientId) =>
      clients.revokeOldSecrets(idFor('revokeOldSecrets', clientId), act()),
    delete: async (clientId) => clients.delete(idFor('delete', clientId), act()),
    async block(clientId, options = {}) {
      checkNames('clients.block', ['reason'], options);
      const { reason } = options;
      return clients.block(idFor('block', clientId), act(), {
        reason: reason === undefined ? undefined : requireString('clients.block', 'reason', reason),
      });
    },
    unblock: async (clientId) => clients.unblock(idFor('unblock', clientId), act()),
    approve: async (clientId) => clients.approve(idFor('approve', clientId), act()),
    addOwner: async (clientId, userId) =>
      clients.addOwner(idFor('addOwner', clientId), userFor('addOwner', userId), act()),
    removeOwner: async (clientId, userId) =>
      clients.removeOwner(idFor('removeOwner', clientId), userFor('removeOwner', userId), act()),
    listOfOwner: async (ownerId) =>
      clients.listOfOwner(requireString('clients.listOfOwner', 'ownerId', ownerId)),
  };
}
