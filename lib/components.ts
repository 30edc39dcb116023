import { createResponseTypes } from './authorization/response-types/index.js';
import type { ResponseType } from './authorization/response-types/response-type.js';
import {
  createClientAuthentication,
  createClientAuthenticationMethods,
} from './client-authentication/index.js';
import type { ClientAuthenticationMethod } from './client-authentication/method.js';
import type { Client } from './clients/client.js';
import { type ClientOperations, createClientOperations } from './clients/client-operations.js';
import type { ClientStore } from './clients/client-store.js';
import { createKeptSecrets } from './crypto/kept-secrets.js';
import type { GrantType } from './grant-types/grant-type.js';
import { createGrantTypes } from './grant-types/index.js';
import { type AccessTokens, createAccessTokens } from './grants/access-tokens.js';
import { createTokenIssuer } from './grants/token-issuer.js';
import { createKeys } from './keys/key-registry.js';
import { createStores, type Stores } from './models/stores.js';
import { createObservation, type Observation } from './observability/observation.js';
import { resolveScopes } from './protocol/scope.js';
import { createPages, type Pages } from './rendering/rendering.js';
import { createLimitedAuthentication, type LimitedAuthentication } from './server/client-endpoint.js';
import type { Settings } from './settings/settings.js';

/** What the endpoints are made of, each made once for an authorization server. */
export interface Components extends Pick<Observation, 'events' | 'audit' | 'report' | 'telemetry'> {
  readonly settings: Settings;
  readonly models: Stores;
  readonly pages: Pages;
  readonly observation: Observation;
  readonly keys: ReturnType<typeof createKeys>;
  readonly accessTokens: AccessTokens;
  readonly grantTypes: ReadonlyMap<string, GrantType>;
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  readonly authenticationMethods: readonly ClientAuthenticationMethod[];
  readonly clientAuthentication: LimitedAuthentication;
  /** A request's scopes, or the default ones. @throws OAuthError invalid_scope */
  readonly resolveScopes: (client: Client, scope: string | undefined) => readonly string[];
  readonly clients: ClientOperations;
}

export function createComponents(settings: Settings): Components {
  const models = createStores(settings.connection, {
    timeout: settings.databaseTimeout,
    clientLife: settings.clientCacheTtl,
    audit: settings.audit !== undefined,
  });
  const observation = createObservation(settings, models.auditLog);
  const keys = createKeys({
    settings: settings.signingKeys,
    store: models.signingKeys,
    longestToken: () => longestTokenOf(settings, models.clients),
  });
  const accessTokens = createAccessTokens(settings, keys.signingKeys);
  const issuer = createTokenIssuer(settings, accessTokens);
  const scopesFor = scopeResolver(settings);
  const keptSecrets = createKeptSecrets(settings.clientSecretKey);
  const authenticationMethods = createClientAuthenticationMethods({
    settings,
    assertionIds: models.assertionIds,
    keptSecrets,
  });
  const limits = {
    scopes: Object.keys(settings.scopes),
    grantTypes: grantTypesOf(settings),
    tokenEndpointAuthMethods: authenticationMethods.map(({ name }) => name),
    resources: [settings.issuer, ...settings.resources.keys()],
  };
  const { events, audit, report, telemetry } = observation;

  return {
    settings,
    models,
    pages: createPages({
      ...settings,
      functionName: 'authorizationServer',
      publicPath: `${settings.issuerPath}${settings.basePath}`,
    }),
    observation,
    events,
    audit,
    report,
    telemetry,
    keys,
    accessTokens,
    grantTypes: createGrantTypes({ settings, models, issuer, resolveScopes: scopesFor }),
    responseTypes: createResponseTypes({ models, settings, issuer }),
    authenticationMethods,
    clientAuthentication: createLimitedAuthentication(
      settings,
      createClientAuthentication(authenticationMethods, models.clients),
    ),
    resolveScopes: scopesFor,
    clients: createClientOperations({
      models,
      limits,
      keptSecrets,
      defaultScopes: settings.defaultScopes,
      secretOverlap: settings.secretOverlap,
    }),
  };
}

/** All that a client can be registered for: those of the token endpoint, and `implicit`, which is the authorization endpoint's. */
export function grantTypesOf({ grantTypes, extensionGrantTypes }: Settings): readonly string[] {
  return [...grantTypes, ...extensionGrantTypes.map(({ grantType }) => grantType)];
}

/** Seconds; a day at least, for tokens that were made while a longer span was set. */
async function longestTokenOf(
  { accessTokenTtl, resources }: Settings,
  clients: ClientStore,
): Promise<number> {
  return Math.max(
    accessTokenTtl,
    86_400,
    await clients.longestAccessTokenTtl(),
    ...[...resources.values()].map((resource) => resource.accessTokenTtl ?? 0),
  );
}

function scopeResolver({ scopes, defaultScopes }: Settings) {
  const known = Object.keys(scopes);
  return (client: Client, scope: string | undefined): readonly string[] =>
    // a scope that the host has taken out of its options is gone for clients registered for it, too
    resolveScopes({
      scope,
      allowed: client.scopes.filter((candidate) => known.includes(candidate)),
      defaults: defaultScopes ?? client.scopes,
    });
}
