import { isDeepStrictEqual } from 'node:util';

import type { CustomClientFields } from '../../../shared/custom-fields.js';
import { OAuthError } from '../../../shared/errors.js';
import type { GetCaller } from '../../../shared/outbound/limit-untrusted-fetch.js';
import { isClientIdUrl } from '../../../shared/protocol/client-id-url.js';
import type { Emit } from '../../observability/events.js';
import type { Client, ClientMetadata } from '../client.js';
import { type ClientField, type RegistrationLimits, valueOf } from '../client-field.js';
import { metadataError } from '../client-metadata.js';
import type { ClientConsents, ClientStore } from '../client-store.js';

export interface OperationContext {
  readonly emit: Emit;
  readonly now: Date;
  /** The caller whose limit a fetch for the client counts against. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

export interface ChangeOptions {
  /** `owner`: a developer, within the site's limits. Default: `host`, code and administrators. */
  readonly by?: 'host' | 'owner';
  /** The `updatedAt` of the client that the user saw. Default: any. */
  readonly expectedUpdatedAt?: Date | undefined;
}

/** A change; `after` is `before` if nothing changed. */
export interface Change<Thing = Client> {
  readonly before: Thing;
  readonly after: Thing;
}

/** Retried only on a concurrent update. */
const MAX_TRIES = 20;

export interface ClientUpdateContext {
  readonly changes: Partial<Client>;
  readonly takesOver?: boolean;
  /** Makes the update together with the steps around it. Default: the update alone. */
  readonly store?: ((update: () => Promise<Client | null>) => Promise<Client | null>) | undefined;
}

/**
 * Updates the current state of a client, and retries after a concurrent update: of two changes at once, the second is
 * checked against the result of the first.
 *
 * @param updateOf null if there is nothing to change
 * @returns null if there is no such client
 * @throws OAuthError invalid_client_metadata; with status 409 if the client differs from the one that the user saw
 */
export async function updateClient(
  clients: ClientStore,
  clientId: string,
  { expectedUpdatedAt, now }: { readonly expectedUpdatedAt?: Date | undefined; readonly now: Date },
  updateOf: (before: Client) => ClientUpdateContext | null | Promise<ClientUpdateContext | null>,
): Promise<Change | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const before = await clients.find(clientId);
    if (before === null) return null;
    checkSeen(before, expectedUpdatedAt);
    const update = await updateOf(before);
    if (update === null) return { before, after: before };
    const { changes, takesOver = false, store = (change) => change() } = update;
    const after = await store(() =>
      clients.update(before, changes, { now: nextUpdatedAt(before, now), takesOver }),
    );
    if (after !== null) return { before, after };
  }
  throw changedMeanwhile();
}

/** @throws OAuthError with status 409 if the client differs from the one that the user saw */
export function checkSeen({ updatedAt }: Client, expectedUpdatedAt: Date | undefined): void {
  if (expectedUpdatedAt !== undefined && updatedAt.getTime() !== expectedUpdatedAt.getTime())
    throw changedMeanwhile();
}

/** Strictly greater than the previous `updatedAt`, which serves as the version. */
export function nextUpdatedAt({ updatedAt }: Client, now: Date): Date {
  return new Date(Math.max(now.getTime(), updatedAt.getTime() + 1));
}

/** Whether a client has a field that only the site can set. */
export function isHostApproved(client: ClientMetadata, fields: readonly ClientField[]): boolean {
  return fields.some((field) => field.grantsTrust && valueOf(client, field) === true);
}

export function pickCustom(input: object, names: readonly string[]): CustomClientFields {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)));
}

/** The changed fields; undefined for removed ones. */
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

function changedMeanwhile(): OAuthError {
  return new OAuthError(
    'invalid_client_metadata',
    'the client was changed by somebody else at the same moment',
    { status: 409 },
  );
}

/**
 * Changes a client. After a change of its name or redirect URIs users are asked again. Their consents are deleted
 * first: a silent request in between finds none, and a failed attempt has changed nothing without consent. Consents
 * that were given meanwhile, to the former client, are deleted afterwards.
 *
 * @see RFC 6749 §10.2, OAuth Client ID Metadata Document §8.4
 */
export async function invalidateConsents<Result>(
  consents: ClientConsents,
  before: Client,
  after: ClientMetadata,
  change: () => Promise<Result>,
): Promise<Result> {
  const { clientId } = before;
  const sorted = ({ redirectUris }: ClientMetadata) => [...redirectUris].sort();
  if (before.name === after.name && isDeepStrictEqual(sorted(before), sorted(after))) return change();
  await consents.forget({ clientId });
  const changed = await change();
  await consents.forget({ clientId });
  return changed;
}

/**
 * The limits for an existing client: its current values stay possible, even if the options, the rules for names or its
 * former server have changed. So a change of another field, even by administrators and code, removes none of them.
 */
export function allowExistingValues(
  limits: RegistrationLimits,
  { name, redirectUris, scopes, grantTypes }: ClientMetadata,
): RegistrationLimits {
  return {
    ...limits,
    scopes: [...new Set([...limits.scopes, ...scopes])],
    grantTypes: [...new Set([...limits.grantTypes, ...grantTypes])],
    existingName: name,
    existingRedirectUris: redirectUris,
    existingGrantTypes: grantTypes,
  };
}

/**
 * Checks that the clients exist that a change adds by their ids. Clients named before may have been deleted since, and
 * do not prevent another change.
 *
 * @throws OAuthError invalid_client_metadata with the unknown ids
 */
export async function checkNamedClients(
  clients: ClientStore,
  fields: readonly ClientField[],
  client: ClientMetadata,
  before: Partial<ClientMetadata> = {},
): Promise<void> {
  for (const field of fields.filter(({ namesClients }) => namesClients)) {
    const [earlier = [], current = []] = [valueOf(before, field), valueOf(client, field)] as string[][];
    const added = current.filter(
      // a client that describes itself may not be stored yet
      (id) => !earlier.includes(id) && !isClientIdUrl(id, { allowLoopback: true }),
    );
    if (added.length === 0) continue;
    const existing = (await clients.findNames(added)).map(({ clientId }) => clientId);
    const unknown = added.filter((id) => !existing.includes(id));
    const text = `${field.name} names ${unknown.join(', ')}, and there is no such client: register it first.`;
    if (unknown.length > 0) throw metadataError({ field: field.name, problem: text });
  }
}
