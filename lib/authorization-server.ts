import { Router, type ErrorRequestHandler } from 'express';
import { createClientAuthentication, createClientAuthenticationMethods } from './client-authentication/index.js';
import { createClientRegistry, type ClientRegistry } from './client-registry.js';
import { createAuthorizeEndpoint } from './endpoints/authorize.js';
import { createLimitedAuthentication } from './endpoints/client-endpoint.js';
import { createMetadataEndpoint, MOUNTED_PATHS, wellKnownPaths } from './endpoints/metadata.js';
import { createIntrospectEndpoint } from './endpoints/introspect.js';
import { createRevokeEndpoint } from './endpoints/revoke.js';
import { createTokenEndpoint } from './endpoints/token.js';
import { createGrantRegistry, type GrantRegistry } from './grant-registry.js';
import { createGrantTypes } from './grant-types/index.js';
import { createDatabaseVerifier } from './guard/database-verifier.js';
import { answerGuardError, createGuard, type Guard } from './guard/guard.js';
import { createReport } from './http/report.js';
import { createModels } from './models/index.js';
import type { StoredClient } from './models/clients.js';
import type { AuthorizationServerOptions } from './options.js';
import { createApplicationsPages } from './pages/applications.js';
import { createRenderAccount } from './pages/account-page.js';
import { createRenderConsent } from './pages/consent-page.js';
import { createPages } from './pages/pages.js';
import { resolveScopes } from './protocol/scope.js';
import { createResponseTypes } from './response-types/index.js';
import { parseSettings, type Settings } from './settings.js';
import { createTokenIssuer } from './tokens/token-issuer.js';

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
  /** Resolves when the indexes are built; for scripts and tests, a site need not wait. */
  ready(): Promise<void>;
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
  const report = createReport(settings);
  const issuer = createTokenIssuer(settings);
  const scopesFor = scopeResolver(settings);

  const responseTypes = createResponseTypes({ models, settings, issuer });
  const grantTypes = createGrantTypes({ settings, models, issuer, resolveScopes: scopesFor });
  const grantTypeNames = [...settings.grantTypes, ...settings.extensionGrantTypes.map(({ grantType }) => grantType)];
  const methods = createClientAuthenticationMethods();
  const clients = createClientRegistry({ models, limits: { scopes: Object.keys(settings.scopes), grantTypes: grantTypeNames }, defaultScopes: settings.defaultScopes, secretOverlap: settings.secretOverlap });

  const pages = createPages({ ...settings, publicPath: `${settings.issuerPath}${settings.basePath}` });
  const { renderPage, renderError } = pages;
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
    authenticate: createLimitedAuthentication(settings, createClientAuthentication(methods, models.clients)),
    clientParameters: methods.flatMap(({ parameters }) => parameters),
    report,
  };

  const endpoints = {
    authorize: createAuthorizeEndpoint({
      settings,
      models,
      rules: { responseTypes, requirePkce: settings.requirePkce, resolveScopes: scopesFor },
      renderConsent: createRenderConsent({ settings, renderPage }),
      renderAccount: createRenderAccount({ settings, renderPage }),
      renderError,
      report,
    }),
    token: createTokenEndpoint({ ...forClients, grantTypes }),
    revoke: createRevokeEndpoint({ ...forClients, grants: models.grants }),
    introspect: createIntrospectEndpoint({ ...forClients, grants: models.grants }),
    applications: createApplicationsPages({ settings, clients, renderPage, renderError, report }),
    metadata: createMetadataEndpoint(metadata, ['/']),
  };

  return {
    endpoints,
    clients,
    grants: createGrantRegistry(models),
    router: mountAll(settings, endpoints, [pages.router, createMetadataEndpoint(metadata, MOUNTED_PATHS)]),
    wellKnown: createMetadataEndpoint(metadata, wellKnownPaths(settings)),
    guard: createGuard({ verify: createDatabaseVerifier(models.grants), report, realm: new URL(settings.issuer).host, bearerMethods: settings.bearerMethods, knownScopes: Object.keys(settings.scopes) }),
    errorHandler: answerGuardError,
    async ready() {
      await Promise.all([models.clients.model.init(), models.grants.model.init(), models.consents.model.init()]);
    },
  };
}

function mountAll({ basePath }: Settings, endpoints: AuthorizationServer['endpoints'], [assets, wellKnown]: readonly [Router, Router]): Router {
  const { metadata, ...named } = endpoints;
  const router = Router();
  for (const [name, endpoint] of Object.entries(named)) router.use(`${basePath}/${name}`, endpoint);
  router.use(basePath, assets);
  router.use(wellKnown);
  return router;
}

function scopeResolver({ scopes, defaultScopes }: Settings) {
  const known = Object.keys(scopes);
  return (client: StoredClient, scope: string | undefined): readonly string[] =>
    // a scope that the host has taken out of its options is gone for clients registered for it, too
    resolveScopes({ scope, allowed: client.scopes.filter((candidate) => known.includes(candidate)), defaults: defaultScopes ?? client.scopes });
}
