import { redirect } from '../../http/redirect.js';
import { formatParameters, type ResponseMode, type ResponseParameters } from './response-mode.js';

/**
 * The parameters in the query of the redirect URI, beside what it has there.
 *
 * @see RFC 6749 §4.1.2
 */
export const queryMode: ResponseMode = {
  responseMode: 'query',
  respond: (res, redirectUri, parameters) => redirect(res, 302, urlOf(redirectUri, parameters)),
  urlOf,
};

function urlOf(redirectUri: string, parameters: ResponseParameters): string {
  // the registered query is kept byte for byte (RFC 6749 §3.1.2)
  const separator = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${separator}${formatParameters(parameters)}`;
}
