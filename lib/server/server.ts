import type { Request, Router } from 'express';

import type { LoginPolicy } from '../core/authorization/login-policy.js';
import type { Prompt } from '../core/authorization/prompt.js';
import type { RequestSource } from '../core/authorization/request-source.js';
import type { ResponseMode } from '../core/authorization/response-modes/response-mode.js';
import type { ResponseType } from '../core/authorization/response-types/response-type.js';
import type { ClientAuthentication } from '../core/client-authentication/client-authentication.js';
import type { ClientKeys } from '../core/client-authentication/client-keys.js';
import type { ClientRequest } from '../core/client-authentication/client-request.js';
import type { ClientAuthenticationMethod } from '../core/client-authentication/method.js';
import type { Client } from '../core/clients/client.js';
import type { ClientSource } from '../core/clients/client-store.js';
import type { CountNewClient } from '../core/clients/new-client-limit.js';
import type { ClientService } from '../core/clients/registry/client-service.js';
import type { ResolveScopes } from '../core/clients/resolve-scopes.js';
import type { SecretUses } from '../core/clients/secrets/secret-last-used.js';
import type { ClientFailures } from '../core/clients/status/client-failures.js';
import type { GrantHandler } from '../core/grant-types/grant-handler.js';
import type { GrantType } from '../core/grant-types/grant-type.js';
import type { GrantRegistry } from '../core/grants/grant-registry.js';
import type { Policy } from '../core/grants/policy.js';
import type { AccessTokens } from '../core/grants/tokens/access-tokens.js';
import type { ReadMigratedToken, ReadRefreshToken } from '../core/grants/tokens/migrated-tokens.js';
import type { NamedTokenUses, UseNamedToken } from '../core/grants/use-named-token.js';
import type { ReadClientCertificate } from '../core/http/client-certificate.js';
import type { KeyRegistry } from '../core/keys/key-registry.js';
import type { SigningKeys } from '../core/keys/signing-keys.js';
import type { Observation } from '../core/observability/observation.js';
import type { EndSignIns, LogoutSender } from '../core/openid/session-store.js';
import type { RunningPeople } from '../core/people/people-registry.js';
import type { Binding } from '../core/proof-of-possession/binding.js';
import type { ProofVerifier } from '../core/proof-of-possession/dpop-proof.js';
import type { Pages } from '../pages/rendering/rendering.js';
import type { Settings } from '../settings/settings.js';
import type { LimitUntrustedFetch } from '../shared/outbound/limit-untrusted-fetch.js';
import type { Stores } from '../storage/stores.js';

