import type { Router } from 'express';

import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { textField } from '../../core/http/form-fields.js';
import { emitFor } from '../../core/observability/events.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { accountPath, createAccountRouter, type Visit } from '../account-pages.js';
import { createFindOrigin } from '../consent/describe-origin.js';
import { consumeFlash, redirectWithFlash, takeRefused } from '../form-answers.js';
import { narrow, rebind, reporting } from './app-changes.js';
import {
  type AuthorizationsContext,
  type AuthorizationsPageOptions,
  findApp,
  notConnected,
  type RefusedApp,
  renderApp,
} from './app-page.js';
import { showList } from './list-page.js';

/** Reports of one user in an hour. */
const REPORTS = 10;
const HOUR = 3600;

/**
 * The page on which users see which applications can use their account, and end that. What it shows and ends is always
 * the logged-in user's own: no user id is read from a request.
 *
 * @see RFC 6749 §10.3, RFC 8628 §5.4: it must be possible to take back what was allowed
 */
export function createAuthorizationsPage(options: AuthorizationsPageOptions): Router {
  const { settings, models, events, grantTypes } = options;
  const grantsFor = ({ req }: Visit) => createGrantRevocation(models, emitFor(events, req));
  const context: AuthorizationsContext = {
    ...options,
    deviceGrantTypes: grantTypes.flatMap(({ name, connectsDevice }) => (connectsDevice ? name : [])),
    reports: createFailureLimit(
      settings.security.rateLimits !== false && {
        failures: REPORTS,
        window: HOUR,
        counted: 'reports',
        shared: { name: 'reports', store: models.failures },
      },
    ),
    endpoint: 'authorizations',
    root: pathOf(settings, 'authorizations'),
    findOrigin: createFindOrigin({ settings, models }),
  };
  return createAccountRouter(context, {
    // the page of the app whose form was sent
    formPathOf: (path) => /^(\/[^/]+)\/[^/]+$/.exec(path)?.[1] ?? '',
    pages: {
      '/': showList,
      // 404 if the user has not connected such an app
      async '/:id'(context, visit) {
        const connection = await findApp(context, visit);
        const path = accountPath(context, visit.id);
        const done = consumeFlash(visit, path);
        await renderApp(context, visit, { connection, done, refused: takeRefused<RefusedApp>(visit, path) });
      },
    },
    forms: {
      async '/revoke'({ root }, visit) {
        const clientId = textField(visit.req.body, 'client_id');
        // an empty one must not mean all of them
        if (clientId === '') throw new OAuthError('invalid_request', 'the form names no application');
        await grantsFor(visit).revoke({ userId: visit.userId, clientId }, 'user');
        const client = await models.clients.find(clientId);
        redirectWithFlash(visit, root, { done: 'revoked', clientName: client?.name });
      },
      async '/revoke-all'({ root }, visit) {
        await grantsFor(visit).revoke({ userId: visit.userId }, 'user');
        redirectWithFlash(visit, root, { done: 'revoked_all' });
      },
      '/:id/scopes': narrow,
      '/:id/choices': rebind,
      // signs the user out at one app: it hears of it, and what came with the sign-in ends
      async '/:id/sign-out'({ endSignIns, root }, visit) {
        const { userId, id: clientId, now } = visit;
        const client = await models.clients.find(clientId);
        if (endSignIns === undefined || client === null) throw notConnected();
        await endSignIns({ userId, clientId }, now);
        // nothing may be left of it, and then its page is gone
        redirectWithFlash(visit, root, { done: 'signed_out', clientName: client.name });
      },
      '/:id/report': reporting,
    },
  });
}
