import type { Request, Router } from 'express';

import { ANY_LOGIN, type LoginPolicy } from '../core/authorization/login-policy.js';
import { type Prompt, PROMPTS } from '../core/authorization/prompt.js';
import type { RequestSource } from '../core/authorization/request-source.js';
import { RESPONSE_MODES, type ResponseMode } from '../core/authorization/response-modes/response-mode.js';
import type { CreateResponseType, ResponseType } from '../core/authorization/response-types/response-type.js';
import { createClientAuthentication } from '../core/client-authentication/client-authentication.js';
import { type ClientKeys, createClientKeys } from '../core/client-authentication/client-keys.js';
import type { ClientRequest } from '../core/client-authentication/client-request.js';
import type { ClientAuthenticationMethod } from '../core/client-authentication/method.js';
import { createAssertionVerifier } from '../core/client-authentication/verify-assertion.js';
import type { Client } from '../core/clients/client.js';
import type { ClientField } from '../core/clients/client-field.js';
import type { ClientSource } from '../core/clients/client-store.js';
import { requiresFapi, requiresMessageSigning } from '../core/clients/fapi-profile.js';
import { createNewClientLimit } from '../core/clients/new-client-limit.js';
import { createClientService } from '../core/clients/registry/client-service.js';
import { createScopeResolver } from '../core/clients/resolve-scopes.js';
import { createSecretVerifier } from '../core/clients/secrets/client-secrets.js';
import { createSecretUses } from '../core/clients/secrets/secret-last-used.js';
import { createClientFailures } from '../core/clients/status/client-failures.js';
import { clientFetchLimits } from '../core/clients/untrusted-fetch-limits.js';
import { createExtensionGrantType } from '../core/grant-types/extension.js';
import { createGrantHandlers, type GrantType } from '../core/grant-types/grant-type.js';
import { createPolicy, type Policy } from '../core/grants/policy.js';
import { createGrantsByHost } from '../core/grants/programmatic-grants.js';
import { createAccessTokens, type ReadToken } from '../core/grants/tokens/access-tokens.js';
import { createMigratedTokens, type ReadRefreshToken } from '../core/grants/tokens/migrated-tokens.js';
import { createTokenIssuer } from '../core/grants/tokens/token-issuer.js';
import type { UseNamedToken } from '../core/guard/database-verifier.js';
import { invalidToken } from '../core/guard/verify-access-token.js';
import type { ReadClientCertificate } from '../core/http/client-certificate.js';
import { createKeys } from '../core/keys/key-registry.js';
import type { SigningKeys } from '../core/keys/signing-keys.js';
import type { Emit } from '../core/observability/events.js';
import type { Observation } from '../core/observability/observation.js';
import type { EndSignIns } from '../core/openid/sign-ins.js';
import { createSubjects, subjectTypesOf } from '../core/openid/subjects.js';
import { createPeople } from '../core/people/people-registry.js';
import type { Binding } from '../core/proof-of-possession/binding.js';
import type { ProofVerifier } from '../core/proof-of-possession/dpop-proof.js';
import type { Messages } from '../messages/index.js';
import { withClientLogos } from '../pages/consent/client-logos.js';
import { findLogoutPath } from '../pages/login/servers-by-connection.js';
import { createPages } from '../pages/rendering/rendering.js';
import { basePathOf, isLoopbackIssuer, urlsOf } from '../settings/endpoint-urls.js';
import type { FeatureOptions } from '../settings/options.js';
import { redirectUriRulesOf } from '../settings/options/redirect-uri-options.js';
import { ownResourcesOf } from '../settings/options/resource-options.js';
import { signingAlgorithmsOf } from '../settings/options/signing-key-options.js';
import { PROFILE_METHODS } from '../settings/profile.js';
import type { Settings } from '../settings/settings.js';
import { createSealedSecrets } from '../shared/crypto/seal.js';
import { parseRefreshToken } from '../shared/crypto/secrets.js';
import {
  createLimitUntrustedFetch,
  type LimitUntrustedFetch,
} from '../shared/outbound/limit-untrusted-fetch.js';
import type { FeatureCollection } from '../storage/collections.js';
import type { Stores } from '../storage/stores.js';