/** An authorization server with all that its endpoints are made from, each made once. */
export interface Server extends Pick<Observation, 'events' | 'audit' | 'report' | 'telemetry'> {
  readonly settings: Settings;
  readonly models: Stores;
  readonly rendering: Pages;
  readonly signingKeys: SigningKeys;
  readonly keyRegistry: KeyRegistry;
  /** For the start. @throws TypeError if the stored keys cannot be decrypted */
  readonly checkStoredKeys: () => Promise<void>;
  readonly policy: Policy;
  readonly countNewClient: CountNewClient;
  readonly accessTokens: AccessTokens;
  readonly readMigrated: ReadMigratedToken;
  readonly readRefreshToken: ReadRefreshToken;
  /** Those that are on, including the authorization endpoint's own. */
  readonly grantTypes: readonly GrantType[];
  /** Those that the token endpoint takes, by name. */
  readonly tokenGrantTypes: ReadonlyMap<string, GrantHandler>;
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  /** Those that are on, by name. */
  readonly responseModes: ReadonlyMap<string, ResponseMode>;
  /** The ways to name authorization requests that features add. */
  readonly requestSources: readonly RequestSource[];
  /** Which logins are good enough for a request, and what is kept of them. */
  readonly loginPolicy: LoginPolicy;
  /** Verifies proofs that clients hold a key; undefined if nothing asks for them. */
  readonly proofs: ProofVerifier | undefined;
  /** Reads the certificates of clients; undefined if nothing asks for them. */
  readonly readCertificate: ReadClientCertificate | undefined;
  /** Parameters of authorization requests that features read. */
  readonly authorizationParameters: ReadonlySet<string>;
  /** What clients can ask to be done before they get an answer. */
  readonly prompts: readonly Prompt[];
  /** Whether a feature makes the client push its authorization requests. */
  readonly isPushingRequired: (client: Client) => boolean;
  /** Whether a feature makes the client sign them. */
  readonly isSigningRequired: (client: Client) => boolean;
  /** Functions that say what the tokens of a request are bound to, one for each way. */
  readonly bindings: readonly FindBinding[];
  /** Where the clients of requests are looked up: the stored ones, and those that features add. */
  readonly clientSource: ClientSource;
  readonly clientAuthenticationMethods: readonly ClientAuthenticationMethod[];
  readonly clientAuthentication: ClientAuthentication;
  /** The public keys of clients. */
  readonly clientKeys: ClientKeys;
  /** Fetches logos, beside the requests. */
  readonly clientLogos: { readonly close: () => void };
  /** Every fetch from an address that a stranger has named goes through it. */
  readonly limitUntrustedFetch: LimitUntrustedFetch;
  /** The endpoints that are on; the metadata say what they add. */
  readonly endpoints: readonly Endpoint[];
  /** What features add to the metadata (RFC 8414 §2), besides what endpoints add. */
  readonly describeFeatures: (ofEndpoints: ServerMetadata) => ServerMetadata;
  /** Where clients look for the metadata, besides the place of RFC 8414 §3. */
  readonly metadataPaths: readonly string[];
  /** Documents of features at well-known paths of their own. */
  readonly wellKnownDocuments: readonly WellKnownDocument[];
  /** What features add to the metadata of each resource (RFC 9728 §2). */
  readonly resourceMetadata: ServerMetadata;
  /** Which endpoints answer at the root of the site as well. */
  readonly rootAliases: RootAliases;
  /** A request's scopes, or the default ones. @throws OAuthError invalid_scope */
  readonly resolveScopes: ResolveScopes;
  readonly clients: ClientService;
  readonly people: RunningPeople;
  /** Notes when the secrets of clients are used. */
  readonly secretUses: SecretUses;
  /** Why clients were refused lately; undefined if that is not counted. */
  readonly clientFailures: ClientFailures | undefined;
  /** Ends the sign-ins of users; undefined if nobody signs in through this site. */
  readonly endSignIns: EndSignIns | undefined;
  /** Tells clients of logouts; undefined in the same case. */
  readonly logoutSender: LogoutSender | undefined;
  /** Notes when tokens of users' own programs are used. */
  readonly tokenUses: NamedTokenUses;
  /** What such a token may do at this use. */
  readonly useNamedToken: UseNamedToken;
  /** Makes a grant, from code of the site. */
  readonly createGrant: GrantRegistry['create'];
}

/** The router of each endpoint that is on, by its name. */
export type ServerRouters = Readonly<Record<string, Router>>;

/** The metadata of the server, or some of them (RFC 8414 §2). */
export type ServerMetadata = Readonly<Record<string, unknown>>;

/** For the name of an endpoint, whether a request to that name at the root of the site is for it. */
export type RootAliases = Readonly<Record<string, (req: Request) => boolean>>;

/**
 * A path of the authorization server and what answers there. A new one is a file in `endpoints/` (or `pages/`, for
 * users) and a line in the list of what is built in, or in its feature.
 */
export interface Endpoint {
  /**
   * Its name in options, events and telemetry; its path below `basePath` unless the option `advanced.paths` has
   * another.
   */
  readonly name: string;
  /** Makes the router, which answers at its own root. */
  readonly create: (server: Server) => Router;
  /**
   * Whether users see it in their browsers, with the site's session. Default: clients call it, and need no session.
   */
  readonly isPage?: boolean;
  /** What it adds to the metadata of the server (RFC 8414 §2). */
  readonly metadata?: (server: Server, url: string) => ServerMetadata;
}

/** A JSON document at a well-known path, into which the path of the issuer is inserted (RFC 8414 §3.1). */
export interface WellKnownDocument {
  readonly path: string;
  readonly describe: (server: Server) => object;
}

/**
 * What the tokens of a request are bound to, going by what it has shown; undefined if it has shown nothing.
 *
 * @throws OAuthError if what they have to be bound to is missing
 */
export type FindBinding = (request: ClientRequest) => Binding | undefined;

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

/** The router of each endpoint, by its name; those of a feature only if it is on. */
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
