import { formatParameters, type ResponseMode, type ResponseParameters } from './response-mode.js';

/**
 * The parameters in the query of the redirect URI, beside its own.
 *
 * @see RFC 6749 §4.1.2
 */
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
