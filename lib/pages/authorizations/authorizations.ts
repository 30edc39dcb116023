import { type Request, type RequestHandler, type Response, Router } from 'express';

import { OAuthError } from '../../errors.js';
import {
  type Connection,
  listConnections,
  nameConnections,
  type UserAuthorization,
} from '../../grants/authorization-list.js';
import { createGrantRevocation, type GrantRevocation } from '../../grants/grant-registry.js';
import { personalCsrfTokenOf, verifyCsrfToken } from '../../http/csrf.js';
import { formBody } from '../../http/form-body.js';
import { textField } from '../../http/form-fields.js';
import { type Asked, handle, handlePage } from '../../http/handle.js';
import { queryOf } from '../../http/query.js';
import { seeOther } from '../../http/redirect.js';
import { secureTransport } from '../../http/secure-transport.js';
import type { Stores } from '../../models/stores.js';
import { emitFor } from '../../observability/events.js';
import type { Report } from '../../observability/report.js';
import type { RenderError } from '../../rendering/error-page.js';
import { pageErrors } from '../../rendering/page-errors.js';
import type { RenderPage } from '../../rendering/views.js';
import type { Words } from '../../rendering/words.js';
import type { Endpoint } from '../../server/endpoint.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { rolesOf } from '../applications/application-access.js';
import { describeScope } from '../consent/describe-scope.js';
import { navigationTo } from '../navigation.js';
import { noteOf, type Notes, withNote } from '../note.js';
import { requireLogin, userIdOf, userNameOf } from '../person.js';
import { findNamed, type Part, partOf, type Wanted, wantedOf } from './part-of-list.js';

export interface AuthorizationsPageOptions {
  readonly settings: Settings;
  readonly models: Stores;
  /** The grant types by which devices are connected. */
  readonly deviceGrantTypes: readonly string[];
  /** The registry whose events belong to a request. */
  readonly grantsFor: (req: Request) => GrantRevocation;
  readonly renderPage: RenderPage;
  readonly renderError: RenderError;
  readonly report: Report;
}

interface Context extends AuthorizationsPageOptions {
  readonly root: string;
}

/** So many are seen at once. */
const FEW = 8;

const NOTES: Notes = {
  revoked: 'authorizations.revoked',
  revoked_all: 'authorizations.revokedAll',
};

/**
 * The page on which people see which applications can use their account, and end that. What it shows and ends is always
 * the logged-in person's own: no user id is read from a request.
 *
 * @see RFC 6749 §10.3, RFC 8628 §5.4: what was allowed must be possible to take back
 */
export function createAuthorizationsPage(options: AuthorizationsPageOptions): Router {
  const { settings, report, renderError } = options;
  const context: Context = { ...options, root: pathOf(settings, 'authorizations') };
  const change = [...formBody(), requireCsrfToken(settings)];

  const router = Router();
  router.use(
    secureTransport(settings),
    requireLogin(settings, () => context.root),
  );
  router.get(
    '/',
    handlePage((req, res, now) => list(context, { req, res, now })),
  );
  router.post(
    '/revoke',
    ...change,
    handle((req, res) => revoke(context, req, res)),
  );
  router.post(
    '/revoke-all',
    ...change,
    handle((req, res) => revokeAll(context, req, res)),
  );
  router.use(() => {
    throw new OAuthError('invalid_request', 'there is no such page', { status: 404 });
  });
  router.use(pageErrors({ endpoint: 'authorizations', report, renderError, sender: 'person' }));
  return router;
}

/** RFC 6749 §10.12 */
function requireCsrfToken(settings: Settings): RequestHandler {
  return (req, _res, next) => {
    verifyCsrfToken(req, userIdOf(settings, req));
    next();
  };
}

