import { Router } from 'express';

import { answerForm, answerRequest, type AuthorizeDependencies } from '../authorization/authorize.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { secureTransport } from '../http/secure-transport.js';
import type { Form } from '../protocol/parameters.js';
import type { RenderError } from '../rendering/error-page.js';
import { pageErrors } from '../rendering/page-errors.js';
import type { Settings } from '../settings/settings.js';

export interface AuthorizeEndpointDependencies extends AuthorizeDependencies {
  readonly settings: Settings;
  readonly renderError: RenderError;
}

/**
 * The authorization endpoint, and the forms of its pages. Nothing is stored before the person has decided.
 *
 * @see RFC 6749 §3.1, §4.1.1, §4.1.2, §4.2, RFC 9207
 */
export function createAuthorizeEndpoint(dependencies: AuthorizeEndpointDependencies): Router {
  const { settings, renderError, report } = dependencies;

  const router = Router();
  router.use(secureTransport(settings));
  // Express would take HEAD for GET, and so hand out codes to link checkers
  router.head('/', refuseOtherMethods('GET', 'POST'));
  router.get(
    '/',
    handle((req, res) => answerRequest(dependencies, { req, res, name: queryOf(req) })),
  );
  router.post(
    '/',
    ...formBody(),
    handle((req, res) => answerForm(dependencies, { req, res, form: req.body as Form })),
  );
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(pageErrors({ endpoint: 'authorize', report, renderError, sender: 'client' }));
  return router;
}
