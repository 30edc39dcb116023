import { isDeepStrictEqual } from 'node:util';

import { OAuthError } from '../errors.js';
import { askingAgain } from './ask-again.js';
import type { Client, ClientMetadata } from './client.js';
import { type ClientField, type RegistrationLimits, valueOf } from './client-field.js';
import { checkMetadata, pickMetadata } from './client-metadata.js';
import type { ClientChanges } from './client-registry.js';
import type { ClientConsents, ClientStore } from './client-store.js';
import type { CustomClientFields } from './custom-client-fields.js';
import { keepingOwn } from './kept-limits.js';
import { ownerLimitsOf, withAllowed } from './owner-limits.js';
import { checkSector, checkSectorStays } from './sector.js';

/** Who changes a client, and what they have looked at. */
export interface ChangeOptions {
  /** `owner`: a developer, who goes no further than the host allows. Default: `host`, code and administrators. */
  readonly by?: 'host' | 'owner';
  /** The `updatedAt` of what was looked at. Default: whatever it is now. */
  readonly seen?: Date;
}

/** A change that somebody makes, and when. */
export interface ChangeAct extends ChangeOptions {
  readonly now: Date;
}

export interface ChangeDependencies {
  readonly clients: ClientStore;
  readonly consents: ClientConsents;
  readonly limits: RegistrationLimits;
  /** What developers can choose. */
  readonly ownerLimits: RegistrationLimits;
  readonly fields: readonly ClientField[];
  /** Whether what an owner makes another application waits for approval again. */
  readonly approval: boolean;
}

/** A client before and after a change. */
export interface Change {
  readonly before: Client;
  readonly after: Client;
}

/** Each try that fails means that somebody else's change was stored. */
const MAX_TRIES = 20;

/**
 * Changes what is named and nothing else of a client, as it is at that moment: what two change at once is changed one
 * after the other, each checked beside what the other has left.
 *
 * @returns null if there is no such client
 * @throws OAuthError invalid_client_metadata; with status 409 if it is no longer what was looked at
 */
export async function changeClient(
  dependencies: ChangeDependencies,
  clientId: string,
  changes: ClientChanges,
  { by = 'host', seen, now }: ChangeAct,
): Promise<Change | null> {
  const { clients, consents, fields } = dependencies;
  const custom = pickCustom(changes, clients.customFields ?? []);
  return updateClient(clients, { clientId, seen, now }, async (before) => {
    const metadata = changed(dependencies, before, changes, by);
    if (by === 'owner') checkSectorStays(metadata, before);
    await checkSector(metadata, dependencies.limits, before);
    return {
      changes: {
        ...differences(before, metadata, fields),
        custom,
        ...(by === 'host' && withAllowed(before, changes)),
        ...approvalAfter(dependencies, before, { metadata, by, now }),
      },
      adopts: isBySelf(before) && isVouchedFor(metadata, fields),
      ...(by === 'owner' &&
        isAnother(before, metadata) && { store: (update) => askingAgain(consents, clientId, update) }),
    };
  });
}

/** What becomes of a client, and whether it is adopted by that. */
export interface ClientUpdate {
  readonly changes: Parameters<ClientStore['update']>[1];
  readonly adopts?: boolean;
  /** Does it with what has to be done around it. Default: the update alone. */
  readonly store?: (update: () => Promise<Client | null>) => Promise<Client | null>;
}

/**
 * Updates a client as it is at that moment, once more if somebody else was faster.
 *
 * @param updateOf null if there is nothing to change: it is the same afterwards
 * @returns and throws as `changeClient`
 */
export async function updateClient(
  clients: Pick<ClientStore, 'find' | 'update'>,
  { clientId, seen, now }: Pick<ChangeAct, 'seen' | 'now'> & { readonly clientId: string },
  updateOf: (before: Client) => ClientUpdate | null | Promise<ClientUpdate | null>,
): Promise<Change | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await clients.find(clientId);
    if (before === null) return null;
    checkSeen(before, seen);
    const update = await updateOf(before);
    if (update === null) return { before, after: before };
    const { changes, adopts = false, store = (change) => change() } = update;
    const after = await store(() =>
      clients.update(before, changes, { now: nextUpdateOf(before, now), adopts }),
    );
    if (after !== null) return { before, after };
  }
  throw changedMeanwhile();
}

/** @throws OAuthError with status 409 if it is no longer what was looked at */
export function checkSeen({ updatedAt }: Pick<Client, 'updatedAt'>, seen: Date | undefined): void {
  if (seen !== undefined && updatedAt.getTime() !== seen.getTime()) throw changedMeanwhile();
}

/** The host's word for a client is an approval as well; what an owner changes was approved as it was before. */
function approvalAfter(
  { approval, fields }: ChangeDependencies,
  before: Client,
  { metadata, by, now }: { readonly metadata: ClientMetadata } & Required<Pick<ChangeAct, 'by' | 'now'>>,
): Pick<Client, 'awaitsApprovalSince'> {
  const isPending = before.awaitsApprovalSince !== undefined;
  if (by === 'host')
    return isPending && isVouchedFor(metadata, fields) ? { awaitsApprovalSince: undefined } : {};
  return approval && !isPending && isAnother(before, metadata) ? { awaitsApprovalSince: now } : {};
}

/** Later than the last one, also if both are in one millisecond: by it changes are told apart. */
export function nextUpdateOf({ updatedAt }: Pick<Client, 'updatedAt'>, now: Date): Date {
  return new Date(Math.max(now.getTime(), updatedAt.getTime() + 1));
}

/** Whether people who allowed the one were told of another name, or another place to go. */
export function isAnother(before: ClientMetadata, after: ClientMetadata): boolean {
  return before.name !== after.name || !isDeepStrictEqual([...before.redirectUris], [...after.redirectUris]);
}

/** Whether nobody but the client has said who it is. */
function isBySelf({ registration, document }: Client): boolean {
  return registration !== undefined || document !== undefined;
}

/** Whether the host says of a client what only the host can say. */
export function isVouchedFor(client: ClientMetadata, fields: readonly ClientField[]): boolean {
  return fields.some((field) => field.isVouching && valueOf(client, field) === true);
}

/** What is given of the host's own fields. */
export function pickCustom(given: object, names: readonly string[]): CustomClientFields {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

function changed(
  { limits, ownerLimits, fields }: ChangeDependencies,
  before: Client,
  changes: ClientChanges,
  by: 'host' | 'owner',
): ClientMetadata {
  const metadata = pickMetadata({ ...before, ...changes }, fields);
  const own = by === 'owner' ? ownerLimitsOf(before, ownerLimits) : limits;
  checkMetadata(metadata, keepingOwn(own, before), fields);
  // a client's type says whether it has a secret: that is settled when it is registered
  if (metadata.type !== before.type)
    throw new OAuthError(
      'invalid_client_metadata',
      'the type of a client cannot be changed; register another client',
    );
  return metadata;
}

/** The fields that are another one afterwards; undefined for those that go. */
export function differences(
  before: ClientMetadata,
  after: ClientMetadata,
  fields: readonly ClientField[],
): Partial<ClientMetadata> {
  const different = fields.filter(
    (field) => !isDeepStrictEqual(valueOf(before, field), valueOf(after, field)),
  );
  return Object.fromEntries(different.map((field) => [field.name, valueOf(after, field)]));
}

/** Whether a change was refused since the client is no longer what was looked at. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof OAuthError && error.status === 409;
}

function changedMeanwhile(): OAuthError {
  return new OAuthError(
    'invalid_client_metadata',
    'the client was changed by somebody else at the same moment',
    { status: 409 },
  );
}
