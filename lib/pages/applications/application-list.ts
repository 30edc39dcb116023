import { CLIENT_LISTS, isFoundBy } from '../../core/clients/client-lists.js';
import {
  type ClientPageQuery,
  PAGE_SIZE,
  USAGE_LIMITS,
} from '../../core/clients/registry/client-directory.js';
import { queryOf } from '../../core/http/query.js';
import type { Settings } from '../../settings/settings.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { PageHandler } from '../form-handler.js';
import { viewerOf } from './application-access.js';
import type { ListName, ListPage } from './application-list-page.js';
import { consumeNote } from './application-notes.js';
import { ownerNames } from './application-owners.js';
import type { ApplicationsContext } from './applications-context.js';

/** What is listed, and what is around it. */
type Listed = Pick<ListPage, 'clients' | 'list'> & Partial<Pick<ListPage, 'next' | 'previous' | 'found'>>;

const MAX_TYPED = 100;
/** Ids that the site gives for a name and that are searched for. */
const MAX_OWNERS = 20;
const LISTS: readonly string[] = ['all', 'unused', ...CLIENT_LISTS];

/** `?list=all` and the like are for administrators; everything else lists the user's own. */
export function listApplications(context: ApplicationsContext): PageHandler {
  const { settings, clients, directory, pages } = context;
  return async (req, res, now) => {
    const { isAdministrator, ownerId } = viewerOf(req);
    const query = queryOf(req);
    const which = peekParameter(query, 'list');
    const done = consumeNote(req, pages.root, now);
    const typed = peekParameter(query, 'q')?.trim().slice(0, MAX_TYPED) ?? '';
    const isAll = isAdministrator && which !== undefined && LISTS.includes(which);
    const listed = isAll
      ? await listAll(context, {
          list: which as ListName,
          typed,
          after: peekParameter(query, 'after'),
          before: peekParameter(query, 'before'),
        })
      : await listOwn(context, {
          ownerId,
          typed,
          after: peekParameter(query, 'after'),
          before: peekParameter(query, 'before'),
        });
    await pages.list(req, res, {
      next: undefined,
      previous: undefined,
      found: undefined,
      ...listed,
      typed,
      done,
      owners: isAll ? await ownerNames(settings, listed.clients) : new Map(),
      invitations:
        isAll || !settings.applications.findUser ? [] : await clients.listInvitations(ownerId, now),
      usage: { now, byClient: await directory.usageOf(listed.clients, USAGE_LIMITS.inList) },
    });
  };
}

/** A search covers all applications: each one that it finds says itself on which lists it is. */
async function listAll(
  { settings, directory }: ApplicationsContext,
  {
    list: name,
    typed,
    after,
    before,
  }: Pick<ClientPageQuery, 'after' | 'before'> & { readonly list: ListName; readonly typed: string },
): Promise<Listed> {
  if (typed !== '') {
    const { clients, isPart } = await directory.search(typed, await ownersOf(settings, typed));
    return { list: 'all', clients, found: { count: clients.length, isPart } };
  }
  const chosen = name === 'all' || name === 'own' ? {} : { list: name };
  return { list: name, ...(await directory.list({ ...chosen, after, before })) };
}

/** In pages, as the lists of administrators: what is said of the use of each application costs time. */
async function listOwn(
  { clients }: ApplicationsContext,
  {
    ownerId,
    typed,
    after,
    before,
  }: Pick<ClientPageQuery, 'after' | 'before'> & { readonly ownerId: string; readonly typed: string },
): Promise<Listed & Pick<ListPage, 'owned'>> {
  const own = await clients.listOfOwner(ownerId);
  const owned = own.length;
  if (typed !== '') {
    const found = own.filter((client) => isFoundBy(client, typed));
    const displayed = found.slice(0, PAGE_SIZE);
    return {
      list: 'own',
      clients: displayed,
      owned,
      found: { count: displayed.length, isPart: found.length > PAGE_SIZE },
    };
  }
  // a place that is not there any more counts as the beginning
  const placeOf = (clientId: string | undefined) =>
    clientId === undefined ? -1 : own.findIndex((client) => client.clientId === clientId);
  const start = placeOf(before) >= 0 ? Math.max(0, placeOf(before) - PAGE_SIZE) : placeOf(after) + 1;
  const displayed = own.slice(start, start + PAGE_SIZE);
  return {
    list: 'own',
    clients: displayed,
    owned,
    ...(start > 0 && { previous: displayed[0]?.clientId }),
    ...(start + PAGE_SIZE < owned && { next: displayed.at(-1)?.clientId }),
  };
}

/** The users that are meant by a name, or by an id. */
async function ownersOf({ applications }: Settings, typed: string): Promise<readonly string[]> {
  const ids: unknown = await applications.findOwners?.(typed);
  const named = Array.isArray(ids)
    ? ids.filter((id): id is string => typeof id === 'string' && id !== '')
    : [];
  return [...new Set([typed, ...named])].slice(0, MAX_OWNERS);
}
