import type { ConsentClient } from '../../core/authorization/consent-client.js';
import type { Settings } from '../../settings/settings.js';
import { createCache } from '../../shared/lru-cache.js';
import type { Translator } from '../rendering/translator.js';

/** Where the number of users is counted, and only as far as the page tells it. */
export interface PeopleStores {
  readonly consents: {
    countUsers(
      clientIds: readonly string[],
      limit: number,
    ): Promise<{ readonly clientId: string; readonly users: number }[]>;
  };
  readonly grants: {
    usageOf(
      clientIds: readonly string[],
      limit: number,
    ): Promise<{ readonly clientId: string; readonly users: number; readonly grants: number }[]>;
  };
}

export interface OriginDependencies {
  readonly settings: Pick<Settings, 'people'>;
  readonly models: PeopleStores;
}

/** What the site knows of a client that it has not checked. */
export interface ClientOrigin {
  readonly registeredAt: Date | undefined;
  /** The name of the developer, if the site can find it. */
  readonly owner: string | undefined;
  /** Since when the owner is not the one that it was registered for. */
  readonly ownerSince: Date | undefined;
  readonly isSelfRegistered: boolean;
  /** Where it describes itself, if it does. */
  readonly describedAt: string | undefined;
  readonly hasFewPeople: boolean;
}

/** The page mentions it if there are fewer: an application that tricks users is young and has few. */
const FEW_PEOPLE = 10;
const DAY = 86_400_000;
/** Clients known to have more people. So the database is asked only about the others, whose page few users open. */
const MAX_COUNTED = 10_000;
/** Up to this age the page says how many days ago, then the date. */
const RECENT = 30;

/**
 * @param isDevice whether a device waits for the answer: what it was allowed is not remembered as a consent
 * @returns undefined for a client that is verified
 */
export type FindOrigin = (client: ConsentClient, isDevice: boolean) => Promise<ClientOrigin | undefined>;

/**
 * Finds what lets a user judge a client that nobody has checked. One command to the database, which reads ten entries
 * of an index, or ten grants, at most; none for a client that is verified, or had more users within the last day.
 */
export function createFindOrigin({ settings, models }: OriginDependencies): FindOrigin {
  const withMany = createCache<true>({ size: MAX_COUNTED, ttl: DAY / 1000 });
  const findFew = async (clientId: string, isDevice: boolean): Promise<boolean> => {
    const name = `${isDevice ? 'device' : 'consent'} ${clientId}`;
    if (withMany.has(name)) return false;
    const isFew = await (isDevice ? hasFewGrants(models, clientId) : hasFewConsents(models, clientId));
    if (!isFew) withMany.set(name, true);
    return isFew;
  };
  return async (client, isDevice) => {
    if (client.isVerified) return undefined;
    const [owner, hasFewPeople] = await Promise.all([
      findOwner(settings, client.ownerId),
      findFew(client.clientId, isDevice),
    ]);
    return {
      registeredAt: client.createdAt,
      owner,
      ownerSince: client.ownerSince,
      isSelfRegistered: client.isSelfRegistered,
      describedAt: client.describesItself ? client.clientId : undefined,
      hasFewPeople,
    };
  };
}

async function hasFewConsents({ consents }: PeopleStores, clientId: string): Promise<boolean> {
  const [counted] = await consents.countUsers([clientId], FEW_PEOPLE);
  return (counted?.users ?? 0) < FEW_PEOPLE;
}

/** Reads only that many grants, and goes by their number: if all are one user's, more users may come after them. */
async function hasFewGrants({ grants }: PeopleStores, clientId: string): Promise<boolean> {
  const [used] = await grants.usageOf([clientId], FEW_PEOPLE);
  return (used?.grants ?? 0) < FEW_PEOPLE;
}

/** The page is right without the name, too: users can decide even if the site cannot find somebody now. */
async function findOwner(
  { people: { find, name } }: OriginDependencies['settings'],
  ownerId: string | undefined,
): Promise<string | undefined> {
  if (find === undefined || ownerId === undefined) return undefined;
  try {
    const user = await find(ownerId);
    return user ? name(user) : undefined;
  } catch {
    return undefined;
  }
}

/** In words: when and by whom it was registered, who has it now, and whether few users use it. */
export function describeOrigin(
  origin: ClientOrigin | undefined,
  translator: Translator,
  now: Date,
): readonly string[] {
  if (origin === undefined) return [];
  const { markup, number, day } = translator;
  const { owner, ownerSince, hasFewPeople } = origin;
  const said = describeRegistration(origin, translator, now);
  // the owner now need not be the one who was trusted with it once
  if (owner !== undefined && ownerSince !== undefined)
    said.push(markup('consent.handedOver', { owner, date: day(ownerSince).text }));
  if (hasFewPeople) said.push(markup('consent.fewPeople', { count: number(FEW_PEOPLE) }));
  return said;
}

function describeRegistration(
  { registeredAt, owner, ownerSince, isSelfRegistered, describedAt }: ClientOrigin,
  { markup, day, ago }: Translator,
  now: Date,
): string[] {
  if (describedAt !== undefined) return [markup('consent.describesItself', { url: describedAt }, 'code')];
  if (registeredAt === undefined) return [];
  const days = Math.floor(now.getTime() / DAY) - Math.floor(registeredAt.getTime() / DAY);
  const date = days >= 0 && days <= RECENT ? ago(days) : day(registeredAt).text;
  if (isSelfRegistered) return [markup('consent.registeredItself', { date })];
  if (owner === undefined || ownerSince !== undefined) return [markup('consent.registered', { date })];
  return [markup('consent.registeredBy', { date, owner })];
}
