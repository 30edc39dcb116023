import type { CreateResponseType } from '../core/authorization/response-types/response-type.js';
import { createClientAuthentication } from '../core/client-authentication/client-authentication.js';
import { createClientKeys } from '../core/client-authentication/client-keys.js';
import type { ClientAuthenticationMethod } from '../core/client-authentication/method.js';
import { createAssertionVerifier } from '../core/client-authentication/verify-assertion.js';
import { authMethodInfo } from '../core/clients/auth-method-info.js';
import type { ClientField } from '../core/clients/client-field.js';
import { withClientLogos } from '../core/clients/client-logos.js';
import { createNewClientLimit } from '../core/clients/new-client-limit.js';
import { createClientService } from '../core/clients/registry/client-service.js';
import { createScopeResolver } from '../core/clients/resolve-scopes.js';
import { createSecretVerifier } from '../core/clients/secrets/client-secrets.js';
import { createSecretUses } from '../core/clients/secrets/secret-last-used.js';
import { createClientFailures } from '../core/clients/status/client-failures.js';
import { clientFetchLimits } from '../core/clients/untrusted-fetch-limits.js';
import { createExtensionGrantType } from '../core/grant-types/extension.js';
import { createGrantHandlers } from '../core/grant-types/grant-handler.js';
import type { GrantType } from '../core/grant-types/grant-type.js';
import { createGrantsByHost } from '../core/grants/programmatic-grants.js';
import { createNamedTokenUses, createUseNamedToken } from '../core/grants/use-named-token.js';
import { createKeys } from '../core/keys/key-registry.js';
import type { Observation } from '../core/observability/observation.js';
import { createPeople } from '../core/people/people-registry.js';
import type { Messages } from '../messages/index.js';
import { logoutPaths } from '../pages/login/servers-by-connection.js';
import { createPages } from '../pages/rendering/rendering.js';
import { basePathOf, isLoopbackIssuer, urlsOf } from '../settings/endpoint-urls.js';
import { subjectTypesOf } from '../settings/options/openid-options.js';
import { redirectUriRulesOf } from '../settings/options/redirect-uri-options.js';
import { ownResourcesOf } from '../settings/options/resource-options.js';
import { signingAlgorithmsOf } from '../settings/options/signing-key-options.js';
import { PROFILE_METHODS } from '../settings/profile.js';
import type { Settings } from '../settings/settings.js';
import { createSealedSecrets } from '../shared/crypto/seal.js';
import { createLimitUntrustedFetch } from '../shared/outbound/limit-untrusted-fetch.js';
import type { Stores } from '../storage/stores.js';
import { composeFeatures } from './compose-features.js';
import { createTokens } from './create-tokens.js';
import type { Feature } from './feature.js';
import type { Endpoint, Server } from './server.js';

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
  // seconds; at least a day, for tokens that were made while a longer span was set
  const longestToken = async () =>
    Math.max(
      settings.lifetimes.accessToken,
      86_400,
      await parts.models.clients.longestAccessTokenTtl(),
      ...[...settings.resources.values()].map((resource) => resource.accessTokenTtl ?? 0),
    );
  const keys = createKeys(settings.signingKeys, parts.models.signingKeys, longestToken);
  const limitUntrustedFetch = createLimitUntrustedFetch({ isLimited: rateLimits !== false });
  const clientLogos = withClientLogos({
    clients: parts.models.clients,
    logos: parts.models.clientLogos,
    limits: clientFetchLimits(settings),
    // of their own: no logo takes the room of a fetch that a request waits for
    limitUntrustedFetch: createLimitUntrustedFetch({ isLimited: rateLimits !== false }),
    onError: settings.onError,
  });
  const models = { ...parts.models, clients: clientLogos.clients };
  const clientKeys = createClientKeys(clientFetchLimits(settings), limitUntrustedFetch);
  const { issuer, ...tokens } = createTokens(settings, models, { ...keys, clientKeys, features });
  const resolveScopes = createScopeResolver(settings);
  const dependencies = { ...models, ...tokens, settings, issuer, resolveScopes };
  // those that the site has named, including its own
  const grantTypes = [
    ...settings.grantTypes.flatMap((name) => parts.grantTypes.filter((grantType) => grantType.name === name)),
    ...settings.extensionGrantTypes.map(createExtensionGrantType),
  ];
  const responseTypes = [
    ...parts.responseTypes,
    ...features.flatMap((feature) => feature.responseTypes ?? []),
    ...features.flatMap((feature) => feature.createResponseTypes?.(settings) ?? []),
  ]
    .map((create) => create(dependencies))
    .filter(({ grantType }) => grantTypes.some(({ name }) => name === grantType));
  const sealedSecrets = createSealedSecrets(settings.clientAuthentication.secretKey);
  const tokenUses = createNamedTokenUses({ grants: models.grants, onError: settings.onError });
  const secretUses = createSecretUses({ clients: models.clients, onError: settings.onError });
  // FAPI 2.0 Security Profile §5.3.2.1-6 allows only some methods
  const methods = parts.clientAuthenticationMethods.filter(
    ({ name, isOn }) =>
      (isOn?.(settings) ?? true) && (settings.profile === undefined || PROFILE_METHODS.includes(name)),
  );
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
    rendering: createPages({
      ...settings,
      functionName: 'authorizationServer',
      publicPath: `${settings.issuerPath}${basePathOf(settings)}`,
      hiddenPath: settings.issuerPath,
      formTargets: settings.login.origin === undefined ? [] : [settings.login.origin],
      languages: parts.languages,
      findLogoutPath: () => logoutPaths.get(settings.connection),
      showsDetail: () => isLoopbackIssuer(settings),
    }),
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
    clientAuthentication: createClientAuthentication(methods, {
      clients: brought.clientSource,
      failures: models.failures,
      verifySecret: createSecretVerifier(),
      noteSecretUse: secretUses.note,
      verifyAssertion: createAssertionVerifier({
        issuer: settings.issuer,
        audiences: assertionAudiences(settings),
        maxTtl: settings.clientAuthentication.assertions.maxTtl,
        clockTolerance: settings.security.clockTolerance,
        assertionIds: models.assertionIds,
      }),
      clientKeys,
      profile: settings.profile,
      settings,
      sealedSecrets,
    }),
    endpoints: [...parts.endpoints, ...features.flatMap((feature) => feature.endpoints ?? [])],
    resolveScopes,
    secretUses,
    clientFailures: settings.applications.failures
      ? createClientFailures({ store: models.clientFailures, events, onError: settings.onError })
      : undefined,
    createGrant: createGrantsByHost(dependencies, events.emit),
    tokenUses,
    useNamedToken: createUseNamedToken({
      settings,
      callsPerHour: (settings.personalAccessTokens || {}).callsPerHour,
      policy: tokens.policy,
      grants: models.grants,
      uses: tokenUses,
      emit: events.emit,
    }),
    countNewClient: createNewClientLimit(models.failures, rateLimits && rateLimits.newClients, events),
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

/** RFC 7523 §3: the token endpoint's URL may be the audience; RFC 7523bis wants only the issuer. */
function assertionAudiences(settings: Settings): readonly string[] {
  const { issuer, clientAuthentication, pushedRequests } = settings;
  if (clientAuthentication.assertions.audience === 'issuer') return [issuer];
  // RFC 9126 §2
  return [issuer, ...urlsOf(settings, 'token'), ...(pushedRequests ? urlsOf(settings, 'par') : [])];
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
    sectorLimits: clientFetchLimits(settings),
    redirectUriRules: redirectUriRulesOf(settings).stranger,
  };
}
