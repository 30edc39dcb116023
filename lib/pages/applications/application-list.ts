import type { Client } from '../../core/clients/client.js';
import { isFoundBy, searchKeyOf } from '../../core/clients/client-lists.js';
import { type ClientInfo, toClientInfo } from '../../core/clients/registry/client-info.js';
import { queryOf } from '../../core/http/query.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { accountPath, renderAccountPage, type Visit } from '../account-pages.js';
import { consumeFlash } from '../form-answers.js';
import { describeInvitations } from '../owner-pages.js';
import { findNames } from '../person.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import { describeNote } from './application-notes.js';
import { describeUsage, USAGE_LIMITS, usageOf } from './application-usage.js';
import { userAccessPath } from './user-access.js';

const TITLES = {
  own: 'applications.title',
  all: 'applications.all',
  waiting: 'applications.listWaiting',
  blocked: 'applications.listBlocked',
  unverified: 'applications.listUnverified',
  verified: 'applications.listVerified',
  'self-registered': 'applications.selfRegistered',
  unused: 'applications.listUnused',
} as const;
type ListName = keyof typeof TITLES;

/** A page of a list: the user's applications, or one of the administrators' lists. */
interface Listed {
  readonly list: ListName;
  readonly clients: readonly ClientInfo[];
  /** The position of the next page; absent at the end. */
  readonly next?: string | undefined;
  /** The position of the previous page; absent at the beginning. */
  readonly previous?: string | undefined;
  /** The number of the user's applications, without any search; absent in lists of administrators. */
  readonly owned?: number;
  /** The number of results of a search. */
  readonly found?: { readonly count: number; readonly isPart: boolean };
  /** Users whose name or id may match an administrator's search. */
  readonly users?: readonly string[];
}

