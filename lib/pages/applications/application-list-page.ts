import type { Request, Response } from 'express';

import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Invited } from '../../core/clients/registry/owners.js';
import type { Done } from '../flash-message.js';
import type { Translator } from '../rendering/translator.js';
import { viewerOf } from './application-access.js';
import { describeNote } from './application-notes.js';
import { describeClientInvitations } from './describe-application-owners.js';
import { describeUsage, type Usage } from './describe-usage.js';
import { type Renderer, sharedBy } from './shared-by-pages.js';

/** A list of applications: one's own, or those that administrators see. */
export interface ListPage {
  readonly clients: readonly ClientInfo[];
  readonly usage: Usage;
  readonly list: ListName;
  /** What was searched for; empty if nothing was. */
  readonly typed: string;
  /** What a search has found. */
  readonly found: { readonly count: number; readonly isPart: boolean } | undefined;
  /** How many applications the user has, whatever was searched for; absent in the lists of administrators. */
  readonly owned?: number;
  readonly next: string | undefined;
  readonly previous: string | undefined;
  /** To applications that the viewer may own if they like. */
  readonly invitations: readonly Invited[];
  /** The names of owners by their ids, as far as they are known. */
  readonly owners: ReadonlyMap<string, string>;
  /** What a form has done just before. */
  readonly done: Done | undefined;
}

const LIST_TITLES = {
  own: 'applications.title',
  all: 'applications.all',
  waiting: 'applications.listWaiting',
  blocked: 'applications.listBlocked',
  unverified: 'applications.listUnverified',
  verified: 'applications.listVerified',
  'self-registered': 'applications.selfRegistered',
  unused: 'applications.listUnused',
} as const;
export type ListName = keyof typeof LIST_TITLES;

/** From this many on, they are rows, and a user's own can be searched. */
const MANY = 8;

/** Renders a list of applications; decides nothing. */
export function renderList(renderer: Renderer) {
  const { root, pathOf, renderPage } = renderer;
  return async (req: Request, res: Response, page: ListPage): Promise<void> => {
    const { clients, usage, list, owners, owned } = page;
    const { isAdministrator } = viewerOf(req);
    const invitations = await describeClientInvitations(renderer.settings, page.invitations, pathOf);
    await renderPage(req, res, {
      view: 'applications',
      locals: (translator) => ({
        ...sharedBy(renderer, req, translator),
        title: translator.text(LIST_TITLES[list]),
        list,
        lists: isAdministrator ? listsOf(renderer, list, translator) : [],
        isInRows: (owned ?? clients.length) >= MANY,
        search: searchOf(root, page),
        applications: clients.map((client) => ({
          ...client,
          href: pathOf(client.clientId),
          ownerName: client.ownerId === undefined ? undefined : owners.get(client.ownerId),
          created: translator.day(client.createdAt),
          ...describeUsage(usage, client, translator),
        })),
        paths: pathsOf(root, page),
        invitations: invitations(translator),
        note: describeNote(page.done, translator),
      }),
    });
  };
}

function searchOf(root: string, { list, typed, found, owned = Infinity }: ListPage) {
  return {
    isOffered: owned >= MANY,
    action: root,
    list: list === 'own' ? undefined : 'all',
    typed,
    found,
    all: list === 'own' ? root : `${root}?list=all`,
  };
}

function pathsOf(root: string, { list, next, previous }: ListPage) {
  const to = (place: 'after' | 'before', at: string | undefined) =>
    at !== undefined && `${root}?list=${list}&${place}=${encodeURIComponent(at)}`;
  return {
    first: previous !== undefined && `${root}?list=${list}`,
    previous: to('before', previous),
    next: to('after', next),
  };
}

function listsOf({ root, settings }: Renderer, current: ListName, { text }: Translator) {
  return Object.entries(LIST_TITLES)
    .filter(([name]) => name !== 'waiting' || name === current || settings.applications.approval)
    .map(([name, key]) => ({
      name,
      href: name === 'own' ? root : `${root}?list=${name}`,
      label: text(key),
    }));
}
