import { listedOf } from '../../core/clients/client-lists.js';
import type { ClientStore } from '../../core/clients/client-store.js';
import type { Collection } from '../connection/collection.js';
import { setOrUnset } from '../connection/query-helpers.js';
import type { StoredClient } from './client-document.js';
import { NOT_ADOPTED } from './client-expiry.js';

/** For a client that changes itself: otherwise it would keep the site's word for it, or get round a block. */
const SELF_MANAGED = { ...NOT_ADOPTED, blocked: { $exists: false } };

/** What clients that register themselves do; a part of the store of clients. */
export function createRegisteredClients(clients: Collection<StoredClient>) {
  return {
    countUnused: (limit) => clients.count({ 'registration.unusedSince': { $exists: true } }, limit),
    async removeOldestUnused(before) {
      const [oldest] = await clients.find(
        { 'registration.unusedSince': { $lte: before } },
        { sort: { 'registration.unusedSince': 1 }, limit: 1 },
      );
      const unusedSince = oldest?.registration?.unusedSince;
      return (
        oldest !== undefined &&
        clients.deleteOne({ _id: oldest._id, 'registration.unusedSince': unusedSince })
      );
    },
    replaceRegistered: (current, replacement) =>
      clients.updateOne(
        {
          _id: current.clientId,
          'registration.accessTokenHash': current.registration?.accessTokenHash ?? '',
          'secrets.0.hash': current.secrets[0]?.hash ?? { $exists: false },
          ...SELF_MANAGED,
        },
        setOrUnset({ ...replacement, listed: listedOf({ ...current, ...replacement }) }),
      ),
    deleteRegistered: (id, accessTokenHash) =>
      clients.deleteOne({ _id: id, 'registration.accessTokenHash': accessTokenHash, ...SELF_MANAGED }),
  } satisfies Partial<ClientStore>;
}
