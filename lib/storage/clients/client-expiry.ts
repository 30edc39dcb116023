import type { Client } from '../../core/clients/client.js';
import { CLIENT_FIELDS } from '../../core/clients/client-fields.js';
import type { ClientConsents, ClientStore } from '../../core/clients/client-store.js';
import { isHostApproved } from '../../core/clients/registry/update-client.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { Collection } from '../connection/collection.js';
import type { StoredClient } from './client-document.js';

/** Matches only clients that the site has neither adopted nor vouched for. */
export const NOT_ADOPTED = {
  'registration.adoptedAt': { $exists: false },
  ...Object.fromEntries(
    CLIENT_FIELDS.filter(({ grantsTrust }) => grantsTrust).map(({ name }) => [name, { $ne: true }]),
  ),
};

interface ClientExpiryOptions {
  /** Seconds. */
  readonly usedLife: number;
  /** Seconds that one is kept after its first grant, until it gets another one or refreshes it. */
  readonly firstLife: number;
  /** Where consents to an earlier client of the same id are forgotten. Default: nowhere. */
  readonly consents: Pick<ClientConsents, 'forget'> | undefined;
  readonly insert: ClientStore['insert'];
}

/** How long clients that register or describe themselves stay; a part of the store of clients. */
export function createClientExpiry(
  clients: Collection<StoredClient>,
  { usedLife, firstLife, consents, insert }: ClientExpiryOptions,
): Pick<ClientStore, 'prolong'> {
  /** For a client that describes itself: consents to an earlier client of this id do not count for it. */
  const insertNew = async (client: Client, expiresAt: Date) => {
    await consents?.forget({ clientId: client.clientId });
    return insert({ ...ownFormOf(client), expiresAt });
  };

  return {
    async prolong(client, now) {
      const storedUntil = findExpiry(client, { usedLife, firstLife, now });
      if (storedUntil === undefined) return false;
      if (client.document?.isUnstored === true && (await insertNew(client, storedUntil))) return true;
      // a process that knows the client as it was must not shorten it
      const update = { $max: { expiresAt: storedUntil }, $unset: { 'registration.unusedSince': 1 } };
      if (await clients.updateOne({ _id: client.clientId, ...NOT_ADOPTED }, update)) return true;
      // adopted meanwhile
      if ((await clients.findOne({ _id: client.clientId }, { _id: 1 })) !== null) return true;
      throw new OAuthError(
        'unauthorized_client',
        'the client was not used in time and is removed; it has to register again',
      );
    },
  };
}

/** Leaves out what the site's options say of it: that holds only as long as they say so. */
function ownFormOf({ document, verified, ...client }: Client): Client {
  if (document === undefined) return { ...client, ...(verified !== undefined && { verified }) };
  const { isVerifiedByOptions, isUnstored: _untilNow, ...stored } = document;
  return {
    ...client,
    document: stored,
    ...(verified !== undefined && isVerifiedByOptions !== true && { verified }),
  };
}

/** Seconds: used clients are kept a week longer than they need, so that this is stored only once a week. */
const SLACK = 604_800;
/** Seconds: its first tokens come later than its first code, and end later. */
const FIRST_SLACK = 86_400;

/**
 * Until when a client that registered or describes itself is kept if it gets a grant now; undefined if it is kept that
 * long already, or for good.
 */
function findExpiry(
  client: Client,
  { usedLife, firstLife, now }: Pick<ClientExpiryOptions, 'usedLife' | 'firstLife'> & { readonly now: Date },
): Date | undefined {
  const { registration, document, expiresAt, accessTokenTtl = 0, refreshTokenTtl = 0 } = client;
  if (isPermanent(client)) return undefined;
  // most clients that one user has tried once are never heard of again: no longer than their tokens
  if (registration?.unusedSince !== undefined || document?.isUnstored === true)
    return addSeconds(now, Math.max(firstLife, accessTokenTtl, refreshTokenTtl) + FIRST_SLACK);
  const life = Math.max(usedLife, accessTokenTtl, refreshTokenTtl);
  const isStored = expiresAt !== undefined && expiresAt >= addSeconds(now, life);
  return isStored ? undefined : addSeconds(now, life + SLACK);
}

/** Whether somebody of the site has registered the client, or vouches for it. */
function isPermanent(client: Client): boolean {
  const { registration, document } = client;
  if (registration === undefined && document === undefined) return true;
  return registration?.adoptedAt !== undefined || isHostApproved(ownFormOf(client), CLIENT_FIELDS);
}
