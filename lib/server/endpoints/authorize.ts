import { type ErrorRequestHandler, type Request, Router } from 'express';

import {
  type AuthorizeDependencies,
  handleGet,
  handlePost,
  readPendingRequest,
} from '../../core/authorization/authorize.js';
import { parseHints } from '../../core/authorization/hints.js';
import { createPriorConsents } from '../../core/authorization/prior-consent.js';
import { resolveOrDefer, UnregisteredRedirectUri } from '../../core/authorization/resolve-request.js';
import { isOwner } from '../../core/clients/client-owners.js';
import { formBody } from '../../core/http/body.js';
import { handlePage, refuseOtherMethods, shedLoad } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { fetchCallerOf, personOf, resourceOwnerOf } from '../../core/sessions/resource-owner.js';
import { clearReturnTo, followReference } from '../../core/sessions/return-to.js';
import { createRenderConsent } from '../../pages/consent/consent-page.js';
import { createInteractions } from '../../pages/interactions.js';
import { createLoginRedirect } from '../../pages/login/login-interactions.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { toOAuthError } from '../../shared/errors.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type { Endpoint } from '../server.js';

/**
 * The authorization endpoint, and the forms of its pages. Nothing is stored before the user has decided.
 *
 * @see RFC 6749 §3.1, §4.1.1, §4.1.2, §4.2, RFC 9207
 */
export const authorize: Endpoint = {
  name: 'authorize',
  isPage: true,
  create(server) {
    const { settings, models, rendering, countNewClient, loginPolicy, events, report } = server;
    const renderConsent = createRenderConsent({ settings, models, ...rendering });
    const { findConsent, findPriorConsent } = createPriorConsents(settings, models.consents);
    // the clients of requests, for events about refusals
    const clientIds = new WeakMap<Request, string>();
    const dependencies: AuthorizeDependencies = {
      ...server,
      ...rendering,
      resolve: (req, query, now) =>
        resolveOrDefer(
          query,
          {
            ...server,
            getCaller: () => fetchCallerOf(settings, req),
            clientSource: {
              async find(clientId, options) {
                const client = await server.clientSource.find(clientId, options);
                if (client !== null) clientIds.set(req, client.clientId);
                return client;
              },
            },
          },
          now,
        ),
      emitRefusal({ error, reason }, req) {
        // the user has refused the request, not this server: the event is `consent.denied`
        if (reason === 'denied_by_user') return;
        const clientId = clientIds.get(req);
        events.emit('authorization.refused', { endpoint: 'authorize', error, reason, clientId }, req);
      },
      interactions: createInteractions({
        ...rendering,
        settings,
        findPriorConsent,
        renderConsent,
        countNewClient,
        loginPolicy,
      }),
      toLogin: createLoginRedirect(settings),
      consents: models.consents,
      findConsent,
      findPriorConsent,
    };

    const router = Router();
    router.use(secureTransport(settings));
    // Express would treat HEAD as GET, and so give codes to link checkers
    router.head('/', refuseOtherMethods('GET', 'POST'));
    router.get('/', followReference(settings));
    // logged-in users have arrived: the return path of the login is no longer needed
    router.use((req, res, next) => {
      if (personOf(settings, req) !== undefined) clearReturnTo(settings, req, res);
      next();
    });
    router.get(
      '/',
      // only the GET: a user's decision is accepted under any load
      shedLoad(models.checkLoad),
      handlePage((req, res, now) => handleGet(dependencies, { req, res, now, query: queryOf(req) })),
    );
    router.post(
      '/',
      ...formBody(),
      handlePage((req, res, now) => handlePost(dependencies, { req, res, now, form: req.body as Form })),
    );
    router.all('/', refuseOtherMethods('GET', 'POST'));
    const errors: ErrorRequestHandler = (thrown, req, _res, next) => {
      dependencies.emitRefusal(toOAuthError(thrown), req);
      next(thrown);
    };
    router.use(
      errors,
      pageErrors({
        endpoint: 'authorize',
        report,
        renderError: rendering.renderError,
        sender: 'client',
        // the `ui_locales` of a posted request, or of the request in a page's form
        uiLocalesOf({ body = {} }: { readonly body?: Form }) {
          try {
            return parseHints(readPendingRequest(body) ?? body).uiLocales;
          } catch {
            return [];
          }
        },
        // the page where developers can fix their own client
        ownClientPathOf(req, thrown) {
          if (!(thrown instanceof UnregisteredRedirectUri)) return undefined;
          const person = resourceOwnerOf(settings, req);
          if (person === undefined || !isOwner(thrown.client, settings.people.id(person))) return undefined;
          return `${pathOf(settings, 'applications')}/${encodeURIComponent(thrown.client.clientId)}/edit`;
        },
      }),
    );
    return router;
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
