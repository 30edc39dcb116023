export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './errors.js';
export type { AccessToken } from './guard/access-token.js';
export { type BearerGuard, bearerGuard, type BearerGuardOptions } from './guard/bearer-guard.js';
export { answerGuardError as errorHandler, type Guard, type GuardOptions } from './guard/guard.js';
export type { BearerMethod } from './protocol/bearer-method.js';
