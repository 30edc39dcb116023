import { type Request, Router } from 'express';

import { formBody } from '../../core/http/form-body.js';
import { textField } from '../../core/http/form-fields.js';
import { handlePage, type RequestContext } from '../../core/http/handle.js';
import type { RenderError } from '../../core/http/page-error.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { keepTyped } from '../applications/logged-out-form.js';
import { createFindOrigin } from '../consent/describe-origin.js';
import { redirectWithFlash } from '../flash-message.js';
import { createFormHandler, type PageHandler } from '../form-handler.js';
import { requireLogin, userIdOf } from '../person.js';
import { pageErrors } from '../rendering/page-errors.js';
import { narrow, sendReport } from './app-changes.js';
import { type AppContext, showApp } from './app-page.js';
import { rebind } from './change-choice.js';
import type { AuthorizationsContext } from './context.js';
import { showList } from './list-page.js';
import { signOutThere } from './sign-ins.js';

export interface AuthorizationsPageOptions extends Omit<AuthorizationsContext, 'reports' | 'root'> {
  readonly renderError: RenderError;
}

/** Reports of one user in an hour. */
const REPORTS = 10;
const HOUR = 3600;

type AppHandler = (context: AppContext, requestContext: RequestContext, clientId: string) => Promise<void>;

/**
 * The page on which users see which applications can use their account, and end that. What it shows and ends is always
 * the logged-in user's own: no user id is read from a request.
 *
 * @see RFC 6749 §10.3, RFC 8628 §5.4: it must be possible to take back what was allowed
 */
export function createAuthorizationsPage({ renderError, ...options }: AuthorizationsPageOptions): Router {
  const { settings, models, report, renderPage } = options;
  const root = pathOf(settings, 'authorizations');
  const reports = createFailureLimit(
    settings.security.rateLimits !== false && {
      failures: REPORTS,
      window: HOUR,
      counted: 'reports',
      shared: { name: 'reports', store: models.failures },
    },
  );
  const context: AppContext = {
    ...options,
    reports,
    root,
    findOrigin: createFindOrigin({ settings, models }),
  };
  const bound =
    (handler: AppHandler): PageHandler =>
    (req, res, now) =>
      handler(context, { req, res, now }, clientIdIn(req));
  const page = (handler: AppHandler) => handlePage(bound(handler));
  const formHandler = createFormHandler({ userIdOf: (req) => userIdOf(settings, req) });
  const form = (submit: AppHandler) => formHandler(bound(submit));

  const router = Router();
  router.use(secureTransport(settings));
  // before the login, so that what was typed is not lost with the session
  router.post('/:clientId/report', ...formBody(), keepTyped(settings, { root, renderPage }));
  router.use(requireLogin(settings, (req) => returnPathOf(root, req)));
  router.get('/', page(showList));
  router.post('/revoke', ...form(revoke));
  router.post('/revoke-all', ...form(revokeAll));
  router.get('/:clientId', page(showApp));
  router.post('/:clientId/scopes', ...form(narrow));
  router.post('/:clientId/choices', ...form(rebind));
  router.post('/:clientId/sign-out', ...form(signOutThere));
  if (settings.pages.onReport !== undefined)
    router.post('/:clientId/report', ...formBody(), page(sendReport));
  router.use(() => {
    throw new OAuthError('invalid_request', 'there is no such page', { status: 404 });
  });
  router.use(pageErrors({ endpoint: 'authorizations', report, renderError, sender: 'person' }));
  return router;
}

function clientIdIn({ params: { clientId } }: Request): string {
  return typeof clientId === 'string' ? clientId : '';
}

/** The page itself, with its search and language, or the page of the app whose form was sent. */
function returnPathOf(root: string, { method, path, url }: Request): string {
  if (method === 'GET' || method === 'HEAD') return path === '/' ? root + url.slice(1) : root + url;
  const [, app = ''] = /^(\/[^/]+)\/[^/]+$/.exec(path) ?? [];
  return root + app;
}

async function revoke(context: AuthorizationsContext, requestContext: RequestContext): Promise<void> {
  const { settings, models, grantsFor, root } = context;
  const { req } = requestContext;
  const clientId = textField(req.body, 'client_id');
  // an empty one must not mean all of them
  if (clientId === '') throw new OAuthError('invalid_request', 'the form names no application');
  const userId = userIdOf(settings, req);
  await grantsFor(req).revoke({ userId, clientId }, 'user');
  const client = await models.clients.find(clientId);
  const done = { done: 'revoked', ...(client && { clientName: client.name }) };
  redirectWithFlash(requestContext, { path: root, userId }, done);
}

async function revokeAll(context: AuthorizationsContext, requestContext: RequestContext): Promise<void> {
  const { settings, grantsFor, root } = context;
  const { req } = requestContext;
  const userId = userIdOf(settings, req);
  await grantsFor(req).revoke({ userId }, 'user');
  redirectWithFlash(requestContext, { path: root, userId }, { done: 'revoked_all' });
}
