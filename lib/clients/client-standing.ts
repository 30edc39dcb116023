import { OAuthError } from '../errors.js';
import { hasUnseenCharacters } from '../protocol/visible-text.js';
import { changedMeanwhile, nextUpdateOf } from './change-client.js';
import type { Client, ClientBlock } from './client.js';
import type { ClientStores } from './client-operations.js';

/** What a block says, and what was looked at before. */
export interface BlockOptions {
  /** What the owner of the client is told, at most 500 characters. Default: nothing. */
  readonly reason?: string | undefined;
}

/** The same, as a page sends it. */
export interface StandingAct extends BlockOptions {
  /** The `updatedAt` of what was looked at. Default: whatever it is now. */
  readonly seen?: Date;
  readonly now: Date;
}

/** A client as it is now, and whether that is a change. */
export interface StandingOutcome {
  readonly client: Client;
  readonly isChanged: boolean;
}

type StandingStores = Pick<ClientStores, 'clients' | 'grants'>;

export const MAX_REASON_LENGTH = 500;
const MAX_TRIES = 20;
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
): Promise<StandingOutcome | null> {
  const reason = given === undefined ? undefined : checkedReason(given);
  const outcome = await change(stores, { clientId, seen, now }, ({ blocked }) => {
    if (blocked !== undefined && (reason === undefined || reason === (blocked.reason ?? ''))) return null;
    return { blocked: { at: blocked?.at ?? now, ...(reason !== undefined && reason !== '' && { reason }) } };
  });
  if (outcome === null) return null;
  try {
    await stores.grants.blockAll(clientId, now);
  } finally {
    markLater(stores, clientId, LATER);
  }
  return outcome;
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
): Promise<StandingOutcome | null> {
  const { clients, grants } = stores;
  if (seen !== undefined) checkSeen(await clients.find(clientId), seen);
  await grants.unblockAll(clientId);
  try {
    const outcome = await change(stores, { clientId, seen, now }, ({ blocked }) =>
      blocked === undefined ? null : { blocked: undefined },
    );
    if (outcome?.isChanged === true) await grants.unblockAll(clientId);
    return outcome;
  } catch (refusal) {
    await grants.blockAll(clientId, now);
    throw refusal;
  }
}

/** Lets others than its owner authorize a client that waits for that. Returns and throws as `blockClient`. */
export function approveClient(
  stores: StandingStores,
  clientId: string,
  { seen, now }: Omit<StandingAct, 'reason'>,
): Promise<StandingOutcome | null> {
  return change(stores, { clientId, seen, now }, ({ awaitsApprovalSince }) =>
    awaitsApprovalSince === undefined ? null : { awaitsApprovalSince: undefined },
  );
}

interface Asked extends Pick<StandingAct, 'now'> {
  readonly clientId: string;
  readonly seen: Date | undefined;
}

/** What becomes of it; what is undefined is taken away. */
interface Standing {
  readonly blocked?: ClientBlock | undefined;
  readonly awaitsApprovalSince?: undefined;
}

/** @param changesOf null if it is so already */
async function change(
  { clients }: StandingStores,
  { clientId, seen, now }: Asked,
  changesOf: (client: Client) => Standing | null,
): Promise<StandingOutcome | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await clients.find(clientId);
    if (before === null) return null;
    checkSeen(before, seen);
    const changes = changesOf(before);
    if (changes === null) return { client: before, isChanged: false };
    const options = { now: nextUpdateOf(before, now), adopts: false };
    const client = await clients.update(before, changes, options);
    if (client !== null) return { client, isChanged: true };
  }
  throw changedMeanwhile();
}

/** @throws OAuthError with status 409 if it is no longer what was looked at */
function checkSeen(client: Client | null, seen: Date | undefined): void {
  if (client !== null && seen !== undefined && client.updatedAt.getTime() !== seen.getTime())
    throw changedMeanwhile();
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
