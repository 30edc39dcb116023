import { withoutUndefined } from '../../../shared/without-undefined.js';
import type { Client } from '../../clients/client.js';

/** The parameters of an authorization response by their wire names; undefined values are left out. */
export type ResponseParameters = Readonly<Record<string, string | undefined>>;

export interface ResponseContext {
  readonly client: Client;
  readonly redirectUri: string;
  /** The default mode of its response type (RFC 6749 §4.1.2, §4.2.2). */
  readonly defaultMode: string;
  readonly now: Date;
}

/** An authorization response: the browser goes to an address, or posts a form to it. */
export interface AuthorizationResponse {
  readonly address: string;
  /** The fields of the form; absent: the browser is redirected. */
  readonly fields?: Readonly<Record<string, string>>;
}

/**
 * One way in which the response to an authorization request, or its error, reaches the client. The modes of every
 * server are at the end of this file; features bring others (`createResponseModes`).
 *
 * @see OAuth 2.0 Multiple Response Type Encoding Practices §2.1
 */
export interface ResponseMode {
  readonly responseMode: string;
  readonly isSigned?: true;
  /** Whether a response type with this default mode may use the mode. */
  fits(defaultMode: string): boolean;
  /** Whether the mode can reach this redirect URI, and return this state unchanged. Default: any. */
  reaches?(redirectUri: string, state: string): boolean;
  write(
    parameters: ResponseParameters,
    request: ResponseContext,
  ): AuthorizationResponse | Promise<AuthorizationResponse>;
}

/** The parameters that are not undefined. */
export function withValues(parameters: ResponseParameters) {
  return withoutUndefined(parameters) as Readonly<Record<string, string>>;
}

/** `application/x-www-form-urlencoded` (RFC 6749 §4.1.2, §4.2.2, Appendix B). */
export function formatParameters(parameters: ResponseParameters): string {
  return new URLSearchParams(withValues(parameters)).toString();
}

/** The parameters in the query of the redirect URI, after its own query. @see RFC 6749 §4.1.2 */
export const queryMode: ResponseMode = {
  responseMode: 'query',
  // Multiple Response Types §3, §5: tokens MUST NOT be in the query
  fits: (defaultMode) => defaultMode === 'query',
  write: (parameters, { redirectUri }) => ({ address: withParameters(redirectUri, parameters) }),
};

/** Adds the parameters to an address, whose own query stays byte for byte the same (RFC 6749 §3.1.2). */
export function withParameters(address: string, parameters: ResponseParameters): string {
  const { length } = address;
  const start = address.indexOf('?');
  const separator = start === -1 ? '?' : start === length - 1 || address.endsWith('&') ? '' : '&';
  return `${address}${separator}${formatParameters(parameters)}`;
}

/**
 * The parameters in the fragment, which browsers send to no server. Single-page apps request a code in this mode, so
 * that it is in no log and no `Referer`.
 *
 * @see RFC 6749 §4.2.2; OAuth 2.0 Multiple Response Type Encoding Practices §2.1
 */
export const fragmentMode: ResponseMode = {
  responseMode: 'fragment',
  fits: () => true,
  write: (parameters, { redirectUri }) => ({ address: `${redirectUri}#${formatParameters(parameters)}` }),
};

/** The response modes by their names: a new one is one file and one line here. */
export const RESPONSE_MODES: ReadonlyMap<string, ResponseMode> = new Map(
  [queryMode, fragmentMode].map((mode) => [mode.responseMode, mode]),
);
