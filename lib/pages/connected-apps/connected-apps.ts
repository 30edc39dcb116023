import type { Router } from 'express';

import { pathOf } from '../../settings/endpoint-urls.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { createAccountRouter } from '../account-pages.js';
import { createFindOrigin } from '../consent/describe-origin.js';
import { disconnectAllApps, disconnectApp, narrow, rebind, reporting, signOutThere } from './app-changes.js';
import { type AuthorizationsContext, showApp } from './app-page.js';
import { showList } from './list-page.js';

export type AuthorizationsPageOptions = Omit<AuthorizationsContext, 'reports' | 'root' | 'findOrigin'>;

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
  const { settings, models } = options;
  const context: AuthorizationsContext = {
    ...options,
    reports: createFailureLimit(
      settings.security.rateLimits !== false && {
        failures: REPORTS,
        window: HOUR,
        counted: 'reports',
        shared: { name: 'reports', store: models.failures },
      },
    ),
    root: pathOf(settings, 'authorizations'),
    findOrigin: createFindOrigin({ settings, models }),
  };
  return createAccountRouter(context, {
    endpoint: 'authorizations',
    // the page of the app whose form was sent
    formPathOf: (path) => /^(\/[^/]+)\/[^/]+$/.exec(path)?.[1] ?? '',
    pages: { '/': showList, '/:id': showApp },
    forms: {
      '/revoke': disconnectApp,
      '/revoke-all': disconnectAllApps,
      '/:id/scopes': narrow,
      '/:id/choices': rebind,
      '/:id/sign-out': signOutThere,
      '/:id/report': reporting,
    },
  });
}