/** The parts of the package: each is one file, and one line in one of these lists. */
export interface BuiltIn {
  readonly grantTypes: readonly GrantType[];
  readonly clientAuthenticationMethods: readonly ClientAuthenticationMethod[];
  readonly responseTypes: readonly CreateResponseType[];
  readonly endpoints: readonly Endpoint[];
  readonly features: readonly Feature[];
  /** The fields of a client. */
  readonly clientFields: readonly ClientField[];
  /** The texts of the pages by language, the default language first. */
  readonly languages: Readonly<Record<string, Messages>>;
}

/** The parts of a server: the enabled features, and the grant types and client fields of all. */
interface ServerParts extends BuiltIn {
  readonly settings: Settings;
  readonly models: Stores;
  readonly observation: Observation;
}

/** An authorization server with the shared parts of its endpoints, each made once. */
export type Server = Readonly<ReturnType<typeof createServer>>;

export function createServer(parts: ServerParts) {
  const { settings, features, clientFields: fields } = parts;
  const { events, audit, report, telemetry } = parts.observation;
  const { rateLimits } = settings.security;
  // seconds; at least a day, for tokens from a time with a longer lifetime
  const longestToken = async () =>
    Math.max(
      settings.lifetimes.accessToken,
      86_400,
      await parts.models.clients.longestAccessTokenTtl(),
      ...[...settings.resources.values()].map((resource) => resource.accessTokenTtl ?? 0),
    );
  const keys = createKeys(settings.signingKeys, parts.models.signingKeys, longestToken);
  const limitUntrustedFetch = createLimitUntrustedFetch(rateLimits !== false);
  const clientLogos = withClientLogos({
    clients: parts.models.clients,
    logos: parts.models.clientLogos,
    limits: clientFetchLimits(settings),
    // separate limits: no fetch of a logo delays a fetch that a request waits for
    limitUntrustedFetch: createLimitUntrustedFetch(rateLimits !== false),
    onError: settings.onError,
  });
  const models = { ...parts.models, clients: clientLogos.clients };
  const clientKeys = createClientKeys(clientFetchLimits(settings), limitUntrustedFetch);
  const loginParts = { settings, models, signingKeys: keys.signingKeys, clientKeys };
  const loginPolicy = firstOf(features, (feature) => feature.createLoginPolicy)?.(loginParts) ?? ANY_LOGIN;
  const readMigrated = createMigratedTokens(settings.tokens.migrated ? models.migrated : undefined);
  const accessTokens = createAccessTokens(settings, keys.signingKeys, [
    ...features.flatMap(({ readToken }) => readToken ?? []),
    (token) => readMigrated('access_token', token),
  ]);
  const policy = createPolicy(settings, models);
  const { createIdToken } = loginPolicy;
  const tokens = {
    readMigrated,
    readRefreshToken: (async (value) =>
      parseRefreshToken(value) ?? readMigrated('refresh_token', value)) satisfies ReadRefreshToken,
    accessTokens,
    policy,
    createIdToken,
  };
  const issuer = createTokenIssuer(settings, accessTokens, {
    policy,
    createIdToken,
    subjectOf: createSubjects(settings.openid),
  });
  const resolveScopes = createScopeResolver(settings);
  const dependencies = { ...models, ...tokens, settings, issuer, resolveScopes };
  // the enabled grant types: built-in ones from `grantTypes`, then the site's extensions
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
  const secretUses = createSecretUses({ clients: models.clients, onError: settings.onError });
  // FAPI 2.0 Security Profile §5.3.2.1-6 allows only some methods
  const methods = parts.clientAuthenticationMethods.filter(
    ({ name, isOn }) =>
      (isOn?.(settings) ?? true) && (settings.profile === undefined || PROFILE_METHODS.includes(name)),
  );
  const limits = limitsOf(settings, grantTypes, { on: methods, all: parts.clientAuthenticationMethods });
  const brought = composeFeatures(features, {
    ...loginParts,
    rules: { ...limits, fields, responseTypes },
    policy,
    emit: events.emit,
    limitUntrustedFetch,
  });

  const clients = createClientService({
    defaultScopes: settings.defaultScopes,
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
      findLogoutPath: () => findLogoutPath(settings.connection),
      showsDetail: () => isLoopbackIssuer(settings),
    }),
    ...keys,
    ...tokens,
    loginPolicy,
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
      settings,
      sealedSecrets,
    }),
    endpoints: [...parts.endpoints, ...features.flatMap((feature) => feature.endpoints ?? [])],
    resolveScopes,
    secretUses,
    clientFailures: createClientFailures({ store: models.clientFailures, events, onError: settings.onError }),
    createGrant: createGrantsByHost(dependencies, events.emit),
    countNewClient: createNewClientLimit(models.failures, rateLimits !== false, events),
    clients,
    people: createPeople({
      ...models,
      service: clients,
      async isUser(userId) {
        const { find, id: idOf } = settings.people;
        if (find === undefined) return models.people.hasUser(userId);
        const user = await find(userId);
        return Boolean(user && idOf(user) === userId);
      },
      endSignIns: brought.endSignIns,
      emit: events.emit,
      flushAudit: parts.observation.flushAudit,
      serverSecret: settings.serverSecret,
    }),
  };
}

