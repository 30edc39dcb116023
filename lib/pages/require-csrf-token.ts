import type { RequestHandler } from 'express';

import { verifyCsrfToken } from '../core/http/csrf.js';
import type { Settings } from '../settings/settings.js';
import { userIdOf } from './person.js';

/**
 * Lets through only forms from pages that the logged-in person was shown; stands behind `requireLogin` and the parser of
 * forms.
 *
 * @throws OAuthError if the form has no CSRF token of this person (RFC 6749 §10.12)
 */
export function requireCsrfToken(settings: Pick<Settings, 'userId'>): RequestHandler {
  return (req, _res, next) => {
    verifyCsrfToken(req, userIdOf(settings, req));
    next();
  };
}
