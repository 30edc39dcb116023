export { type AuthorizationServer, authorizationServer } from './authorization-server.js';
export type {
  ClientBlock,
  ClientDocument,
  ClientMetadata,
  ClientRegistration,
  ClientReview,
  ClientSecret,
  ClientType,
  OwnerInvitation,
  PublicJwk,
  PublicJwks,
  RegistrationDetails,
} from './core/clients/client.js';
export type { ClientInfo as Client } from './core/clients/registry/client-info.js';
export type {
  ClientChanges,
  ClientRegistry,
  ClientUpdate,
  ClientWithSecret,
  NewClient,
} from './core/clients/registry/client-registry.js';
export type { AssertionClaims } from './core/grants/asserted-user.js';
export type { GrantRegistry, GrantRevocation, GrantsOf } from './core/grants/grant-registry.js';
export type { CreatedGrant, NewGrantOptions } from './core/grants/programmatic-grants.js';
export type { AccessToken } from './core/guard/access-token.js';
export { authOf } from './core/guard/access-token.js';
export type { RouteGuard, Verify } from './core/guard/guard.js';
export type { OpenApiOperation } from './core/guard/openapi-operation.js';
export type { PassportStrategy } from './core/guard/passport-strategy.js';
export type { OnUpgrade } from './core/guard/upgrade.js';
export { csrfTokenOf } from './core/http/csrf.js';
export type { KeyRegistry, SigningKeyInfo } from './core/keys/key-registry.js';
export type { Audit } from './core/observability/audit.js';
export type { AuditEntry, AuditQuery } from './core/observability/audit-log.js';
export type {
  EventData,
  EventListener,
  EventMap,
  EventName,
  OAuthEvent,
  OAuthEvents,
} from './core/observability/events.js';
export type {
  AccountEndOptions,
  EndedAccount,
  ExportedAccount,
  PeopleRegistry,
} from './core/people/people-registry.js';
export { safeReturnPath } from './core/sessions/return-to.js';
export type { AuthorizationServerOptions } from './features.js';
export type { BuiltInGrantType } from './features.js';
export type { EnterpriseTrust, PartnerTrust, WorkloadTrust } from './features/assertions/options.js';
export type { AuditOptions } from './features/audit/options.js';
export type { DetailSchema, JsonSchema } from './features/authorization-details/detail-schema.js';
export type {
  AuthorizationDetailsType,
  DetailContext,
  DetailText,
} from './features/authorization-details/options.js';
export type { DpopOptions } from './features/dpop/options.js';
export type { Guard, Mcp } from './features/mcp/mcp.js';
export type {
  McpOptions,
  McpServerLike,
  McpTransportLike,
  RequireBearerAuthOptions,
} from './features/mcp/mcp-options.js';
export type { MutualTlsOptions } from './features/mutual-tls/options.js';
export type { Notification, NotificationKind } from './features/notifications/options.js';
export type { SessionRegistry } from './features/openid/session-registry.js';
export type { PersonalAccessTokensOptions } from './features/personal-access-tokens/options.js';
export type { PersonalAccessTokens } from './features/personal-access-tokens/registry.js';
export type {
  CreatedPersonalAccessToken,
  PersonalAccessToken,
} from './features/personal-access-tokens/token-info.js';
export type {
  NewPersonalAccessToken,
  TokenRotationOptions,
  WhosePersonalAccessTokens,
} from './features/personal-access-tokens/token-options.js';
export type { PushedRequestOptions } from './features/pushed-requests/options.js';
export type {
  InitialAccessTokenOptions,
  RegistrationRegistry,
} from './features/registration/initial-access-tokens.js';
export type { RegistrationOptions, SoftwareStatementClaims } from './features/registration/options.js';
export type { SignalName } from './features/shared-signals/event-types.js';
export type {
  FindSignalUser,
  ReceivedSignal,
  SharedSignalsOptions,
  SignalSubjectOf,
} from './features/shared-signals/options.js';
export type {
  ReadStream,
  StreamRequest,
  TransmitterClient,
} from './features/shared-signals/receiver/transmitter-client.js';
export type { EmittedSignal, ListedStream, SharedSignals } from './features/shared-signals/shared-signals.js';
export type { SignedRequestOptions } from './features/signed-requests/options.js';
export type { SpiffeOptions } from './features/spiffe/options.js';
export type { StepUpOptions } from './features/step-up/options.js';
export type { TokenExchangeOptions } from './features/token-exchange/options.js';
export type { WebhookOptions } from './features/webhooks/options.js';
export type { ListedWebhook, Webhooks } from './features/webhooks/webhooks.js';
export type { MessageKey, Messages } from './messages/index.js';
export { localLogin } from './pages/login/local-login.js';
export type { LocalLoginOptions } from './pages/login/local-login-options.js';
export type { DescribeOpenApi, OpenApiComponents } from './server/openapi.js';
export type { Health, HealthStatus } from './server/readiness.js';
export type { AdvancedOptions } from './settings/options/advanced-options.js';
export type {
  ChoiceContext,
  ChoiceEntry,
  ChoiceOptions,
  Choices,
  ChoiceValue,
  GrantedChoiceContext,
} from './settings/options/choice-options.js';
export type {
  ClientAssertionOptions,
  ClientAuthenticationOptions,
} from './settings/options/client-authentication-options.js';
export type {
  ExtensionGrantRequest,
  ExtensionGrantResult,
  ExtensionGrantType,
} from './settings/options/extension-grant-type.js';
export type {
  CheckedDetail,
  FindUser,
  GuardOptions,
  NeededDetails,
  SiteGuardOptions,
  StrategyOptions,
  UpgradeOptions,
} from './settings/options/guard-options.js';
export type { LifetimeOptions } from './settings/options/lifetime-options.js';
export type { RateLimitOptions } from './settings/options/limit-options.js';
export type { FindLogin, LoginHints } from './settings/options/login-options.js';
export type { ErrorContext } from './settings/options/on-error.js';
export type { OpenApiOptions } from './settings/options/openapi-options.js';
export type { PeopleOptions } from './settings/options/people-options.js';
export type { PolicyOptions, PolicyRequest, PolicyResult } from './settings/options/policy-options.js';
export type { ResourceOptions } from './settings/options/resource-options.js';
export type { SecurityOptions } from './settings/options/security-options.js';
export type { SigningKeyOptions } from './settings/options/signing-key-options.js';
export type { ScopeOptions } from './settings/options/site-options.js';
export type {
  TelemetryMeter,
  TelemetryOptions,
  TelemetrySpan,
  TelemetryTracer,
} from './settings/options/telemetry-options.js';
export type {
  AccessTokenDescription,
  AccessTokenFormat,
  IssuedTokens,
  TokenOptions,
} from './settings/options/token-options.js';
export type { UsersOptions } from './settings/options/users-options.js';
export type { ApplicationsOptions } from './settings/pages/applications-options.js';
export type {
  AppReport,
  Color,
  ColorOptions,
  Layout,
  LayoutPage,
  PagesOptions,
  SourceOptions,
} from './settings/pages/page-options.js';
export type {
  EncryptionKeyAlgorithm,
  KeyAlgorithm,
  PrivateJwk,
  SigningAlgorithm,
} from './shared/crypto/key-material.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './shared/errors.js';
export type { FailureReason } from './shared/failure-reasons.js';
export type { ActorClaim } from './shared/protocol/actor.js';
export type { AuthorizationDetail } from './shared/protocol/authorization-details.js';
export type { SubjectIdentifier } from './shared/protocol/subject-identifier.js';
export type { BearerMethod } from './shared/protocol/token-kind.js';
export type { Models } from './storage/collections.js';
// with a star, so that a site can add members to the types
export type * from './shared/custom-fields.js';
export {
  createUsers,
  type NewUser,
  type StoredUser,
  type User,
  UserError,
  type Users,
} from './storage/other/users.js';
