import type { CreateResponseType } from '../core/authorization/response-types/response-type.js';
import { createClientKeys } from '../core/client-authentication/client-keys.js';
import type { ClientAuthenticationMethod } from '../core/client-authentication/method.js';
import { authMethodInfo } from '../core/clients/auth-method-info.js';
import type { ClientField } from '../core/clients/client-field.js';
import { withClientLogos } from '../core/clients/client-logos.js';
import { createNewClientLimit } from '../core/clients/new-client-limit.js';
import { createClientService } from '../core/clients/registry/client-service.js';
import { createScopeResolver } from '../core/clients/resolve-scopes.js';
import { createSecretUses } from '../core/clients/secrets/secret-last-used.js';
import { createClientFailures } from '../core/clients/status/client-failures.js';
import { createExtensionGrantType } from '../core/grant-types/extension.js';
import { createGrantHandlers } from '../core/grant-types/grant-handler.js';
import type { GrantType } from '../core/grant-types/grant-type.js';
import { createNamedTokenUses } from '../core/grants/named-token-uses.js';
import { createGrantsByHost } from '../core/grants/programmatic-grants.js';
import { createUseNamedToken } from '../core/grants/use-named-token.js';
import { createKeys } from '../core/keys/key-registry.js';
import type { Observation } from '../core/observability/observation.js';
import { createPeople } from '../core/people/people-registry.js';
import type { Messages } from '../messages/index.js';
import { findLogoutPath } from '../pages/login/servers-by-connection.js';
import { createPages } from '../pages/rendering/rendering.js';
import { basePathOf, isLoopbackIssuer } from '../settings/endpoint-urls.js';
import { subjectTypesOf } from '../settings/options/openid-options.js';
import { redirectUriRulesOf } from '../settings/options/redirect-uri-options.js';
import { ownResourcesOf } from '../settings/options/resource-options.js';
import { signingAlgorithmsOf } from '../settings/options/signing-key-options.js';
import type { Settings } from '../settings/settings.js';
import { createSealedSecrets } from '../shared/crypto/sealed-secrets.js';
import { createLimitUntrustedFetch } from '../shared/outbound/limit-untrusted-fetch.js';
import type { Stores } from '../storage/stores.js';
import { composeFeatures, responseTypesOf } from './compose-features.js';
import { createAuthentication, enabledMethods } from './create-client-authentication.js';
import { createTokens } from './create-tokens.js';
import type { Endpoint } from './endpoint.js';
import type { Feature } from './feature.js';
import type { Server } from './server.js';

/** What a server is made of. The lists of the package lie above, so they are handed in. */
export interface ServerParts {
  readonly settings: Settings;
  readonly models: Stores;
  readonly observation: Observation;
  /** Those that are on. */
  readonly features: readonly Feature[];
  /** All that can be named, including those of features. */
  readonly grantTypes: readonly GrantType[];
  readonly clientAuthenticationMethods: readonly ClientAuthenticationMethod[];
  /** Without those of features. */
  readonly responseTypes: readonly CreateResponseType[];
  /** Without those of features. */
  readonly endpoints: readonly Endpoint[];
  /** All with which a client can be registered. */
  readonly clientFields: readonly ClientField[];
  readonly languages: Readonly<Record<string, Messages>>;
}

