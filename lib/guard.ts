export type { AccessToken } from './core/guard/access-token.js';
export { authOf } from './core/guard/access-token.js';
export { answerGuardError as errorHandler } from './core/guard/answer-guard-error.js';
export { type BearerGuard, bearerGuard } from './core/guard/bearer-guard.js';
export type { Guard, RouteGuard, Verify } from './core/guard/guard.js';
export type { Mcp } from './core/guard/mcp.js';
export type { OpenApiOperation } from './core/guard/openapi-operation.js';
export type { PassportStrategy } from './core/guard/passport-strategy.js';
export type { OnUpgrade } from './core/guard/upgrade.js';
export type { BearerGuardOptions } from './settings/bearer-guard-options.js';
export type {
  FindUser,
  GuardOptions,
  NeededDetails,
  StrategyOptions,
  UpgradeOptions,
} from './settings/options/guard-options.js';
export type {
  McpOptions,
  McpServerLike,
  McpTransportLike,
  RequireBearerAuthOptions,
} from './settings/options/mcp-options.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './shared/errors.js';
export type { FailureReason } from './shared/failure-reasons.js';
export type { BearerMethod } from './shared/protocol/token-kind.js';
