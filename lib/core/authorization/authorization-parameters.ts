import type { OAuthError } from '../../shared/errors.js';
import { type Form, parseRepeated, readParameters } from '../../shared/protocol/parameters.js';

/** Each parameter that the authorization endpoint reads as text, beside those of the sources. */
const NAMES = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  // RFC 7636 §4.3, RFC 9449 §10, RFC 9396 §3
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'authorization_details',
  // OpenID Connect Core §3.1.2.1, §5.2, §5.5, §6, §7.2.1
  'nonce',
  'prompt',
  'max_age',
  'ui_locales',
  'id_token_hint',
  'login_hint',
  'acr_values',
  'claims',
  'claims_locales',
  'request',
  'request_uri',
  'registration',
  // our own: prompt.ts
  'login_done',
] as const;

/** The parameters of a request by their wire names: each sent once, as text, and not empty. */
export type AuthorizationParameters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

/** The parameters of a request, read once. */
export interface ParsedParameters {
  readonly params: AuthorizationParameters;
  /** The errors of the parameters that were sent in another shape. */
  readonly malformed: ReadonlyMap<string, OAuthError>;
  /** RFC 8707 §2: the values of `resource`, which may be repeated. */
  readonly resource: readonly unknown[];
}

export function parseAuthorizationParameters(form: Form): ParsedParameters {
  return { ...readParameters(form, NAMES), resource: parseRepeated(form, 'resource') };
}