/** RFC 7523 §3: the token endpoint's URL may be the audience; RFC 7523bis allows only the issuer. */
function assertionAudiences(settings: Settings): readonly string[] {
  const { issuer, clientAuthentication, pushedRequests } = settings;
  if (clientAuthentication.assertions.audience === 'issuer') return [issuer];
  // RFC 9126 §2
  return [issuer, ...urlsOf(settings, 'token'), ...(pushedRequests ? urlsOf(settings, 'par') : [])];
}

/** The limits of this server on registrations. */
function limitsOf(
  settings: Settings,
  grantTypes: readonly GrantType[],
  methods: Readonly<Record<'on' | 'all', readonly ClientAuthenticationMethod[]>>,
) {
  return {
    scopes: Object.keys(settings.scopes),
    grantTypes: grantTypes.map(({ name }) => name),
    tokenEndpointAuthMethods: methods.on.map(({ name }) => name),
    methods: methods.all,
    resources: ownResourcesOf(settings),
    authorizationDetailsTypes: [...(settings.authorizationDetails?.keys() ?? [])],
    reservedNames: settings.pages.reservedNames,
    profile: settings.profile,
    lackingFor: settings.findProfileLack,
    trustDomains: Object.keys(settings.spiffe || {}),
    signingAlgorithms: signingAlgorithmsOf(settings),
    subjectTypes: subjectTypesOf(settings.openid),
    isLoopbackIssuer: isLoopbackIssuer(settings),
    sectorLimits: clientFetchLimits(settings),
    redirectUriRules: redirectUriRulesOf(settings).stranger,
  };
}

/** The metadata of the server, or a part of it (RFC 8414 §2). */
export type ServerMetadata = Readonly<Record<string, unknown>>;

/**
 * An endpoint of the authorization server. A new one is a file in `endpoints/` (or `pages/`, for users) and a line in
 * the list of built-in endpoints, or in its feature.
 */
export interface Endpoint {
  /**
   * The name in options, events and telemetry, and the path below `basePath` unless the option `advanced.paths` has
   * another.
   */
  readonly name: string;
  /** Makes the router, which answers at its root. */
  readonly create: (server: Server) => Router;
  /** Whether users open the endpoint in browsers, with the site's session. Default: clients call it, without one. */
  readonly isPage?: boolean;
  /** The metadata of the endpoint (RFC 8414 §2). */
  readonly metadata?: (server: Server, url: string) => ServerMetadata;
}

type AlwaysOn =
  | 'authorize'
  | 'token'
  | 'revoke'
  | 'introspect'
  | 'jwks'
  | 'applications'
  | 'authorizations'
  | 'client-logo'
  | 'metadata';

/** The router of each endpoint, by its name; a disabled feature has none. */
export type Endpoints = Readonly<Record<AlwaysOn, Router>> & {
  readonly par?: Router;
  readonly register?: Router;
  readonly device?: Router;
  readonly device_authorization?: Router;
  readonly 'access-tokens'?: Router;
  readonly 'personal-access-token'?: Router;
  readonly 'leaked-token'?: Router;
  readonly authorization_details_types?: Router;
};

