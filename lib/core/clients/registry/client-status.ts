import type { ClientField } from '../client-field.js';
import { reviewOf } from '../client-review.js';
import type { ClientStores } from '../client-store.js';
import { checkedReason } from '../status/block-reason.js';
import type { BlockOptions } from './client-registry.js';
import { type Change, checkSeen, updateClient } from './update-client.js';

export interface StatusChange extends BlockOptions {
  /** The `updatedAt` of what was looked at. Default: whatever it is now. */
  readonly expectedUpdatedAt?: Date | undefined;
  readonly now: Date;
}

/**
 * Milliseconds after which the grants are marked again: a request that had read the client before it was blocked may
 * have stored one since.
 */
const LATER = [1000, 10_000, 60_000];

/**
 * Blocks a client. First it is marked, so that nothing new is granted, and then its grants. So each process learns of
 * the block from what it reads anyway, the guard from the grant of the token. No grant is lost.
 *
 * @returns null if there is no such client
 * @throws OAuthError invalid_client_metadata if the reason is too long or cannot be read
 */
export async function blockClient(
  stores: ClientStores,
  clientId: string,
  change: StatusChange,
): Promise<Change | null> {
  const reason = change.reason === undefined ? undefined : checkedReason(change.reason);
  const changed = await updateClient(stores.clients, clientId, change, ({ blocked, document }) => {
    if (blocked !== undefined && (reason === undefined || reason === (blocked.reason ?? ''))) return null;
    return {
      changes: { blocked: { at: blocked?.at ?? change.now, reason: reason || undefined } },
      // a client that describes itself would be back as soon as it is removed
      takesOver: document !== undefined,
    };
  });
  if (changed === null) return null;
  try {
    await stores.grants.blockAll(clientId, change.now);
  } finally {
    markLater(stores, clientId, LATER);
  }
  return changed;
}

/**
 * Unblocks a client, with all that was granted. The grants come first, so that a try that failed half way can be
 * repeated, and again afterwards, since `markLater` of another process may have come in between.
 *
 * @returns and throws as `blockClient`
 */
export async function unblockClient(
  { clients, grants }: ClientStores,
  clientId: string,
  change: StatusChange,
): Promise<Change | null> {
  const current = change.expectedUpdatedAt && (await clients.find(clientId));
  if (current) checkSeen(current, change.expectedUpdatedAt);
  await grants.unblockAll(clientId);
  try {
    const changed = await updateClient(clients, clientId, change, ({ blocked }) =>
      blocked === undefined ? null : { changes: { blocked: undefined } },
    );
    if (changed !== null && changed.after !== changed.before) await grants.unblockAll(clientId);
    return changed;
  } catch (refusal) {
    await grants.blockAll(clientId, change.now);
    throw refusal;
  }
}

/** Lets users other than its owner authorize a client that waits for approval. Returns and throws as `blockClient`. */
export function approveClient(
  { clients }: ClientStores,
  clientId: string,
  { fields, ...change }: StatusChange & { readonly fields: readonly ClientField[] },
): Promise<Change | null> {
  return updateClient(clients, clientId, change, (before) =>
    before.awaitsApprovalSince === undefined
      ? null
      : { changes: { awaitsApprovalSince: undefined, ...reviewOf(before, fields) } },
  );
}

/** Nobody waits for it: what fails is tried again the next time, and a process that has nothing else to do may exit. */
function markLater(stores: ClientStores, clientId: string, [pause, ...pauses]: readonly number[]): void {
  if (pause === undefined) return;
  const { clients, grants } = stores;
  const markAgain = async () => {
    const isBlocked = async () => (await clients.find(clientId))?.blocked !== undefined;
    if (!(await isBlocked())) return false;
    await grants.blockAll(clientId, new Date());
    if (await isBlocked()) return true;
    await grants.unblockAll(clientId);
    return false;
  };
  const timer = setTimeout(() => {
    void markAgain()
      .catch(() => true)
      .then((isBlocked) => isBlocked && markLater(stores, clientId, pauses));
  }, pause);
  timer.unref();
}

/**
 * Deletes a client with all that users have allowed it; resolves to how many grants ended, or to null if there was no
 * client. The client goes after them, so that a try that failed half way can be repeated; what it got meanwhile goes
 * last.
 *
 * @param remove false if there is nothing to delete
 */
export async function deleteClient(
  { grants, consents }: Pick<ClientStores, 'grants' | 'consents'>,
  { clientId, now }: { readonly clientId: string; readonly now: Date },
  remove: () => Promise<boolean>,
): Promise<number | null> {
  const endAll = async (): Promise<number> => {
    // forgotten first: a silent request that comes in between finds nothing that it could go by
    await consents.forget({ clientId });
    return grants.revokeAll({ clientId }, now);
  };
  const before = await endAll();
  const existed = await remove();
  const meanwhile = await endAll();
  return existed ? before + meanwhile : null;
}
