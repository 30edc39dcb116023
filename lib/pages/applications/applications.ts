import { type Request, Router } from 'express';

import type { ClientDirectory } from '../../core/clients/registry/client-directory.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import type { OperationContext } from '../../core/clients/registry/update-client.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { formBody } from '../../core/http/form-body.js';
import { handlePage } from '../../core/http/handle.js';
import type { RenderError } from '../../core/http/page-error.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { emitFor, type OAuthEvents } from '../../core/observability/events.js';
import type { Report } from '../../core/observability/report.js';
import { fetchCallerOf } from '../../core/sessions/fetch-caller.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit, failureKey, type FailureLimit } from '../../shared/limits/failure-limit.js';
import type { SharedFailures } from '../../shared/limits/shared-failures.js';
import { createFormHandler } from '../form-handler.js';
import { createInvitationLimit } from '../owners/invitation-limit.js';
import { requireLogin } from '../person.js';
import { pageErrors } from '../rendering/page-errors.js';
import type { RenderPage } from '../rendering/views.js';
import { notFound, requireDeveloper, viewerOf } from './application-access.js';
import {
  confirmDelete,
  edit,
  redisplayChanges,
  redisplayRemoval,
  remove,
  save,
  show,
  verify,
} from './application-changes.js';
import { listApplications } from './application-list.js';
import {
  accept,
  confirmRemoval,
  decline,
  invite,
  inviteAgain,
  type OwnershipContext,
  removeOwner,
  showInvitation,
  withdraw,
} from './application-ownership.js';
import { createApplicationPages } from './application-pages.js';
import {
  chooseKind,
  create,
  redisplayKind,
  redisplayRegistration,
  registerApplication,
} from './application-registration.js';
import { endOldSecret, rotateSecret } from './application-secrets.js';
import { approve, block, unblock } from './application-standing.js';
import type { ApplicationsContext } from './applications-context.js';
import {
  confirmDisconnection,
  disconnectEveryone,
  type DisconnectionContext,
} from './disconnect-everyone.js';
import { keepTyped } from './logged-out-form.js';

export interface ApplicationsPagesOptions {
  readonly settings: Settings;
  readonly clients: ClientService;
  readonly directory: ClientDirectory;
  /** Default: nothing is counted. */
  readonly clientFailures?: ApplicationsContext['clientFailures'];
  /** What users have allowed clients. */
  readonly models: Parameters<typeof createGrantRevocation>[0];
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
  /** Default: nobody is told. */
  readonly events?: OAuthEvents;
  /** Where limits of all processes are counted. */
  readonly failures: SharedFailures;
  readonly renderPage: RenderPage;
  readonly report: Report;
  readonly renderError: RenderError;
}

/**
 * The pages on which developers register and manage their clients, and administrators manage all of them. Mounted at
 * `<basePath>/applications`.
 *
 * @see RFC 6749 §2: "typically involve end-user interaction with an HTML registration form"
 */
