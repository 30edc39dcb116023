import type { Client } from '../client.js';
import type { ClientField } from '../client-field.js';
import { toReview } from '../client-review.js';
import type { ClientStores } from '../client-store.js';
import { checkedReason } from '../status/block-reason.js';
import type { ClientInfo } from './client-info.js';
import type { BlockOptions } from './client-registry.js';
import {
  type Change,
  type ChangeOptions,
  checkSeen,
  type OperationContext,
  updateClient,
} from './update-client.js';

/**
 * Milliseconds after which the grants are marked again: a request that read the client before its block may have stored
 * a grant since.
 */
const LATER = [1000, 10_000, 60_000];

/** Blocks, unblocks and approves clients. Null: there is no such client. */
export function createClientStatus(
  stores: ClientStores,
  fields: readonly ClientField[],
  toInfo: (client: Client, now: Date) => ClientInfo,
) {
  const { clients, grants } = stores;
  const done = async (
    { before, after }: Change,
    name: 'client.unblocked' | 'client.approved',
    { emit, now }: OperationContext,
  ) => {
    if (after !== before) await emit(name, { clientId: after.clientId, userId: after.ownerId });
    return toInfo(after, now);
  };

  return {
    /**
     * Marks the client first, so that nothing new is granted, and then its grants. So each process learns of the block
     * from its usual reads, the guard from the grant of the token. No grant is lost. For a client that is already
     * blocked, a new reason replaces the old one.
     *
     * @throws OAuthError invalid_client_metadata if the reason is too long or cannot be read
     */
    async block(clientId: string, act: OperationContext, options: BlockOptions & ChangeOptions = {}) {
      const { now } = act;
      const reason = options.reason === undefined ? undefined : checkedReason(options.reason);
      const block = async () => {
        const change = await updateClient(clients, clientId, { ...options, now }, ({ blocked, document }) => {
          if (blocked !== undefined && (reason === undefined || reason === (blocked.reason ?? '')))
            return null;
          return {
            changes: { blocked: { at: blocked?.at ?? now, reason: reason || undefined } },
            // an unstored client that describes itself would come back after its removal
            takesOver: document !== undefined,
          };
        });
        if (change === null) return null;
        try {
          await grants.blockAll(clientId, now);
        } finally {
          markLater(stores, clientId, LATER);
        }
        return change;
      };
      const dataOf = ({ before, after }: Change) =>
        after === before ? null : { clientId, userId: after.ownerId };
      const change = await stores.reportChange({ type: 'client.blocked', clientId }, act, block, dataOf);
      return change && toInfo(change.after, now);
    },
    /**
     * Unblocks the client and its grants. The grants come first, so that a failed attempt can be repeated, and come
     * again at the end, because `markLater` of another process may have marked them in between.
     */
    async unblock(clientId: string, act: OperationContext, { expectedUpdatedAt }: ChangeOptions = {}) {
      const { now } = act;
      const current = expectedUpdatedAt && (await clients.find(clientId));
      if (current) checkSeen(current, expectedUpdatedAt);
      await grants.unblockAll(clientId);
      let change: Change | null;
      try {
        change = await updateClient(clients, clientId, { expectedUpdatedAt, now }, ({ blocked }) =>
          blocked === undefined ? null : { changes: { blocked: undefined } },
        );
        if (change !== null && change.after !== change.before) await grants.unblockAll(clientId);
      } catch (refusal) {
        await grants.blockAll(clientId, now);
        throw refusal;
      }
      return change && done(change, 'client.unblocked', act);
    },
    /** Lets users other than its owner authorize a client that waits for approval. */
    async approve(clientId: string, act: OperationContext, options: ChangeOptions = {}) {
      const change = await updateClient(clients, clientId, { ...options, now: act.now }, (before) =>
        before.awaitsApprovalSince === undefined
          ? null
          : { changes: { awaitsApprovalSince: undefined, ...toReview(before, fields) } },
      );
      return change && done(change, 'client.approved', act);
    },
  };
}

/** Marks the grants in the background, and retries failures at the next pause. No timer keeps the process alive. */
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
 * Deletes a client with its consents and grants; resolves to the number of ended grants, or to null if there was no
 * client. The client is deleted after its grants, so that a failed attempt can be repeated; grants that were made
 * meanwhile end last.
 *
 * @param remove false if there is nothing to delete
 */
export async function deleteClient(
  { grants, consents }: ClientStores,
  { clientId, now }: { readonly clientId: string; readonly now: Date },
  remove: () => Promise<boolean>,
): Promise<number | null> {
  const endAll = async (): Promise<number> => {
    // consents first: a silent request in between finds none
    await consents.forget({ clientId });
    return grants.revokeAll({ clientId }, now);
  };
  const before = await endAll();
  const existed = await remove();
  const meanwhile = await endAll();
  return existed ? before + meanwhile : null;
}
