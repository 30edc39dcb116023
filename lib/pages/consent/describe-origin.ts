import type { ConsentClient } from '../../core/authorization/consent-client.js';
import type { ConsentStore } from '../../core/grants/consent-store.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Settings } from '../../settings/settings.js';
import { createCache } from '../../shared/lru-cache.js';
import { findNames } from '../person.js';
import type { Translator } from '../rendering/translator.js';

export type FindOrigin = ReturnType<typeof createFindOrigin>;

/** The page mentions it if there are fewer: an application that tricks users is young and has few. */
const FEW_PEOPLE = 10;
const DAY = 86_400_000;
/** Clients known to have more people. So the database is asked only about the others, whose page few users open. */
const MAX_COUNTED = 10_000;
/** Up to this age the page says how many days ago, then the date. */
const RECENT = 30;

/**
 * Finds what lets a user judge a client that nobody has checked. One command to the database, which reads ten entries
 * of an index, or ten grants, at most; none for a client that is verified, or had more users within the last day.
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
    // of grants only that many are read, and their number counts: if all are one user's, more users may come after them
    const count = isDevice
      ? (await grants.usageOf([clientId], FEW_PEOPLE))[0]?.grants
      : (await consents.countUsers([clientId], FEW_PEOPLE))[0]?.users;
    const isFew = (count ?? 0) < FEW_PEOPLE;
    if (!isFew) withMany.set(name, true);
    return isFew;
  };
  /** `isDevice`: a device waits for the answer, and what it was allowed is not remembered as a consent. */
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

/** In words: when and by whom it was registered, who has it now, and whether few users use it. */
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
  // the owner now need not be the one who was trusted with it once
  if (owner !== undefined && ownerSince !== undefined)
    said.push(markup('consent.handedOver', { owner, date: day(ownerSince).text }));
  if (hasFewPeople) said.push(markup('consent.fewPeople', { count: number(FEW_PEOPLE) }));
  return said;
}