/** The position of a page, in its address. */
interface Place {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const PAGE_SIZE = 20;
const MAX_FOUND = 20;
const MAX_TYPED = 100;
/** From this number on, applications are rows, and a user can search their own. */
const MANY = 8;

/** `?list=all` and the like are for administrators; any other value lists the user's applications. */
export async function listApplications(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { settings, clients, models, root } = context;
  const { userId, now } = visit;
  const query = queryOf(visit.req);
  const which = peekParameter(query, 'list');
  const done = consumeFlash(visit, root);
  const typed = peekParameter(query, 'q')?.trim().slice(0, MAX_TYPED) ?? '';
  const place = { after: peekParameter(query, 'after'), before: peekParameter(query, 'before') };
  const isHost = isAdministrator(visit);
  const isAll = isHost && which !== undefined && which !== 'own' && Object.hasOwn(TITLES, which);
  const listed = isAll
    ? await listAll(context, visit, { list: which as Exclude<ListName, 'own'>, typed, ...place })
    : await listOwn(context, userId, typed, place);
  const { list, owned, found, next, previous } = listed;
  const ownerIds = isAll ? listed.clients.flatMap(({ ownerId }) => ownerId ?? []) : [];
  const owners = await findNames(settings, ownerIds, settings.people.name);
  // without users that the site does not know
  const users = await findNames(settings, listed.users ?? [], settings.people.name, settings.people.id);
  const invited = isAll || !settings.people.findByName ? [] : await clients.listInvitations(userId, now);
  const usage = await usageOf(models, listed.clients, USAGE_LIMITS.inList);
  const invitations = await describeInvitations(
    context,
    invited.map(({ client: { clientId, name }, invitation }) => ({ id: clientId, name, invitation })),
  );
  const pathAt = (side: 'after' | 'before', at: string | undefined) =>
    at !== undefined && `${root}?list=${list}&${side}=${encodeURIComponent(at)}`;
  await renderAccountPage(context, visit, {
    view: 'applications',
    locals: (translator) => {
      const { text, day } = translator;
      const lists = Object.entries(TITLES).filter(
        ([name]) => isHost && (name !== 'waiting' || name === list || settings.applications.approval),
      );
      return {
        root,
        title: text(TITLES[list]),
        list,
        lists: lists.map(([name, key]) => ({
          name,
          href: name === 'own' ? root : `${root}?list=${name}`,
          label: text(key),
        })),
        isInRows: (owned ?? listed.clients.length) >= MANY,
        search: {
          isOffered: (owned ?? Infinity) >= MANY,
          action: root,
          list: list === 'own' ? undefined : 'all',
          typed,
          found,
          all: list === 'own' ? root : `${root}?list=all`,
        },
        users: [...users].map(([id, name]) => ({ id, name, href: userAccessPath(context, id) })),
        applications: listed.clients.map((client) => ({
          ...client,
          href: accountPath(context, client.clientId),
          ownerName: client.ownerId === undefined ? undefined : owners.get(client.ownerId),
          created: day(client.createdAt),
          ...describeUsage(usage, client, now, translator),
        })),
        paths: {
          first: previous !== undefined && `${root}?list=${list}`,
          previous: pathAt('before', previous),
          next: pathAt('after', next),
        },
        invitations: invitations(translator),
        note: describeNote(done, translator),
      };
    },
  });
}

/**
 * A search covers all applications, by a prefix of a word in the name, of the id or of a host, and by owner. Each
 * result says on which lists it is. Lists have the newest first.
 */
async function listAll(
  { settings, models: { clients } }: ApplicationsContext,
  { req, now }: Visit,
  { list, typed, ...place }: Place & { readonly list: Exclude<ListName, 'own'>; readonly typed: string },
): Promise<Listed> {
  const toInfos = (stored: readonly Client[]) => stored.map((client) => toClientInfo(client, now));
  if (typed !== '') {
    // the search may be the name or the id of an owner
    const user = await settings.people.findByName?.(typed, req);
    const users = [...new Set([typed, ...(user ? [settings.people.id(user)] : [])])];
    const [matching, owned] = await Promise.all([
      searchKeyOf(typed) === '' ? [] : clients.search(typed, MAX_FOUND + 1),
      clients.listOfOwners(users, MAX_FOUND + 1),
    ]);
    const all = [...new Map([...matching, ...owned].map((client) => [client.clientId, client])).values()];
    const newest = all.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
    const displayed = toInfos(newest.slice(0, MAX_FOUND));
    const found = { count: displayed.length, isPart: newest.length > MAX_FOUND };
    return { list: 'all', clients: displayed, found, users };
  }

  let [after, before] = [parsePlace(place.after), parsePlace(place.before)];
  const query = { limit: PAGE_SIZE + 1, list: list === 'all' ? undefined : list };
  let listed = await clients.listNewest({ ...query, after, before });
  if (before !== undefined && listed.length < PAGE_SIZE) {
    // the first page, which is always full
    [after, before] = [undefined, undefined];
    listed = await clients.listNewest(query);
  }
  const hasMore = listed.length > PAGE_SIZE;
  const displayed = before ? listed.slice(-PAGE_SIZE) : listed.slice(0, PAGE_SIZE);
  const placeOf = ({ clientId, createdAt, registration }: Client) =>
    `${((list === 'unused' ? registration?.unusedSince : undefined) ?? createdAt).getTime()}.${clientId}`;
  const [first, last] = [displayed[0], displayed.at(-1)].map((client) => client && placeOf(client));
  return {
    list,
    clients: toInfos(displayed),
    next: before || hasMore ? last : undefined,
    previous: (before ? hasMore : after) ? first : undefined,
  };
}

/** An invalid position means the beginning. */
function parsePlace(place: string | undefined) {
  const [, time, id] = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(place ?? '') ?? [];
  return time === undefined || id === undefined ? undefined : { date: new Date(Number(time)), id };
}

/** In pages, as the lists of administrators, because the usage of each application costs time. */
async function listOwn(
  { clients: registry }: ApplicationsContext,
  userId: string,
  typed: string,
  { after, before }: Place,
): Promise<Listed> {
  const ofUser = await registry.listOfOwner(userId);
  const owned = ofUser.length;
  if (typed !== '') {
    const matching = ofUser.filter((client) => isFoundBy(client, typed));
    const clients = matching.slice(0, PAGE_SIZE);
    const found = { count: clients.length, isPart: matching.length > PAGE_SIZE };
    return { list: 'own', clients, owned, found };
  }
  // a position of a deleted application means the beginning
  const indexOf = (clientId: string | undefined) =>
    ofUser.findIndex((client) => client.clientId === clientId);
  const start = indexOf(before) >= 0 ? Math.max(0, indexOf(before) - PAGE_SIZE) : indexOf(after) + 1;
  const clients = ofUser.slice(start, start + PAGE_SIZE);
  const previous = start > 0 ? clients[0]?.clientId : undefined;
  const next = start + PAGE_SIZE < owned ? clients.at(-1)?.clientId : undefined;
  return { list: 'own', clients, owned, previous, next };
}