/** Makes what the endpoints are made from, each part once. */
export function createServer(parts: ServerParts): Server {
  const { settings, features, clientFields: fields } = parts;
  const { events, audit, report, telemetry } = parts.observation;
  const { rateLimits } = settings.security;
  const keys = createKeys({
    settings: settings.signingKeys,
    store: parts.models.signingKeys,
    longestToken: () => longestTokenOf(settings, parts.models.clients),
  });
  const limitUntrustedFetch = createLimitUntrustedFetch({ isLimited: rateLimits !== false });
  const clientLogos = withClientLogos({
    clients: parts.models.clients,
    logos: parts.models.clientLogos,
    limits: settings.clientAuthentication.keys,
    // of their own: no logo takes the room of a fetch that a request waits for
    limitUntrustedFetch: createLimitUntrustedFetch({ isLimited: rateLimits !== false }),
    onError: settings.onError,
  });
  const models = { ...parts.models, clients: clientLogos.clients };
  const clientKeys = createClientKeys({ ...settings.clientAuthentication.keys, limitUntrustedFetch });
  const { issuer, ...tokens } = createTokens(settings, models, { ...keys, clientKeys, features });
  const resolveScopes = createScopeResolver(settings);
  const dependencies = { ...models, ...tokens, settings, issuer, resolveScopes };
  // those that the site has named, including its own
  const grantTypes = [
    ...settings.grantTypes.flatMap((name) => parts.grantTypes.filter((grantType) => grantType.name === name)),
    ...settings.extensionGrantTypes.map(createExtensionGrantType),
  ];
  const responseTypes = responseTypesOf(features, settings, parts)
    .map((create) => create(dependencies))
    .filter(({ grantType }) => grantTypes.some(({ name }) => name === grantType));
  const sealedSecrets = createSealedSecrets(settings.clientAuthentication.secretKey);
  const secretUses = createSecretUses({ clients: models.clients, onError: settings.onError });
  const methods = enabledMethods(settings, parts.clientAuthenticationMethods);
  const limits = limitsOf(settings, grantTypes, { on: methods, all: parts.clientAuthenticationMethods });
  const brought = composeFeatures(features, {
    settings,
    models,
    signingKeys: keys.signingKeys,
    clientKeys,
    rules: { ...limits, fields, responseTypes },
    emit: events.emit,
    limitUntrustedFetch,
  });

  const clients = createClientService({
    defaultScopes: settings.defaultScopes,
    secretOverlap: settings.clientAuthentication.secretOverlap,
    models,
    limits: { ...limits, limitUntrustedFetch, redirectUriRules: redirectUriRulesOf(settings).host },
    applications: { ...settings.applications, redirectUriRules: redirectUriRulesOf(settings).owner },
    sealedSecrets,
    secretUses,
    fields,
  });

  return {
    settings,
    models,
    events,
    audit,
    report,
    telemetry,
    rendering: renderingOf(settings, parts.languages),
    ...keys,
    ...tokens,
    grantTypes,
    tokenGrantTypes: createGrantHandlers(grantTypes, dependencies),
    responseTypes: new Map(responseTypes.map((responseType) => [responseType.responseType, responseType])),
    ...brought,
    clientAuthenticationMethods: methods,
    clientKeys,
    clientLogos,
    limitUntrustedFetch,
    clientAuthentication: createAuthentication(methods, {
      settings,
      models,
      clientSource: brought.clientSource,
      sealedSecrets,
      secretUses,
      clientKeys,
    }),
    endpoints: [...parts.endpoints, ...features.flatMap((feature) => feature.endpoints ?? [])],
    resolveScopes,
    secretUses,
    clientFailures: settings.applications.failures
      ? createClientFailures({ store: models.clientFailures, events, onError: settings.onError })
      : undefined,
    createGrant: createGrantsByHost(dependencies, events.emit),
    ...namedTokensOf(parts, tokens.policy),
    countNewClient: createNewClientLimit({
      failures: models.failures,
      max: rateLimits && rateLimits.newClients,
      events,
    }),
    clients,
    people: createPeople({
      ...models,
      service: clients,
      endSignIns: brought.endSignIns,
      emit: events.emit,
      flushAudit: parts.observation.flushAudit,
      serverSecret: settings.serverSecret,
    }),
  };
}

/** What the guard and introspection do with tokens of users' own programs. */
function namedTokensOf(
  { settings, models, observation }: ServerParts,
  policy: Server['policy'],
): Pick<Server, 'tokenUses' | 'useNamedToken'> {
  const { grants } = models;
  const tokenUses = createNamedTokenUses({ grants, onError: settings.onError });
  const { callsPerHour } = settings.personalAccessTokens || {};
  const { emit } = observation.events;
  const useNamedToken = createUseNamedToken({
    settings,
    callsPerHour,
    policy,
    grants,
    uses: tokenUses,
    emit,
  });
  return { tokenUses, useNamedToken };
}

function renderingOf(settings: Settings, languages: ServerParts['languages']): Server['rendering'] {
  return createPages({
    ...settings,
    functionName: 'authorizationServer',
    publicPath: `${settings.issuerPath}${basePathOf(settings)}`,
    hiddenPath: settings.issuerPath,
    formTargets: settings.login.origin === undefined ? [] : [settings.login.origin],
    languages,
    findLogoutPath: () => findLogoutPath(settings.connection),
    showsDetail: () => isLoopbackIssuer(settings),
  });
}

/** What clients can be registered for. */
function limitsOf(
  settings: Settings,
  grantTypes: readonly GrantType[],
  methods: Readonly<Record<'on' | 'all', readonly ClientAuthenticationMethod[]>>,
) {
  return {
    scopes: Object.keys(settings.scopes),
    grantTypes: grantTypes.map(({ name }) => name),
    tokenEndpointAuthMethods: methods.on.map(({ name }) => name),
    methods: authMethodInfo(methods.all),
    resources: ownResourcesOf(settings),
    authorizationDetailsTypes: [...settings.authorizationDetails.keys()],
    reservedNames: settings.pages.reservedNames,
    profile: settings.profile,
    lackingFor: settings.findProfileLack,
    trustDomains: settings.spiffe ? Object.keys(settings.spiffe.trustDomains) : [],
    signingAlgorithms: signingAlgorithmsOf(settings),
    subjectTypes: subjectTypesOf(settings.openid),
    isLoopbackIssuer: isLoopbackIssuer(settings),
    sectorLimits: settings.clientAuthentication.keys,
    redirectUriRules: redirectUriRulesOf(settings).stranger,
  };
}

/** Seconds; at least a day, for tokens that were made while a longer span was set. */
async function longestTokenOf(
  { lifetimes, resources }: Settings,
  clients: { longestAccessTokenTtl(): Promise<number> },
): Promise<number> {
  return Math.max(
    lifetimes.accessToken,
    86_400,
    await clients.longestAccessTokenTtl(),
    ...[...resources.values()].map((resource) => resource.accessTokenTtl ?? 0),
  );
}
