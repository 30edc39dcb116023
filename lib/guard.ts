export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './errors.js';
export type { FailureReason } from './failure-reasons.js';
export type { AccessToken } from './guard/access-token.js';
export { answerGuardError as errorHandler } from './guard/answer-guard-error.js';
export { authOf } from './guard/auth-of.js';
export { type BearerGuard, bearerGuard } from './guard/bearer-guard.js';
export type { Guard, RouteGuard } from './guard/guard.js';
export type { Mcp } from './guard/mcp.js';
export type { PassportStrategy } from './guard/passport-strategy.js';
export type { BearerMethod } from './protocol/bearer-method.js';
export type { BearerGuardOptions } from './settings/bearer-guard-options.js';
export type { FindUser, GuardOptions, StrategyOptions } from './settings/guard-options.js';
export type {
  McpOptions,
  McpServerLike,
  McpTransportLike,
  RequireBearerAuthOptions,
} from './settings/mcp-options.js';
