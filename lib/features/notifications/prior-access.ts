import type { Consent } from '../../core/grants/consent-store.js';
import type { Stores } from '../../storage/stores.js';

/** What somebody decides at this moment may have been stored by now; milliseconds. */
const JUST_NOW = 5000;

/**
 * What a client could do with somebody's account before they were asked just now; undefined if it had no access. The
 * answer may be stored at the same moment, so what is that young does not count: if that loses what an app without
 * tokens had before, its user is told once too often, never too seldom.
 */
export async function findPriorScopes(
  { consents, grants }: Pick<Stores, 'consents' | 'grants'>,
  { userId, clientId, time }: { readonly userId: string; readonly clientId: string; readonly time: Date },
): Promise<readonly string[] | undefined> {
  const isBefore = (date: Date) => time.getTime() - date.getTime() > JUST_NOW;
  const [[consent], [connected]] = await Promise.all([
    consents.findOfUser(userId, [clientId]),
    grants.findConnectedClients(userId, [clientId], time),
  ]);
  const consented = consent !== undefined && isBefore(consent.createdAt) ? consent : undefined;
  const live = connected !== undefined && isBefore(connected.since) ? connected : undefined;
  if (consented === undefined && live === undefined) return undefined;
  return [...scopesOfConsent(consented, isBefore), ...(live?.scopes.flat() ?? [])];
}

/** What was stored at this moment may already be the answer. */
function scopesOfConsent(consent: Consent | undefined, isBefore: (date: Date) => boolean): readonly string[] {
  if (consent === undefined || !isBefore(consent.updatedAt)) return [];
  // a scope that is remembered for a resource has it after a space
  return consent.scopes.map((entry) => entry.split(' ')[0] ?? '');
}
