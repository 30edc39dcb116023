import type { Shown } from '../../authorization/shown.js';
import { createMemory } from '../../crypto/cache.js';
import type { Words } from '../../rendering/words.js';
import type { Settings } from '../../settings/settings.js';
import { isShownAsVerified } from './describe-client.js';

/** Where the number of people is read, and no further than it is told. */
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
  readonly settings: Pick<Settings, 'findUser' | 'userName'>;
  readonly models: PeopleStores;
}

/** What the site knows of a client that it has not checked. */
export interface ClientOrigin {
  readonly registeredAt: Date | undefined;
  /** The name of the developer, where the host can find it. */
  readonly owner: string | undefined;
  /** Since when the owner is another one than it was registered for. */
  readonly ownerSince: Date | undefined;
  readonly isSelfRegistered: boolean;
  /** Where it says who it is, if it does that itself. */
  readonly describedAt: string | undefined;
  readonly hasFewPeople: boolean;
}

/** Fewer people than these are told: an application that tricks people is young and has few. */
const FEW_PEOPLE = 10;
const DAY = 86_400_000;
/** Clients that have more people; so the others alone are asked about, which few people open a page of. */
const MOST_KNOWN = 10_000;
/** Days that are told as such; what is older has its date. */
const RECENT = 30;

/**
 * @param isDevice whether a device waits for the answer: what it was allowed is no consent to be remembered
 * @returns undefined for a client that is verified
 */
export type FindOrigin = (client: Shown['client'], isDevice: boolean) => Promise<ClientOrigin | undefined>;

/**
 * Finds what lets a person judge a client that nobody has checked. One command to the database, which reads ten entries
 * of an index, or ten grants, at most; none for a client that is verified, or had more people within a day.
 */
export function createFindOrigin({ settings, models }: OriginDependencies): FindOrigin {
  const withMany = createMemory<true>({ size: MOST_KNOWN, life: DAY / 1000 });
  const findFew = async (clientId: string, isDevice: boolean): Promise<boolean> => {
    const name = `${isDevice ? 'device' : 'consent'} ${clientId}`;
    if (withMany.has(name)) return false;
    const isFew = await (isDevice ? hasFewGrants(models, clientId) : hasFewConsents(models, clientId));
    if (!isFew) withMany.set(name, true);
    return isFew;
  };
  return async (client, isDevice) => {
    if (isShownAsVerified(client)) return undefined;
    const [owner, hasFewPeople] = await Promise.all([
      findOwner(settings, client.ownerId),
      findFew(client.clientId, isDevice),
    ]);
    return {
      registeredAt: client.createdAt,
      owner,
      ownerSince: client.ownerSince,
      isSelfRegistered: client.registration !== undefined,
      describedAt: client.document && client.clientId,
      hasFewPeople,
    };
  };
}

async function hasFewConsents({ consents }: PeopleStores, clientId: string): Promise<boolean> {
  const [counted] = await consents.countUsers([clientId], FEW_PEOPLE);
  return (counted?.users ?? 0) < FEW_PEOPLE;
}

/** Of as many grants as there are at most; where these are of one person, there may be more people behind them. */
async function hasFewGrants({ grants }: PeopleStores, clientId: string): Promise<boolean> {
  const [used] = await grants.usageOf([clientId], FEW_PEOPLE);
  return (used?.grants ?? 0) < FEW_PEOPLE;
}

/** The page is as right without the name: a host that cannot find somebody now keeps nobody from deciding. */
async function findOwner(
  { findUser, userName }: OriginDependencies['settings'],
  ownerId: string | undefined,
): Promise<string | undefined> {
  if (findUser === undefined || ownerId === undefined) return undefined;
  try {
    const user = await findUser(ownerId);
    return user ? userName(user) : undefined;
  } catch {
    return undefined;
  }
}

/** In words: when and by whom, in whose hands it is, and by how many it is used. */
export function describeOrigin(origin: ClientOrigin | undefined, words: Words, now: Date): readonly string[] {
  if (origin === undefined) return [];
  const { markup, number, day } = words;
  const { owner, ownerSince, hasFewPeople } = origin;
  const said = describeRegistration(origin, words, now);
  // who has it now need not be who was trusted with it once
  if (owner !== undefined && ownerSince !== undefined)
    said.push(markup('consent.handedOver', { owner, date: day(ownerSince).text }));
  if (hasFewPeople) said.push(markup('consent.fewPeople', { count: number(FEW_PEOPLE) }));
  return said;
}

function describeRegistration(
  { registeredAt, owner, ownerSince, isSelfRegistered, describedAt }: ClientOrigin,
  { markup, day, ago }: Words,
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
