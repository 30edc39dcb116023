import type { Request } from 'express';

import { isFoundBy } from '../../core/clients/client-lists.js';
import {
  type ClientPage,
  type ClientPageQuery,
  PAGE_SIZE,
  USAGE_LIMITS,
} from '../../core/clients/registry/client-directory.js';
import { queryOf } from '../../core/http/query.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { accountPath, renderAccountPage, type Visit } from '../account-pages.js';
import { consumeFlash } from '../form-answers.js';
import { describeInvitations } from '../owner-pages.js';
import { findNames } from '../person.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import { describeNote } from './application-notes.js';
import { describeUsage } from './application-page.js';
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

/** A part of a list: the user's own applications, or those that administrators see. */
interface Listed extends ClientPage {
  readonly list: ListName;
  /** How many applications the user has, whatever was searched for; absent in the lists of administrators. */
  readonly owned?: number;
  /** What a search has found. */
  readonly found?: { readonly count: number; readonly isPart: boolean };
  /** The users that a search by an administrator may mean. */
  readonly users?: readonly string[];
}

const MAX_TYPED = 100;
/** From this many on, they are rows, and a user's own can be searched. */
const MANY = 8;

/** `?list=all` and the like are for administrators; everything else lists the user's own. */
export async function listApplications(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { settings, clients, directory, root } = context;
  const { userId, now } = visit;
  const query = queryOf(visit.req);
  const which = peekParameter(query, 'list');
  const done = consumeFlash(visit, root);
  const typed = peekParameter(query, 'q')?.trim().slice(0, MAX_TYPED) ?? '';
  const place = { after: peekParameter(query, 'after'), before: peekParameter(query, 'before') };
  const isHost = isAdministrator(visit);
  const isAll = isHost && which !== undefined && which !== 'own' && Object.hasOwn(TITLES, which);
  const listed = isAll
    ? await listAll(context, which as Exclude<ListName, 'own'>, { req: visit.req, typed }, place)
    : await listOwn(context, userId, typed, place);
  const { list, owned, found, next, previous } = listed;
  const ownerIds = isAll ? listed.clients.flatMap(({ ownerId }) => ownerId ?? []) : [];
  const owners = await findNames(settings, ownerIds, settings.people.name);
  // without those whom the site does not know
  const users = await findNames(settings, listed.users ?? [], settings.people.name, settings.people.id);
  const invited = isAll || !settings.people.findByName ? [] : await clients.listInvitations(userId, now);
  const usage = await directory.usageOf(listed.clients, USAGE_LIMITS.inList);
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

/** A search covers all applications: each one that it finds says itself on which lists it is. */
async function listAll(
  { settings, directory }: ApplicationsContext,
  list: Exclude<ListName, 'own'>,
  { req, typed }: { readonly req: Request; readonly typed: string },
  place: ClientPageQuery,
): Promise<Listed> {
  if (typed === '')
    return { list, ...(await directory.list({ ...place, list: list === 'all' ? undefined : list })) };
  // an owner is meant by a name, or by an id
  const named = await settings.people.findByName?.(typed, req);
  const owners = [...new Set([typed, ...(named ? [settings.people.id(named)] : [])])];
  const { clients, isPart } = await directory.search(typed, owners);
  return { list: 'all', clients, found: { count: clients.length, isPart }, users: owners };
}

/** In pages, as the lists of administrators: what is said of the use of each application costs time. */
async function listOwn(
  { clients: registry }: ApplicationsContext,
  userId: string,
  typed: string,
  { after, before }: ClientPageQuery,
): Promise<Listed> {
  const own = await registry.listOfOwner(userId);
  const owned = own.length;
  if (typed !== '') {
    const matching = own.filter((client) => isFoundBy(client, typed));
    const clients = matching.slice(0, PAGE_SIZE);
    const found = { count: clients.length, isPart: matching.length > PAGE_SIZE };
    return { list: 'own', clients, owned, found };
  }
  // a place that is not there any more counts as the beginning
  const indexOf = (clientId: string | undefined) => own.findIndex((client) => client.clientId === clientId);
  const start = indexOf(before) >= 0 ? Math.max(0, indexOf(before) - PAGE_SIZE) : indexOf(after) + 1;
  const clients = own.slice(start, start + PAGE_SIZE);
  const previous = start > 0 ? clients[0]?.clientId : undefined;
  const next = start + PAGE_SIZE < owned ? clients.at(-1)?.clientId : undefined;
  return { list: 'own', clients, owned, previous, next };
}
