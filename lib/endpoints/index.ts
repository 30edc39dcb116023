import { Router } from 'express';

import type { RequestRules } from '../authorization/authorization-request.js';
import { RESPONSE_MODES } from '../authorization/response-modes/index.js';
import { REQUEST_SOURCES } from '../authorization/sources/index.js';
import { createClientDirectory } from '../clients/client-directory.js';
import { createRegistration } from '../clients/registration.js';
import { type Components, grantTypesOf } from '../components.js';
import { DEVICE_CODE } from '../grant-types/device-code.js';
import { createGrantRegistry } from '../grants/grant-registry.js';
import { createProtectedResourceMetadata } from '../guard/protected-resource.js';
import { emitFor } from '../observability/events.js';
import { createApplicationsPages } from '../pages/applications/applications.js';
import { createAuthorizationsPage } from '../pages/authorizations/authorizations.js';
import { createRenderConsent } from '../pages/consent/consent-page.js';
import { createDevicePage } from '../pages/device/device.js';
import { createInteractions } from '../pages/interactions.js';
import type { Settings } from '../settings/settings.js';
import { createAuthorizeEndpoint } from './authorize.js';
import { createDeviceAuthorizationEndpoint } from './device-authorization.js';
import { createIntrospectEndpoint } from './introspect.js';
import { createJwksEndpoint } from './jwks.js';
import {
  createMetadataEndpoint,
  type MetadataDependencies,
  MOUNTED_PATHS,
  wellKnownPaths,
} from './metadata.js';
import { createRegisterEndpoint } from './register.js';
import { createRevokeEndpoint } from './revoke.js';
import { createTokenEndpoint } from './token.js';

/** The router of each endpoint, by the name that its path ends in; `register` only where registration is on, those for devices where their grant type is. */
export type Endpoints = Readonly<
  Record<
    'authorize' | 'token' | 'revoke' | 'introspect' | 'jwks' | 'applications' | 'authorizations' | 'metadata',
    Router
  >
> & { readonly register?: Router; readonly device?: Router; readonly device_authorization?: Router };

/** All endpoints: a new one is one file and one line here. */
export function createEndpoints(components: Components): Endpoints {
  const {
    settings,
    models,
    telemetry,
    events,
    report,
    keys,
    accessTokens,
    grantTypes,
    clientAuthentication,
    authenticationMethods,
  } = components;
  const forClients = {
    settings,
    clientAuthentication,
    report,
    events,
    clientParameters: authenticationMethods.flatMap(({ parameters }) => parameters),
  };
  const { signingKeys } = keys;
  const { renderPage, renderError } = components.pages;
  const forPages = { renderPage, renderError };
  const renderConsent = createRenderConsent({ settings, renderPage });
  const forDevices = {
    ...forClients,
    ...forPages,
    models,
    renderConsent,
    resolveScopes: components.resolveScopes,
  };

  const endpoints = {
    authorize: createAuthorizeEndpoint({
      settings,
      events,
      report,
      rules: requestRules(components),
      interactions: createInteractions({ settings, consents: models.consents, renderPage, renderConsent }),
      consents: models.consents,
      renderError,
    }),
    token: createTokenEndpoint({ ...forClients, grantTypes }),
    revoke: createRevokeEndpoint({ ...forClients, grants: models.grants, accessTokens }),
    introspect: createIntrospectEndpoint({ ...forClients, grants: models.grants, accessTokens, signingKeys }),
    jwks: createJwksEndpoint({ signingKeys, cacheLife: settings.signingKeys.cacheLife, report }),
    applications: createApplicationsPages({
      settings,
      events,
      report,
      directory: createClientDirectory(models),
      clients: components.clients,
      ...forPages,
    }),
    authorizations: createAuthorizationsPage({
      settings,
      models,
      report,
      grantsFor: (req) => createGrantRegistry(models, emitFor(events, req)),
      ...forPages,
    }),
    metadata: createMetadataEndpoint(describeServer(components), ['/']),
    ...(grantTypes.has(DEVICE_CODE) && {
      device: createDevicePage(forDevices),
      device_authorization: createDeviceAuthorizationEndpoint(forDevices),
    }),
  };
  const register = registerEndpoint(components);
  return instrumentAll(telemetry, { ...endpoints, ...(register && { register }) });
}

