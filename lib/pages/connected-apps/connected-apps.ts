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

/** Maximum number of one user's reports per hour. */
const REPORTS = 10;
const HOUR = 3600;

/**
 * The pages on which users see and end the access of applications. The user always comes from the session, never from
 * the request.
 *
 * @see RFC 6749 §10.3, RFC 8628 §5.4: users must be able to revoke access
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
    // the page of the app of the form
    formPathOf: (path) => /^(\/[^/]+)\/[^/]+$/.exec(path)?.[1] ?? '',
    pages: {
      '/': showList,
      // 404 if the user has no such app
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
        // an empty id must not revoke all grants
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
      // signs the user out at one app, notifies it, and ends the tokens of the sign-in
      async '/:id/sign-out'({ endSignIns, root }, visit) {
        const { userId, id: clientId, now } = visit;
        const client = await models.clients.find(clientId);
        if (endSignIns === undefined || client === null) throw notConnected();
        await endSignIns({ userId, clientId }, now);
        // the app's page may no longer exist
        redirectWithFlash(visit, root, { done: 'signed_out', clientName: client.name });
      },
      '/:id/report': reporting,
    },
  });
}
