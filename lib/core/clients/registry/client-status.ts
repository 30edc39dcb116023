import type { ClientField } from '../client-field.js';
import { reviewOf } from '../client-review.js';
import type { ClientStores } from '../client-store.js';
import { checkedReason } from '../status/block-reason.js';
import type { BlockOptions } from './client-registry.js';
import { type Change, checkSeen, updateClient } from './update-client.js';

/** A status change requested on a page. */
export interface StatusChange extends BlockOptions {
  /** The `updatedAt` of what was looked at. Default: whatever it is now. */
  readonly expectedUpdatedAt?: Date;
  readonly now: Date;
}

type StatusStores = Pick<ClientStores, 'clients' | 'grants'>;

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
  stores: StatusStores,
  clientId: string,
  { reason: given, expectedUpdatedAt, now }: StatusChange,
): Promise<Change | null> {
  const reason = given === undefined ? undefined : checkedReason(given);
  const change = await updateClient(
    stores.clients,
    { clientId, expectedUpdatedAt, now },
    ({ blocked, document }) => {
      if (blocked !== undefined && (reason === undefined || reason === (blocked.reason ?? ''))) return null;
      const at = blocked?.at ?? now;
      return {
        changes: { blocked: { at, ...(reason !== undefined && reason !== '' && { reason }) } },
        // a client that describes itself would be back as soon as it is removed
        takesOver: document !== undefined,
      };
    },
  );
  if (change === null) return null;
  try {
    await stores.grants.blockAll(clientId, now);
  } finally {
    markLater(stores, clientId, LATER);
  }
  return change;
}

/**
 * Unblocks a client, with all that was granted. The grants come first, so that a try that failed half way can be
 * repeated, and again afterwards, since `markLater` of another process may have come in between.
 *
 * @returns and throws as `blockClient`
 */
export async function unblockClient(
  stores: StatusStores,
  clientId: string,
  { expectedUpdatedAt, now }: Omit<StatusChange, 'reason'>,
): Promise<Change | null> {
  const { clients, grants } = stores;
  const found = expectedUpdatedAt && (await clients.find(clientId));
  if (found) checkSeen(found, expectedUpdatedAt);
  await grants.unblockAll(clientId);
  try {
    const change = await updateClient(clients, { clientId, expectedUpdatedAt, now }, ({ blocked }) =>
      blocked === undefined ? null : { changes: { blocked: undefined } },
    );
    if (change !== null && isChange(change)) await grants.unblockAll(clientId);
    return change;
  } catch (refusal) {
    await grants.blockAll(clientId, now);
    throw refusal;
  }
}

/** Lets users other than its owner authorize a client that waits for approval. Returns and throws as `blockClient`. */
export function approveClient(
  { clients }: Pick<StatusStores, 'clients'>,
  clientId: string,
  {
    expectedUpdatedAt,
    now,
    fields,
  }: Omit<StatusChange, 'reason'> & { readonly fields: readonly ClientField[] },
): Promise<Change | null> {
  return updateClient(clients, { clientId, expectedUpdatedAt, now }, (before) =>
    before.awaitsApprovalSince === undefined
      ? null
      : { changes: { awaitsApprovalSince: undefined, ...reviewOf(before, fields) } },
  );
}

/** Whether the client was not like this already. */
export function isChange({ before, after }: Change): boolean {
  return after !== before;
}

/** Nobody waits for it: what fails is tried again the next time, and a process that has nothing else to do may exit. */
function markLater(stores: StatusStores, clientId: string, [pause, ...pauses]: readonly number[]): void {
  if (pause === undefined) return;
  const timer = setTimeout(() => {
    void markAgain(stores, clientId).then(
      (isBlocked) => isBlocked && markLater(stores, clientId, pauses),
      () => markLater(stores, clientId, pauses),
    );
  }, pause);
  timer.unref();
}

/** Whether the client is still blocked. */
async function markAgain({ clients, grants }: StatusStores, clientId: string): Promise<boolean> {
  const isBlocked = async () => (await clients.find(clientId))?.blocked !== undefined;
  if (!(await isBlocked())) return false;
  await grants.blockAll(clientId, new Date());
  if (await isBlocked()) return true;
  await grants.unblockAll(clientId);
  return false;
}