/** Each endpoint below the base path, the metadata of the server and its resources below the router's own. */
export function mountEndpoints(components: Components, { metadata, ...named }: Endpoints): Router {
  const { settings } = components;
  const belowBasePath = Router();
  for (const [name, endpoint] of Object.entries(named)) belowBasePath.use(`/${name}`, endpoint);
  belowBasePath.use(components.pages.router);
  const wellKnown = metadataAt(MOUNTED_PATHS, components);
  // every request of the site comes by: two looks at its path, and the host's own go on
  return Router()
    .use(settings.basePath, belowBasePath)
    .use(
      (req, res, next) => void (req.path.startsWith('/.well-known/') ? wellKnown(req, res, next) : next()),
    );
}

/** The metadata where RFC 8414 §3 and RFC 9728 §3 have it: below the root of the site, wherever the router is mounted. */
export function createWellKnown(components: Components): Router {
  return metadataAt(wellKnownPaths(components.settings), components);
}

/** The metadata of the server at these paths, and that of its resources. */
function metadataAt(paths: readonly string[], components: Components): Router {
  const { settings, telemetry } = components;
  return Router().use(
    telemetry.instrument('metadata', createMetadataEndpoint(describeServer(components), paths), paths),
    protectedResources(settings),
  );
}

function requestRules({ settings, models, responseTypes, resolveScopes }: Components): RequestRules {
  return {
    sources: REQUEST_SOURCES,
    findClient: (id) => models.clients.find(id),
    responseTypes,
    responseModes: RESPONSE_MODES,
    pkce: settings.pkce,
    resources: settings.resources,
    resolveScopes,
  };
}

function registerEndpoint({
  settings,
  models,
  events,
  report,
  responseTypes,
  authenticationMethods,
}: Components): Router | undefined {
  const { registration, secretOverlap, defaultScopes } = settings;
  if (registration === false) return undefined;
  const { grantTypes, scopes } = registration;
  const supported = {
    responseTypes: [...responseTypes.values()],
    tokenEndpointAuthMethods: authenticationMethods.map(({ name }) => name),
  };
  const rules = {
    ...supported,
    grantTypes,
    scopes,
    defaultScopes: scopes.filter((scope) => defaultScopes?.includes(scope) ?? true),
  };
  return createRegisterEndpoint({
    settings,
    events,
    report,
    rules,
    registration: createRegistration({ models, registration, rules, secretOverlap }),
    initialAccessTokens: models.initialAccessTokens,
  });
}

/** From the lists that the endpoints work by. */
function describeServer({
  settings,
  report,
  responseTypes,
  authenticationMethods,
  pages,
}: Components): MetadataDependencies {
  return {
    settings,
    report,
    grantTypes: grantTypesOf(settings),
    responseTypes: [...responseTypes.keys()],
    responseModes: [...new Set([...responseTypes.values()].map(({ defaultMode }) => defaultMode))],
    clientAuthenticationMethods: authenticationMethods.map(({ name }) => name),
    clientAuthenticationAlgorithms: [
      ...new Set(authenticationMethods.flatMap(({ signingAlgorithms = [] }) => signingAlgorithms)),
    ],
    locales: pages.locales,
  };
}

function protectedResources({ resources, issuer, bearerMethods, scopes: all }: Settings): Router {
  return createProtectedResourceMetadata(
    [...resources].map(([resource, { scopes = Object.keys(all), name }]) => ({
      resource,
      scopes,
      issuer,
      bearerMethods,
      name,
    })),
  );
}

function instrumentAll(telemetry: Components['telemetry'], endpoints: Endpoints): Endpoints {
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, telemetry.instrument(name, endpoint)]),
  ) as unknown as Endpoints;
}