/** The dependencies of login policies. */
export interface LoginParts {
  readonly settings: Settings;
  readonly models: Stores;
  readonly signingKeys: SigningKeys;
  readonly clientKeys: ClientKeys;
}

/** The dependencies of features. */
export interface FeatureParts extends LoginParts {
  /** The rules for registrations, except those that the option of the feature sets. */
  readonly rules: ReturnType<typeof limitsOf> & {
    readonly fields: readonly ClientField[];
    readonly responseTypes: readonly ResponseType[];
  };
  readonly policy: Policy;
  readonly emit: Emit;
  /** Limits every fetch from an address that a stranger has named. */
  readonly limitUntrustedFetch: LimitUntrustedFetch;
}

/** Ends sign-ins, and sends logout tokens. */
export interface Logout {
  readonly endSignIns: EndSignIns;
  readonly logoutSender: { close(): Promise<void> };
}

/** Tokens that users have made for programs of their own. */
export interface NamedTokens {
  readonly use: UseNamedToken;
  /** Stores the waiting days of last use, before the tokens are displayed; returns whether there were any. */
  readonly flush: (grantIds: readonly string[]) => Promise<boolean>;
  /** Stores the waiting days, and stops. Always resolves. */
  readonly close: () => Promise<void>;
}

/** The default without the feature: every such token is refused. */
const NO_NAMED_TOKENS: NamedTokens = {
  use: () => Promise.reject(invalidToken('tokens of users are off')),
  flush: () => Promise.resolve(false),
  close: () => Promise.resolve(),
};

/** The parts of an optional feature, from any modules. If the feature is off, it has no route and no metadata. */
export interface Feature extends FeatureOptions {
  readonly name: string;
  readonly isOn: (settings: Settings) => boolean;
  readonly grantTypes?: readonly GrantType[];
  readonly responseTypes?: readonly CreateResponseType[];
  /** Response types that the feature's option enables one by one. */
  readonly createResponseTypes?: (settings: Settings) => readonly CreateResponseType[];
  /** Decides which logins satisfy a request, and what a grant stores about a login. */
  readonly createLoginPolicy?: (parts: LoginParts) => LoginPolicy;
  /** Ends the sign-ins of users through this site, and sends logout tokens to clients. */
  readonly createLogout?: (parts: FeatureParts) => Logout;
  /** Verifies clients' proofs of keys. */
  readonly createProofs?: (parts: FeatureParts) => ProofVerifier;
  /** Reads the certificates of clients. */
  readonly createCertificateReader?: (parts: FeatureParts) => ReadClientCertificate;
  /** Response modes besides query and fragment. */
  readonly createResponseModes?: (parts: FeatureParts) => readonly ResponseMode[];
  /** Reads access tokens of the feature's format. */
  readonly readToken?: ReadToken;
  readonly createNamedTokens?: (parts: FeatureParts) => NamedTokens;
  readonly endpoints?: readonly Endpoint[];
  /** The metadata of the feature (RFC 8414 §2), besides that of its endpoints. */
  readonly metadata?: (settings: Settings, ofEndpoints: ServerMetadata) => ServerMetadata;
  /** Further well-known paths of the metadata, besides the path of RFC 8414 §3. */
  readonly metadataPaths?: readonly string[];
  /** JSON documents about the server at well-known paths, which include the path of the issuer (RFC 8414 §3.1). */
  readonly wellKnownDocuments?: readonly {
    readonly path: string;
    readonly describe: (server: Server) => object;
  }[];
  /** Further metadata of each resource (RFC 9728 §2). */
  readonly resourceMetadata?: (settings: Settings) => ServerMetadata;
  /** Endpoints that also answer at the site's root: by name, whether a request to that path is for the endpoint. */
  readonly rootAliases?: Readonly<Record<string, (req: Request) => boolean>>;
  readonly clientFields?: readonly ClientField[];
  /** Authorization request parameters of the feature that would otherwise be refused (`request_uri`). */
  readonly authorizationParameters?: readonly string[];
  /** Further supported values of `prompt` (OpenID Connect Core §3.1.2.1). */
  readonly prompts?: (settings: Settings) => readonly Prompt[];
  /** Whether the client has to push its authorization requests. */
  readonly isPushingRequired?: (settings: Settings, client: Client) => boolean;
  /** Whether the client has to sign its authorization requests. */
  readonly isSigningRequired?: (settings: Settings, client: Client) => boolean;
  /**
   * Finds the binding of a request's tokens by its proof or certificate; undefined without either. Throws an OAuthError
   * if a required binding is missing.
   */
  readonly createBinding?: (settings: Settings) => (request: ClientRequest) => Binding | undefined;
  /** Further sources of authorization requests, besides their parameters. */
  readonly createRequestSources?: (parts: FeatureParts) => readonly RequestSource[];
  /** Replaces the look-up of clients in the store; it must find stored clients as well. */
  readonly createClientSource?: (parts: FeatureParts) => ClientSource;
  /** The collections of the feature, by the names of their models. */
  readonly collections?: (settings: Settings) => readonly FeatureCollection[];
}