export function createApplicationsPages({
  settings,
  clients,
  directory,
  clientFailures,
  models,
  grantTypes,
  events,
  failures,
  renderPage,
  report,
  renderError,
}: ApplicationsPagesOptions): Router {
  const pages = createApplicationPages({ settings, clients, renderPage, grantTypes });
  const actOf = (req: Request, now: Date): OperationContext => ({
    emit: events === undefined ? () => undefined : emitFor(events, req),
    now,
    getCaller: () => fetchCallerOf(settings, req),
  });
  const context: ApplicationsContext = { settings, clients, directory, clientFailures, actOf, pages };
  const disconnection: DisconnectionContext = {
    clients,
    directory,
    pages,
    grantsFor: (req) => createGrantRevocation(models, events && emitFor(events, req)),
  };
  const ownership: OwnershipContext = {
    ...context,
    countInvitation: limitOf(events, createInvitationLimit(settings.security.rateLimits !== false, failures)),
  };
  const userIdOf = (req: Request) => viewerOf(req).ownerId;
  const form = createFormHandler({ userIdOf, limit: limitForms({ settings, events, failures }) });
  // to choose a kind makes no work, and should not use up what somebody has to register it
  const chooseForm = createFormHandler({ userIdOf });
  const typed = [
    ...formBody(),
    keepTyped(settings, { root: pages.root, renderPage, fields: clients.fields }),
  ];

  const router = Router();
  router.use(secureTransport(settings));
  router.post(['/', '/new', '/:clientId/edit', '/:clientId/delete', '/:clientId/invite'], ...typed);
  router.use(requireLogin(settings, returnPathTo(pages.root)), requireDeveloper(settings));
  router.get('/', handlePage(listApplications(context)));
  router.post('/', ...form(registerApplication(context), redisplayRegistration(context)));
  router.get('/new', handlePage(create(context)));
  router.post('/new', ...chooseForm(chooseKind(context), redisplayKind(context)));
  router.get('/:clientId', handlePage(show(context)));
  router.get('/:clientId/edit', handlePage(edit(context)));
  router.post('/:clientId/edit', ...form(save(context), redisplayChanges(context)));
  router.post('/:clientId/rotate-secret', ...form(rotateSecret(context)));
  router.post('/:clientId/end-old-secret', ...form(endOldSecret(context)));
  router.post('/:clientId/verify', ...form(verify(context)));
  router.get('/:clientId/disconnect', handlePage(confirmDisconnection(disconnection)));
  router.post(
    '/:clientId/disconnect',
    ...form(disconnectEveryone(disconnection), confirmDisconnection(disconnection, { isOutOfDate: true })),
  );
  router.post('/:clientId/block', ...form(block(context)));
  router.post('/:clientId/approve', ...form(approve(context)));
  router.post('/:clientId/unblock', ...form(unblock(context)));
  router.post('/:clientId/invite', ...form(invite(ownership), inviteAgain(ownership)));
  router.post('/:clientId/withdraw', ...form(withdraw(ownership)));
  router.get('/:clientId/invitation', handlePage(showInvitation(ownership)));
  router.post('/:clientId/accept', ...form(accept(ownership)));
  router.post('/:clientId/decline', ...form(decline(ownership)));
  router.get('/:clientId/remove-owner', handlePage(confirmRemoval(ownership)));
  router.post(
    '/:clientId/remove-owner',
    ...form(removeOwner(ownership), confirmRemoval(ownership, { isOutOfDate: true })),
  );
  router.get('/:clientId/delete', handlePage(confirmDelete(context)));
  router.post('/:clientId/delete', ...form(remove(context), redisplayRemoval(context)));
  router.use(() => {
    throw notFound();
  });
  router.use(pageErrors({ endpoint: 'applications', report, renderError, sender: 'person' }));
  return router;
}

function returnPathTo(root: string): (req: Request) => string {
  return ({ method, url, path: posted }) => {
    const path = posted.replace(/\/(?:accept|decline)$/, '/invitation');
    if (method === 'GET' || method === 'HEAD')
      return `${root}${url === '/' ? '' : url.replace(/^\/(?=\?)/, '')}`;
    // what an anonymous caller posted is gone: after the login it could not be told from a forgery; so back to its form
    return `${root}${path === '/' || path === '/new' ? '/new' : path.replace(/\/(?!edit$|delete$|disconnect$|invitation$)[^/]+$/, '')}`;
  };
}

/** Each form that is sent counts, right or wrong: what is limited is the work it makes. */
function limitForms({
  settings,
  events,
  failures: store,
}: Pick<ApplicationsPagesOptions, 'settings' | 'events' | 'failures'>): (req: Request) => Promise<void> {
  return limitOf(
    events,
    createFailureLimit(
      settings.security.rateLimits && {
        failures: settings.security.rateLimits.applications,
        window: 60,
        shared: { name: 'applications', store },
      },
    ),
  );
}

/** Counts what a user does on these pages. */
function limitOf(events: OAuthEvents | undefined, limit: FailureLimit): (req: Request) => Promise<void> {
  return async (req) => {
    const { ownerId } = viewerOf(req);
    await limit.consume(failureKey({}, ownerId)).catch((refusal: unknown) => {
      if (refusal instanceof OAuthError && refusal.status === 429)
        events?.emit('rate.limited', { endpoint: 'applications', userId: ownerId }, req);
      throw refusal;
    });
  };
}
