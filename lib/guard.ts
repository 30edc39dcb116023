export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './errors.js';
export type { AccessToken } from './guard/access-token.js';
export { authOf } from './guard/auth-of.js';
export { type BearerGuard, bearerGuard } from './guard/bearer-guard.js';
export { answerGuardError as errorHandler, type Guard, type RouteGuard } from './guard/guard.js';
export type { PassportStrategy } from './guard/passport-strategy.js';
export type { BearerMethod } from './protocol/bearer-method.js';
export type { BearerGuardOptions } from './settings/bearer-guard-options.js';
export type { FindUser, GuardOptions, StrategyOptions } from './settings/guard-options.js';
