import { Router, type ErrorRequestHandler } from 'express';
import { createClientAuthentication, createClientAuthenticationMethods } from './client-authentication/index.js';
import type { ClientAuthenticationMethod } from './client-authentication/method.js';
import { createClientRegistry, type ClientRegistry } from './client-registry.js';
import { createAuthorizeEndpoint } from './endpoints/authorize.js';
import { createLimitedAuthentication } from './endpoints/client-endpoint.js';
import { createMetadataEndpoint, MOUNTED_PATHS, wellKnownPaths } from './endpoints/metadata.js';
import { createJwksEndpoint } from './endpoints/jwks.js';
import { createIntrospectEndpoint } from './endpoints/introspect.js';
import { createRegisterEndpoint, type RegisterEndpointDependencies } from './endpoints/register.js';
import { createRevokeEndpoint } from './endpoints/revoke.js';
import { createTokenEndpoint } from './endpoints/token.js';
import { createGrantRegistry, type GrantRegistry } from './grant-registry.js';
import { createGrantTypes } from './grant-types/index.js';
import { createDatabaseVerifier } from './guard/database-verifier.js';
import { answerGuardError, createGuard, type Guard } from './guard/guard.js';
import { createProtectedResourceMetadata } from './guard/protected-resource.js';
import { createReport } from './http/report.js';
import { createRegistrationRegistry, type RegistrationRegistry } from './initial-access-tokens.js';
import { createModels, initModels, type Models } from './models/index.js';
import { createKeys, type KeyRegistry } from './key-registry.js';
import type { Clients, StoredClient } from './models/clients.js';
import type { AuthorizationServerOptions } from './options.js';
import { createApplicationsPages } from './pages/applications.js';
import { createRenderConsent } from './pages/consent-page.js';
import { createRenderError } from './pages/error-page.js';
import { createStylesheet } from './pages/stylesheet.js';
import type { RegistrationRules } from './protocol/registration-metadata.js';
import { resolveScopes } from './protocol/scope.js';
import type { RegistrationSettings } from './registration-options.js';
import { createRegistration } from './registration.js';
import { createResponseTypes } from './response-types/index.js';
import type { ResponseType } from './response-types/response-type.js';
import { parseSettings, type Settings } from './settings.js';
import { createKeptSecrets } from './tokens/kept-secrets.js';
import { createAccessTokens } from './tokens/access-tokens.js';
import { createTokenIssuer } from './tokens/token-issuer.js';
import { createRenderPage } from './views.js';

/** An authorization server, ready to be mounted. */
export interface AuthorizationServer {
  /** All endpoints and pages: `app.use(oauth.router)`, after the session and `passport.session()`. */
  readonly router: Router;
  /** The router of each endpoint, for a host that mounts them itself; each answers at its own root. */
  readonly endpoints: Readonly<Record<'authorize' | 'token' | 'revoke' | 'introspect' | 'jwks' | 'applications' | 'metadata', Router>> & { readonly register?: Router };
  /** The metadata at both spellings of its well-known URL, for an issuer with a path, and that of the resources: mount it at the site's root. */
  readonly wellKnown: Router;
  /** Middleware that lets only requests with a fitting access token through. */
  readonly guard: Guard;
  /** Answers the guard's refusals as JSON: `app.use('/api', oauth.errorHandler)` after the routes. */
  readonly errorHandler: ErrorRequestHandler;
  /** Registers and changes clients from code. */
  readonly clients: ClientRegistry;
  /** The keys that JWTs are signed with, from code. */
  readonly keys: KeyRegistry;
  /** Ends what was granted, from code. */
  readonly grants: GrantRegistry;
  /** Makes initial access tokens, with which clients register themselves. */
  readonly registration: RegistrationRegistry;
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
  const { keys, accessTokens, issuer } = createTokens(settings, models);
  const scopesFor = scopeResolver(settings);

  const responseTypes = createResponseTypes({ models, settings, issuer });
  const grantTypes = createGrantTypes({ settings, models, issuer, resolveScopes: scopesFor });
  const grantTypeNames = [...settings.grantTypes, ...settings.extensionGrantTypes.map(({ grantType }) => grantType)];
  const keptSecrets = createKeptSecrets(settings.clientSecretKey);
  const methods = createClientAuthenticationMethods({ settings, assertionIds: models.assertionIds, keptSecrets });
  const clients = createClientRegistry({ models, limits: { scopes: Object.keys(settings.scopes), grantTypes: grantTypeNames, tokenEndpointAuthMethods: methods.map(({ name }) => name) }, keptSecrets, defaultScopes: settings.defaultScopes, secretOverlap: settings.secretOverlap });

  const stylesheet = createStylesheet(`${settings.issuerPath}${settings.basePath}`, settings.views);
  const renderPage = createRenderPage({ views: settings.views, siteName: settings.siteName, stylesheet: stylesheet.path });
  const renderError = createRenderError({ renderPage });
  const metadata = { settings, report, grantTypes: grantTypeNames, ...describeResponseTypes(responseTypes), ...describeMethods(methods) };

  const forClients = {
    settings,
    authenticate: createLimitedAuthentication(settings, createClientAuthentication(methods, models.clients)),
    clientParameters: methods.flatMap(({ parameters }) => parameters),
    report,
  };
  const protectedResources = protectedResourcesOf(settings);

