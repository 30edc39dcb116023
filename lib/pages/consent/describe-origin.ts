import type { ConsentClient } from '../../core/authorization/consent-client.js';
import type { ConsentStore } from '../../core/grants/consent-store.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Settings } from '../../settings/settings.js';
import { createCache } from '../../shared/lru-cache.js';
import { findNames } from '../person.js';
import type { Translator } from '../rendering/translator.js';

export type FindOrigin = ReturnType<typeof createFindOrigin>;

/** The page warns of fewer users: a fraudulent application is new and has few. */
const FEW_PEOPLE = 10;
const DAY = 86_400_000;
/** Size of the cache of clients with more users, so that the database counts only rarely used ones. */
const MAX_COUNTED = 10_000;
/** Up to this age in days the page says how long ago, then the date. */
const RECENT = 30;

/**
 * Finds facts for judging an unverified client. One command, which reads at most ten entries of an index, or ten
 * grants; none for a verified client, or one with more users within the last day.
 */
export function createFindOrigin({
  settings,
  models: { consents, grants },
}: {
  readonly settings: Settings;
  readonly models: { readonly consents: ConsentStore; readonly grants: GrantStore };
}) {
  const withMany = createCache<true>({ size: MAX_COUNTED, ttl: DAY / 1000 });
  const hasFew = async (clientId: string, isDevice: boolean): Promise<boolean> => {
    const name = `${isDevice ? 'device' : 'consent'} ${clientId}`;
    if (withMany.has(name)) return false;
    // only ten grants are read, and their number counts: more users may follow even if all belong to one user
    const count = isDevice
      ? (await grants.usageOf([clientId], FEW_PEOPLE))[0]?.grants
      : (await consents.countUsers([clientId], FEW_PEOPLE))[0]?.users;
    const isFew = (count ?? 0) < FEW_PEOPLE;
    if (!isFew) withMany.set(name, true);
    return isFew;
  };
  /** `isDevice`: consents to devices are not stored, so grants are counted. */
  return async (client: ConsentClient, isDevice: boolean) => {
    const { clientId, ownerId, isVerified } = client;
    if (isVerified) return undefined;
    const [names, hasFewPeople] = await Promise.all([
      findNames(settings, ownerId === undefined ? [] : [ownerId], settings.people.name),
      hasFew(clientId, isDevice),
    ]);
    // the name of the developer, if the site can find it
    return { client, owner: names.get(ownerId ?? ''), hasFewPeople };
  };
}

/** The texts about its registration, its owner, and a small number of users. */
export function describeOrigin(
  origin: Awaited<ReturnType<FindOrigin>>,
  { markup, number, day, ago }: Translator,
  now: Date,
): readonly string[] {
  if (origin === undefined) return [];
  const { owner, hasFewPeople, client } = origin;
  const { createdAt, ownerSince } = client;
  const said: string[] = [];
  if (client.describesItself) said.push(markup('consent.describesItself', { url: client.clientId }, 'code'));
  else if (createdAt !== undefined) {
    const days = Math.floor(now.getTime() / DAY) - Math.floor(createdAt.getTime() / DAY);
    const date = days >= 0 && days <= RECENT ? ago(days) : day(createdAt).text;
    if (client.isSelfRegistered) said.push(markup('consent.registeredItself', { date }));
    else if (owner === undefined || ownerSince !== undefined)
      said.push(markup('consent.registered', { date }));
    else said.push(markup('consent.registeredBy', { date, owner }));
  }
  // the current owner need not be the one who was trusted
  if (owner !== undefined && ownerSince !== undefined)
    said.push(markup('consent.handedOver', { owner, date: day(ownerSince).text }));
  if (hasFewPeople) said.push(markup('consent.fewPeople', { count: number(FEW_PEOPLE) }));
  return said;
}
