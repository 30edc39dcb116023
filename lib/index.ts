export { type AuthorizationServer, authorizationServer } from './authorization-server.js';
export type { AuthorizationServerOptions } from './built-in.js';
export type { BuiltInGrantType } from './built-in.js';
export type { PublicJwk, PublicJwks } from './clients/client.js';
export type { ClientMetadata, ClientType } from './clients/client.js';
export type { ClientInfo as Client } from './clients/client-info.js';
export type {
  ClientChanges,
  ClientRegistry,
  ClientWithSecret,
  NewClient,
} from './clients/client-registry.js';
// with a star, so that a host can add to the types in them
export type * from './clients/custom-client-fields.js';
export type { InitialAccessTokenOptions, RegistrationRegistry } from './clients/initial-access-tokens.js';
export type {
  EncryptionKeyAlgorithm,
  KeyAlgorithm,
  PrivateJwk,
  SigningAlgorithm,
} from './crypto/key-material.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './errors.js';
export type { FailureReason } from './failure-reasons.js';
export type { GrantRegistry, GrantRevocation, GrantsOf } from './grants/grant-registry.js';
export type { CreatedGrant, NewGrantOptions } from './grants/grants-by-host.js';
export type { AccessToken } from './guard/access-token.js';
export { authOf } from './guard/auth-of.js';
export type { Guard, RouteGuard } from './guard/guard.js';
export type { Mcp } from './guard/mcp.js';
export type { PassportStrategy } from './guard/passport-strategy.js';
export { csrfTokenOf } from './http/csrf.js';
export type { KeyRegistry, SigningKeyInfo } from './keys/key-registry.js';
export type { MessageKey, Messages } from './messages/index.js';
export type * from './models/custom-user-fields.js';
export type { Models } from './models/models.js';
export { createUsers, type User, UserError, type Users } from './models/users.js';
export type { Audit } from './observability/audit.js';
export type { AuditEntry, AuditQuery } from './observability/audit-log.js';
export type {
  EventFacts,
  EventListener,
  EventMap,
  EventName,
  OAuthEvent,
  OAuthEvents,
} from './observability/events.js';
export type { SessionRegistry } from './openid/sessions.js';
export { localLogin } from './pages/login/local-login.js';
export type { LocalLoginOptions } from './pages/login/local-login-options.js';
export type { AuthorizationDetail } from './protocol/authorization-details.js';
export type { BearerMethod } from './protocol/bearer-method.js';
export { safeReturnPath } from './sessions/return-path.js';
export type { AgentsOptions } from './settings/agent-options.js';
export type { ApplicationsOptions } from './settings/applications-options.js';
export type { AuditOptions } from './settings/audit-options.js';
export type {
  AuthorizationDetailsType,
  CheckedDetail,
  DetailContext,
  DetailText,
} from './settings/authorization-details-options.js';
export type {
  ChoiceContext,
  ChoiceEntry,
  ChoiceOptions,
  Choices,
  ChoiceValue,
  HeldChoiceContext,
} from './settings/choice-options.js';
export type { ClientAssertionOptions, ClientKeysOptions } from './settings/client-authentication-options.js';
export type { DetailSchema, JsonSchema } from './settings/detail-schema.js';
export type {
  ExtensionGrantRequest,
  ExtensionGrantResult,
  ExtensionGrantType,
} from './settings/extension-grant-type.js';
export type { GlobalRevocationOptions, SubjectIdentifier } from './settings/global-revocation-options.js';
export type { FindUser, GuardOptions, StrategyOptions } from './settings/guard-options.js';
export type { RateLimitOptions } from './settings/limit-options.js';
export type { FindLogin, LoginHints, LoginOptions } from './settings/login-options.js';
export type {
  McpOptions,
  McpServerLike,
  McpTransportLike,
  RequireBearerAuthOptions,
} from './settings/mcp-options.js';
export type { ErrorContext } from './settings/on-error.js';
export type {
  AppReport,
  Color,
  ColorOptions,
  Layout,
  LayoutPage,
  PagesOptions,
  SourceOptions,
} from './settings/page-options.js';
export type { PolicyAnswer, PolicyOptions, PolicyRequest } from './settings/policy-options.js';
export type { RegistrationOptions, SoftwareStatementClaims } from './settings/registration-options.js';
export type { ResourceOptions } from './settings/resource-options.js';
export type { SigningKeyOptions } from './settings/signing-key-options.js';
export type { ScopeOptions } from './settings/site-options.js';
export type {
  TelemetryMeter,
  TelemetryOptions,
  TelemetrySpan,
  TelemetryTracer,
} from './settings/telemetry-options.js';
export type { AccessTokenDescription, AccessTokenFormat, IssuedTokens } from './settings/token-options.js';
export type { UsersOptions } from './settings/users-options.js';
export type { WebhookOptions } from './settings/webhook-options.js';
export type { ListedWebhook, Webhooks } from './webhooks/webhooks.js';