  const endpoints = {
    authorize: createAuthorizeEndpoint({
      settings,
      models,
      rules: { responseTypes, requirePkce: settings.requirePkce, resources: settings.resources, resolveScopes: scopesFor },
      renderConsent: createRenderConsent({ settings, renderPage }),
      renderError,
      report,
    }),
    token: createTokenEndpoint({ ...forClients, grantTypes }),
    revoke: createRevokeEndpoint({ ...forClients, grants: models.grants, accessTokens }),
    introspect: createIntrospectEndpoint({ ...forClients, grants: models.grants, accessTokens, signingKeys: keys.signingKeys }),
    jwks: createJwksEndpoint({ signingKeys: keys.signingKeys, cacheLife: settings.signingKeys.cacheLife, report }),
    applications: createApplicationsPages({ settings, clients, renderPage, renderError, report }),
    metadata: createMetadataEndpoint(metadata, ['/']),
    ...(settings.registration !== false && { register: registerEndpoint({ settings, models, report, responseTypes: [...responseTypes.values()], tokenEndpointAuthMethods: metadata.clientAuthenticationMethods }, settings.registration) }),
  };

  return {
    endpoints,
    clients,
    grants: createGrantRegistry(models),
    registration: createRegistrationRegistry(models),
    keys: keys.registry,
    router: mountAll(settings, endpoints, [stylesheet.router, Router().use(createMetadataEndpoint(metadata, MOUNTED_PATHS), protectedResources)]),
    wellKnown: Router().use(createMetadataEndpoint(metadata, wellKnownPaths(settings)), protectedResources),
    guard: createGuard({ verify: createDatabaseVerifier(models.grants, accessTokens), report, realm: new URL(settings.issuer).host, issuer: settings.issuer, resource: settings.issuer, knownResources: [...settings.resources.keys()], bearerMethods: settings.bearerMethods, knownScopes: Object.keys(settings.scopes) }),
    errorHandler: answerGuardError,
    async ready() {
      await initModels(models);
    },
  };
}

function mountAll({ basePath }: Settings, endpoints: AuthorizationServer['endpoints'], [stylesheet, wellKnown]: readonly [Router, Router]): Router {
  const { metadata, ...named } = endpoints;
  const router = Router();
  for (const [name, endpoint] of Object.entries(named)) router.use(`${basePath}/${name}`, endpoint);
  router.use(basePath, stylesheet);
  router.use(wellKnown);
  return router;
}

type RegisterParts = Pick<RegisterEndpointDependencies, 'settings' | 'report'> & Pick<RegistrationRules, 'responseTypes' | 'tokenEndpointAuthMethods'> & { readonly models: Models };

function registerEndpoint({ settings, models, report, ...supported }: RegisterParts, registration: RegistrationSettings): Router {
  const { grantTypes, scopes } = registration;
  const rules = { ...supported, grantTypes, scopes, defaultScopes: scopes.filter((scope) => settings.defaultScopes?.includes(scope) ?? true) };
  const service = createRegistration({ models, registration, rules, secretOverlap: settings.secretOverlap });
  return createRegisterEndpoint({ settings, registration: service, rules, initialAccessTokens: models.initialAccessTokens, report });
}

function describeResponseTypes(responseTypes: ReadonlyMap<string, ResponseType>) {
  return { responseTypes: [...responseTypes.keys()], responseModes: [...new Set([...responseTypes.values()].map(({ mode }) => mode))] };
}

function describeMethods(methods: readonly ClientAuthenticationMethod[]) {
  return {
    clientAuthenticationMethods: methods.map(({ name }) => name),
    clientAuthenticationAlgorithms: [...new Set(methods.flatMap(({ signingAlgorithms = [] }) => signingAlgorithms))],
  };
}

function createTokens(settings: Settings, models: Models) {
  const keys = createKeys({ settings: settings.signingKeys, store: models.signingKeys, longestToken: () => longestTokenOf(settings, models.clients) });
  const accessTokens = createAccessTokens(settings, keys.signingKeys);
  return { keys, accessTokens, issuer: createTokenIssuer(settings, accessTokens) };
}

function protectedResourcesOf({ resources, issuer, bearerMethods, scopes: all }: Settings): Router {
  return createProtectedResourceMetadata([...resources].map(([resource, { scopes = Object.keys(all) }]) => ({ resource, scopes, issuer, bearerMethods })));
}

/** Seconds; a day at least, for tokens that were made while a longer span was set. */
async function longestTokenOf({ accessTokenTtl, resources }: Settings, clients: Clients): Promise<number> {
  return Math.max(accessTokenTtl, 86_400, await clients.longestAccessTokenTtl(), ...[...resources.values()].map((resource) => resource.accessTokenTtl ?? 0));
}

function scopeResolver({ scopes, defaultScopes }: Settings) {
  const known = Object.keys(scopes);
  return (client: StoredClient, scope: string | undefined): readonly string[] =>
    // a scope that the host has taken out of its options is gone for clients registered for it, too
    resolveScopes({ scope, allowed: client.scopes.filter((candidate) => known.includes(candidate)), defaults: defaultScopes ?? client.scopes });
}
