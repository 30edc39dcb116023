export { type AuthorizationServer,authorizationServer } from './authorization-server.js';
export type { ClientAssertionOptions, ClientKeysOptions } from './client-authentication/options.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './errors.js';
export type {
  ExtensionGrantRequest,
  ExtensionGrantResult,
  ExtensionGrantType,
} from './grant-types/extension-grant-type.js';
export type { AccessToken } from './guard/access-token.js';
export type { BearerMethod } from './guard/bearer-token.js';
export type { Guard, GuardOptions } from './guard/guard.js';
export { csrfTokenOf } from './http/csrf.js';
export type { ErrorContext } from './http/report.js';
export { safeReturnPath } from './http/return-path.js';
export type { AuditEntry, AuditQuery } from './models/audit.js';
export { createUsers, type User, UserError, type Users, type UsersOptions } from './models/users.js';
export type { Audit, AuditOptions } from './observation/audit.js';
export type {
  EventFacts,
  EventListener,
  EventMap,
  EventName,
  OAuthEvent,
  OAuthEvents,
} from './observation/events.js';
export type {
  TelemetryMeter,
  TelemetryOptions,
  TelemetrySpan,
  TelemetryTracer,
} from './observation/telemetry.js';
export type {
  AuthorizationServerOptions,
  BuiltInGrantType,
  IssuedTokens,
  LoginOptions,
  RateLimitOptions,
  ScopeOptions,
} from './options.js';
export type { AccessTokenDescription } from './options.js';
export { localLogin, type LocalLoginOptions } from './pages/local-login.js';
export type { MessageKey, Messages } from './pages/messages/index.js';
export type { Color, ColorOptions, PagesOptions, SourceOptions } from './pages/page-options.js';
export type { PublicJwk, PublicJwks } from './protocol/client.js';
export type { ClientMetadata, ClientType } from './protocol/client.js';
export type { AccessTokenFormat, ResourceOptions } from './protocol/resource.js';
export type {
  InitialAccessTokenOptions,
  RegistrationRegistry,
} from './registration/initial-access-tokens.js';
export type { RegistrationOptions, SoftwareStatementClaims } from './registration/registration-options.js';
export type { Client, ClientRegistry, ClientWithSecret, NewClient } from './registries/client-registry.js';
export type { GrantRegistry, GrantsOf } from './registries/grant-registry.js';
export type { KeyRegistry, SigningKeyInfo } from './registries/key-registry.js';
export type { PrivateJwk, SigningAlgorithm } from './tokens/key-material.js';
export type { SigningKeyOptions } from './tokens/signing-key-options.js';