/** Combines the parts of the enabled features. */
function composeFeatures(features: readonly Feature[], parts: FeatureParts) {
  const { settings, models } = parts;
  const logout = firstOf(features, (feature) => feature.createLogout)?.(parts);
  // clients from a metadata document are hidden while that feature is off: their data may be old
  const storedClients: ClientSource = {
    async find(clientId, options) {
      const client = await models.clients.find(clientId, options);
      return client?.document === undefined ? client : null;
    },
  };
  const responseModes = features.flatMap((feature) => feature.createResponseModes?.(parts) ?? []);
  return {
    responseModes: new Map(
      [...RESPONSE_MODES.values(), ...responseModes].map((mode) => [mode.responseMode, mode]),
    ),
    requestSources: features.flatMap((feature) => feature.createRequestSources?.(parts) ?? []),
    endSignIns: logout?.endSignIns,
    logoutSender: logout?.logoutSender,
    proofs: firstOf(features, (feature) => feature.createProofs)?.(parts),
    namedTokens: firstOf(features, (feature) => feature.createNamedTokens)?.(parts) ?? NO_NAMED_TOKENS,
    readCertificate: firstOf(features, (feature) => feature.createCertificateReader)?.(parts),
    authorizationParameters: new Set(features.flatMap((feature) => feature.authorizationParameters ?? [])),
    prompts: [...PROMPTS, ...features.flatMap((feature) => feature.prompts?.(settings) ?? [])],
    // FAPI 2.0 Security Profile §5.3.2.2-3: without the feature of pushed requests, such a client gets nothing
    isPushingRequired: (client: Client) =>
      requiresFapi(settings, client) ||
      features.some((feature) => feature.isPushingRequired?.(settings, client) === true),
    // FAPI 2.0 Message Signing §5.3.1-1: signed requests are required in the same way
    isSigningRequired: (client: Client) =>
      requiresMessageSigning(settings, client) ||
      features.some((feature) => feature.isSigningRequired?.(settings, client) === true),
    bindings: features.flatMap((feature) => feature.createBinding?.(settings) ?? []),
    clientSource: firstOf(features, (feature) => feature.createClientSource)?.(parts) ?? storedClients,
    describeFeatures: (ofEndpoints: ServerMetadata) =>
      together(features.map((feature) => feature.metadata?.(settings, ofEndpoints))),
    metadataPaths: [...new Set(features.flatMap((feature) => feature.metadataPaths ?? []))],
    wellKnownDocuments: features.flatMap((feature) => feature.wellKnownDocuments ?? []),
    resourceMetadata: together(features.map((feature) => feature.resourceMetadata?.(settings))),
    rootAliases: together(features.map((feature) => feature.rootAliases)),
  };
}

/** The result of the first feature that returns one. */
function firstOf<Part>(
  features: readonly Feature[],
  get: (feature: Feature) => Part | undefined,
): Part | undefined {
  return features.map(get).find((part) => part !== undefined);
}

function together<Value>(parts: readonly (Readonly<Record<string, Value>> | undefined)[]) {
  return Object.assign({}, ...parts) as Readonly<Record<string, Value>>;
}
