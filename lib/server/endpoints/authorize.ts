import { type Request, Router } from 'express';

import { type AuthorizeDependencies, handleGet, handlePost } from '../../core/authorization/authorize.js';
import { parseHints } from '../../core/authorization/hints.js';
import { readPendingRequest } from '../../core/authorization/pending-request.js';
import { createPriorConsents } from '../../core/authorization/prior-consent.js';
import { createRefusalEvents } from '../../core/authorization/refusal-events.js';
import { createFindVisitor } from '../../core/authorization/visitor.js';
import { isOwner } from '../../core/clients/client-owners.js';
import { formBody } from '../../core/http/form-body.js';
import { handlePage } from '../../core/http/handle.js';
import { refuseOtherMethods } from '../../core/http/methods.js';
import { queryOf } from '../../core/http/query.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { shedLoad } from '../../core/http/shed-load.js';
import { UnregisteredRedirectUri } from '../../core/http/unregistered-redirect-uri.js';
import { fetchCallerOf } from '../../core/sessions/fetch-caller.js';
import { resourceOwnerOf } from '../../core/sessions/resource-owner.js';
import { clearReturnToOnArrival } from '../../core/sessions/resume.js';
import { followReference } from '../../core/sessions/return-reference.js';
import { createRenderConsent } from '../../pages/consent/consent-page.js';
import { createInteractions } from '../../pages/interactions.js';
import { createLoginRedirect } from '../../pages/login/login-interactions.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type { Stores } from '../../storage/stores.js';
import type { Endpoint } from '../endpoint.js';
import { resolveDependenciesOf } from '../resolve-dependencies.js';

export interface AuthorizeEndpointDependencies extends AuthorizeDependencies {
  readonly settings: Settings;
  readonly models: Pick<Stores, 'checkLoad'>;
}

/**
 * The authorization endpoint, and the forms of its pages. Nothing is stored before the user has decided.
 *
 * @see RFC 6749 §3.1, §4.1.1, §4.1.2, §4.2, RFC 9207
 */
export function createAuthorizeEndpoint(dependencies: AuthorizeEndpointDependencies): Router {
  const { settings, models, renderError, report } = dependencies;

  const router = Router();
  router.use(secureTransport(settings));
  // Express would take HEAD for GET, and so hand out codes to link checkers
  router.head('/', refuseOtherMethods('GET', 'POST'));
  router.get('/', followReference(settings));
  router.use(clearReturnToOnArrival(settings));
  router.get(
    '/',
    // only the GET: what a user has decided is accepted under any load
    shedLoad(models.checkLoad),
    handlePage((req, res, now) => handleGet(dependencies, { req, res, now, query: queryOf(req) })),
  );
  router.post(
    '/',
    ...formBody(),
    handlePage((req, res, now) => handlePost(dependencies, { req, res, now, form: req.body as Form })),
  );
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(dependencies.refusalEvents.emitThrown);
  router.use(
    pageErrors({
      endpoint: 'authorize',
      report,
      renderError,
      sender: 'client',
      uiLocalesOf: ({ body }) => uiLocalesIn((body ?? {}) as Form),
      ownClientPathOf: (req, thrown) => ownClientPathOf(settings, req, thrown),
    }),
  );
  return router;
}

export const authorize: Endpoint = {
  name: 'authorize',
  isPage: true,
  create(server) {
    const { settings, models, rendering } = server;
    const renderConsent = createRenderConsent({ settings, models, ...rendering });
    const { findConsent, findPriorConsent } = createPriorConsents(settings, models.consents);
    return createAuthorizeEndpoint({
      ...server,
      refusalEvents: createRefusalEvents(resolveDependenciesOf(server), server.events, (req) =>
        fetchCallerOf(settings, req),
      ),
      interactions: createInteractions({
        ...rendering,
        settings,
        findPriorConsent,
        renderConsent,
        countNewClient: server.countNewClient,
        loginPolicy: server.loginPolicy,
      }),
      toLogin: createLoginRedirect(settings),
      consents: models.consents,
      findPriorConsent,
      findVisitor: createFindVisitor({ settings, findConsent, loginPolicy: server.loginPolicy }),
      renderError: rendering.renderError,
      renderFormPost: rendering.renderFormPost,
    });
  },
  metadata: ({ responseTypes, authorizationParameters }, url) => ({
    ...(responseTypes.size > 0 && { authorization_endpoint: url }),
    code_challenge_methods_supported: ['S256'],
    // OpenID Connect Discovery §3: an absent member would mean that `request_uri` is supported
    ...(!authorizationParameters.has('request_uri') && { request_uri_parameter_supported: false }),
    // RFC 9207 §3
    authorization_response_iss_parameter_supported: true,
  }),
};

/** The page where developers can fix their own client. */
function ownClientPathOf(settings: Settings, req: Request, thrown: unknown): string | undefined {
  if (!(thrown instanceof UnregisteredRedirectUri)) return undefined;
  const person = resourceOwnerOf(settings, req);
  if (person === undefined || !isOwner(thrown.client, settings.people.id(person))) return undefined;
  return `${pathOf(settings, 'applications')}/${encodeURIComponent(thrown.client.clientId)}/edit`;
}

/** The `ui_locales` of a posted request, or of the request in a form of our pages. */
function uiLocalesIn(form: Form): readonly string[] {
  try {
    return parseHints(readPendingRequest(form) ?? form).uiLocales;
  } catch {
    return [];
  }
}