async function list(context: Context, { req, res, now }: Asked): Promise<void> {
  const { settings, models, deviceGrantTypes, renderPage, root } = context;
  const note = noteOf(req, NOTES);
  const isDeveloper = await mayRegister(context, req, res);
  const all = await listConnections(models, { userId: userIdOf(settings, req), deviceGrantTypes, now });
  const wanted = wantedOf(queryOf(req));
  const part = await findPart(models, all, wanted);
  await renderPage(req, res, {
    view: 'authorizations',
    hasScript: true,
    locals: (words) => ({
      title: words.text('authorizations.title'),
      nav: isDeveloper
        ? navigationTo(['authorizations', 'applications'], 'authorizations', settings, words)
        : [],
      csrfToken: personalCsrfTokenOf(req, userIdOf(settings, req)),
      paths: { revoke: `${root}/revoke`, revokeAll: `${root}/revoke-all` },
      note: note && words.text(note.key),
      authorizations: part.entries.map((authorization) => describe(authorization, settings, words)),
      search: describeSearch({ root, isOffered: all.length > FEW, wanted, part }),
      userName: userNameOf(settings, req),
    }),
  });
}

/** People can end what they have allowed even if the host cannot say what else they may do. */
async function mayRegister({ settings, report }: Context, req: Request, res: Response): Promise<boolean> {
  try {
    return (await rolesOf(settings, req)).isDeveloper;
  } catch (failure) {
    report(failure, { endpoint: 'authorizations', req, res });
    return false;
  }
}

/** Names are looked up of those that are shown; of all of them only to be searched. */
async function findPart(
  { clients }: Pick<Stores, 'clients'>,
  all: readonly Connection[],
  { words, page }: Wanted,
): Promise<Part<UserAuthorization>> {
  if (words !== '') return partOf(findNamed(await nameConnections(clients, all), words), page);
  const part = partOf(all, page);
  return { ...part, entries: await nameConnections(clients, part.entries) };
}

/** A form and links, where there are more than one sees at once. */
function describeSearch({
  root,
  isOffered,
  wanted: { words },
  part: { page, pages, found },
}: {
  readonly root: string;
  readonly isOffered: boolean;
  readonly wanted: Wanted;
  readonly part: Part<unknown>;
}) {
  const addressOf = (to: number) =>
    `${root}?${new URLSearchParams({ ...(words && { q: words }), page: String(to) }).toString()}`;
  return {
    isOffered,
    words,
    root,
    count: found,
    page,
    pages,
    previous: page > 1 ? addressOf(page - 1) : undefined,
    next: page < pages ? addressOf(page + 1) : undefined,
  };
}

function describe(
  { clientId, name, trusted, hasDevice, hasWaitingDevice, scopes, since, renewedAt }: UserAuthorization,
  settings: Settings,
  words: Words,
) {
  return {
    clientId,
    name,
    trusted,
    hasDevice,
    isWaiting: hasWaitingDevice,
    scopes: scopes.map((scope) => describeScope(settings.scopes, scope, words.locale)),
    since: words.day(since),
    renewed: renewedAt && words.moment(renewedAt),
  };
}

async function revoke({ settings, grantsFor, root }: Context, req: Request, res: Response): Promise<void> {
  const clientId = textField(req.body, 'client_id');
  // an empty one must not come to mean all of them
  if (clientId === '') throw new OAuthError('invalid_request', 'the form names no application');
  await grantsFor(req).revoke({ userId: userIdOf(settings, req), clientId }, 'user');
  seeOther(res, withNote(root, 'revoked'));
}

async function revokeAll({ settings, grantsFor, root }: Context, req: Request, res: Response): Promise<void> {
  await grantsFor(req).revoke({ userId: userIdOf(settings, req) }, 'user');
  seeOther(res, withNote(root, 'revoked_all'));
}

export const authorizations: Endpoint = {
  name: 'authorizations',
  isPage: true,
  create(server) {
    const { models, events, rendering, grantTypes } = server;
    return createAuthorizationsPage({
      ...server,
      ...rendering,
      deviceGrantTypes: grantTypes.flatMap(({ name, connectsDevice }) =>
        connectsDevice === true ? [name] : [],
      ),
      grantsFor: (req) => createGrantRevocation(models, emitFor(events, req)),
    });
  },
};
