import { Router, type ErrorRequestHandler } from 'express';
import type { Audit } from './audit.js';
import { createClientAuthentication, createClientAuthenticationMethods } from './client-authentication/index.js';
import { createClientRegistry, type ClientRegistry } from './client-registry.js';
import { createAuthorizeEndpoint } from './endpoints/authorize.js';
import { createMetadataEndpoint, MOUNTED_PATHS, wellKnownPaths } from './endpoints/metadata.js';
import { createIntrospectEndpoint } from './endpoints/introspect.js';
import { createRevokeEndpoint } from './endpoints/revoke.js';
import { createTokenEndpoint } from './endpoints/token.js';
import { emitFor, type OAuthEvents } from './events.js';
import { createGrantRegistry, type GrantRegistry } from './grant-registry.js';
import { createGrantTypes } from './grant-types/index.js';
import { createDatabaseVerifier } from './guard/database-verifier.js';
import { answerGuardError, createGuard, type Guard } from './guard/guard.js';
import { createModels } from './models/index.js';
import type { StoredClient } from './models/clients.js';
import { createObservation } from './observation.js';
import type { AuthorizationServerOptions } from './options.js';
import { createApplicationsPages } from './pages/applications.js';
import { createRenderConsent } from './pages/consent-page.js';
import { createRenderError } from './pages/error-page.js';
import { createStylesheet } from './pages/stylesheet.js';
import { resolveScopes } from './protocol/scope.js';
import { createResponseTypes } from './response-types/index.js';
import { parseSettings, type Settings } from './settings.js';
import type { Telemetry } from './telemetry.js';
import { createTokenIssuer } from './tokens/token-issuer.js';
import { createRenderPage } from './views.js';

/** An authorization server, ready to be mounted. */
export interface AuthorizationServer {
  /** All endpoints and pages: `app.use(oauth.router)`, after the session and `passport.session()`. */
  readonly router: Router;
  /** The router of each endpoint, for a host that mounts them itself; each answers at its own root. */
  readonly endpoints: Readonly<Record<'authorize' | 'token' | 'revoke' | 'introspect' | 'applications' | 'metadata', Router>>;
  /** The metadata at both spellings of its well-known URL, for an issuer with a path: mount it at the site's root. */
  readonly wellKnown: Router;
  /** Middleware that lets only requests with a fitting access token through. */
  readonly guard: Guard;
  /** Answers the guard's refusals as JSON: `app.use('/api', oauth.errorHandler)` after the routes. */
  readonly errorHandler: ErrorRequestHandler;
  /** Registers and changes clients from code. */
  readonly clients: ClientRegistry;
  /** Ends what was granted, from code. */
  readonly grants: GrantRegistry;
  /** Says what happens: `oauth.events.on('code.replayed', ({ clientId, ip }) => …)`. */
  readonly events: OAuthEvents;
  /** Finds what happened, where the option `audit` is on. */
  readonly audit: Audit;
  /** Resolves when the indexes are built; for scripts and tests, a site need not wait. */
  ready(): Promise<void>;
  /** Writes what the audit still holds, before the process ends; the connection is the host's to close, afterwards. */
  close(): Promise<void>;
}

/**
 * Makes an Express site an OAuth 2.0 authorization server.
 *
 * @throws TypeError where an option is wrong or unsafe, with what to write instead
 * @example
 * const oauth = authorizationServer({ issuer: 'https://photos.example', connection: mongoose.connection, scopes: { 'photos:read': 'See your photos' }, login: '/login' });
 * app.use(oauth.router);
 * app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json(photosOf(req.auth.userId)));
 */
