import { OAuthError } from '../errors.js';
import { hasUnseenCharacters } from '../protocol/visible-text.js';
import { type Change, checkSeen, updateClient } from './change-client.js';
import type { BlockOptions } from './client-registry.js';
import type { ClientStores } from './client-store.js';

/** The same, as a page sends it. */
export interface StandingAct extends BlockOptions {
  /** The `updatedAt` of what was looked at. Default: whatever it is now. */
  readonly seen?: Date;
  readonly now: Date;
}

type StandingStores = Pick<ClientStores, 'clients' | 'grants'>;

export const MAX_REASON_LENGTH = 500;
/**
 * Milliseconds after which the grants are marked once more: a request that had read its client before it was blocked
 * may have stored one since.
 */
const LATER = [1000, 10_000, 60_000];

/**
 * Blocks a client. It is marked first, so that nothing new is granted, then its grants: so each process learns of it
 * with what it reads anyway, the guard with the grant of the token. Nothing of the grants is lost.
 *
 * @returns null if there is no such client
 * @throws OAuthError invalid_client_metadata if the reason is too long or cannot be read
 */
export async function blockClient(
  stores: StandingStores,
  clientId: string,
  { reason: given, seen, now }: StandingAct,
): Promise<Change | null> {
  const reason = given === undefined ? undefined : checkedReason(given);
  const change = await updateClient(stores.clients, { clientId, seen, now }, ({ blocked, document }) => {
    if (blocked !== undefined && (reason === undefined || reason === (blocked.reason ?? ''))) return null;
    const at = blocked?.at ?? now;
    return {
      changes: { blocked: { at, ...(reason !== undefined && reason !== '' && { reason }) } },
      // one that describes itself would be back as soon as it is removed
      adopts: document !== undefined,
    };
  });
  if (change === null) return null;
  try {
    await stores.grants.blockAll(clientId, now);
  } finally {
    markLater(stores, clientId, LATER);
  }
  return change;
}

/**
 * Takes it back, with all that was granted. The grants first, so that a try that failed half way can be repeated, and
 * once more after it, for `markLater` of another process may have come in between.
 *
 * @returns and throws as `blockClient`
 */
export async function unblockClient(
  stores: StandingStores,
  clientId: string,
  { seen, now }: Omit<StandingAct, 'reason'>,
): Promise<Change | null> {
  const { clients, grants } = stores;
  const found = seen && (await clients.find(clientId));
  if (found) checkSeen(found, seen);
  await grants.unblockAll(clientId);
  try {
    const change = await updateClient(clients, { clientId, seen, now }, ({ blocked }) =>
      blocked === undefined ? null : { changes: { blocked: undefined } },
    );
    if (change !== null && isChange(change)) await grants.unblockAll(clientId);
    return change;
  } catch (refusal) {
    await grants.blockAll(clientId, now);
    throw refusal;
  }
}

/** Lets others than its owner authorize a client that waits for that. Returns and throws as `blockClient`. */
export function approveClient(
  { clients }: Pick<StandingStores, 'clients'>,
  clientId: string,
  { seen, now }: Omit<StandingAct, 'reason'>,
): Promise<Change | null> {
  return updateClient(clients, { clientId, seen, now }, ({ awaitsApprovalSince }) =>
    awaitsApprovalSince === undefined ? null : { changes: { awaitsApprovalSince: undefined } },
  );
}

/** Whether a client was not so already. */
export function isChange({ before, after }: Change): boolean {
  return after !== before;
}

/** Nobody waits for it: what fails is tried the next time, and a process that has nothing else to do may end. */
function markLater(stores: StandingStores, clientId: string, [pause, ...pauses]: readonly number[]): void {
  if (pause === undefined) return;
  const timer = setTimeout(() => {
    void markAgain(stores, clientId).then(
      (isBlocked) => isBlocked && markLater(stores, clientId, pauses),
      () => markLater(stores, clientId, pauses),
    );
  }, pause);
  timer.unref();
}

/** Whether the client is blocked still. */
async function markAgain({ clients, grants }: StandingStores, clientId: string): Promise<boolean> {
  const isBlocked = async () => (await clients.find(clientId))?.blocked !== undefined;
  if (!(await isBlocked())) return false;
  await grants.blockAll(clientId, new Date());
  if (await isBlocked()) return true;
  await grants.unblockAll(clientId);
  return false;
}

/** One line that can be read. */
function checkedReason(given: string): string {
  const reason = given.replaceAll(/\s+/gu, ' ').trim();
  if (reason.length > MAX_REASON_LENGTH)
    throw new OAuthError(
      'invalid_client_metadata',
      `the reason is longer than ${MAX_REASON_LENGTH} characters`,
    );
  if (hasUnseenCharacters(reason))
    throw new OAuthError('invalid_client_metadata', 'the reason has characters that cannot be seen');
  return reason;
}