export function authorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const settings = parseSettings(options);
  const models = createModels(settings.connection, settings.databaseTimeout);
  const { telemetry, events, audit, report, ...observation } = createObservation(settings);
  const issuer = createTokenIssuer(settings);
  const scopesFor = scopeResolver(settings);

  const responseTypes = createResponseTypes({ models, settings, issuer });
  const grantTypes = createGrantTypes({ settings, models, issuer, resolveScopes: scopesFor });
  const grantTypeNames = [...settings.grantTypes, ...settings.extensionGrantTypes.map(({ grantType }) => grantType)];
  const methods = createClientAuthenticationMethods();
  const forRegistry = { models, limits: { scopes: Object.keys(settings.scopes), grantTypes: grantTypeNames }, defaultScopes: settings.defaultScopes, secretOverlap: settings.secretOverlap };
  const clients = createClientRegistry({ ...forRegistry, emit: events.emit });

  const stylesheet = createStylesheet(`${settings.issuerPath}${settings.basePath}`, settings.views);
  const renderPage = createRenderPage({ views: settings.views, siteName: settings.siteName, stylesheet: stylesheet.path });
  const renderError = createRenderError({ renderPage });
  const metadata = {
    settings,
    report,
    grantTypes: grantTypeNames,
    responseTypes: [...responseTypes.keys()],
    responseModes: [...new Set([...responseTypes.values()].map(({ mode }) => mode))],
    clientAuthenticationMethods: methods.map(({ name }) => name),
  };

  const forClients = {
    settings,
    clientAuthentication: createClientAuthentication(methods, models.clients),
    clientParameters: methods.flatMap(({ parameters }) => parameters),
    report,
    events,
  };

  const endpoints = instrumentAll(telemetry, {
    authorize: createAuthorizeEndpoint({
      settings,
      models,
      rules: { responseTypes, requirePkce: settings.requirePkce, resolveScopes: scopesFor },
      renderConsent: createRenderConsent({ settings, renderPage }),
      renderError, report, events,
    }),
    token: createTokenEndpoint({ ...forClients, grantTypes }),
    revoke: createRevokeEndpoint({ ...forClients, grants: models.grants }),
    introspect: createIntrospectEndpoint({ ...forClients, grants: models.grants }),
    applications: createApplicationsPages({ settings, clients, events, clientsFor: (req) => createClientRegistry({ ...forRegistry, emit: emitFor(events, req) }), renderPage, renderError, report }),
    metadata: createMetadataEndpoint(metadata, ['/']),
  });

  return {
    endpoints,
    clients,
    events,
    audit,
    grants: createGrantRegistry(models, events.emit),
    router: mountAll(settings, endpoints, [stylesheet.router, telemetry.instrument('metadata', createMetadataEndpoint(metadata, MOUNTED_PATHS), MOUNTED_PATHS)]),
    wellKnown: telemetry.instrument('metadata', createMetadataEndpoint(metadata, wellKnownPaths(settings)), wellKnownPaths(settings)),
    guard: createGuard({ verify: createDatabaseVerifier(models.grants), report, realm: new URL(settings.issuer).host, bearerMethods: settings.bearerMethods, knownScopes: Object.keys(settings.scopes) }),
    errorHandler: answerGuardError,
    async ready() {
      await Promise.all([models.clients.model.init(), models.grants.model.init(), models.consents.model.init(), observation.ready()]);
    },
    close: observation.close,
  };
}

function instrumentAll<Name extends string>(telemetry: Telemetry, endpoints: Readonly<Record<Name, Router>>): Readonly<Record<Name, Router>> {
  const entries = Object.entries<Router>(endpoints).map(([name, endpoint]) => [name, telemetry.instrument(name, endpoint)]);
  return Object.fromEntries(entries) as Record<Name, Router>;
}

function mountAll({ basePath }: Settings, endpoints: AuthorizationServer['endpoints'], [stylesheet, wellKnown]: readonly [Router, Router]): Router {
  const { metadata, ...named } = endpoints;
  const router = Router();
  for (const [name, endpoint] of Object.entries(named)) router.use(`${basePath}/${name}`, endpoint);
  router.use(basePath, stylesheet);
  router.use(wellKnown);
  return router;
}

function scopeResolver({ scopes, defaultScopes }: Settings) {
  const known = Object.keys(scopes);
  return (client: StoredClient, scope: string | undefined): readonly string[] =>
    // a scope that the host has taken out of its options is gone for clients registered for it, too
    resolveScopes({ scope, allowed: client.scopes.filter((candidate) => known.includes(candidate)), defaults: defaultScopes ?? client.scopes });
}
