import { redirect } from '../../http/redirect.js';
import { formatParameters, type ResponseMode, type ResponseParameters } from './response-mode.js';

/**
 * The parameters in the fragment, which browsers send to no server.
 *
 * @see RFC 6749 §4.2.2
 */
export const fragmentMode: ResponseMode = {
  responseMode: 'fragment',
  respond: (res, redirectUri, parameters) => redirect(res, 302, urlOf(redirectUri, parameters)),
  urlOf,
};

function urlOf(redirectUri: string, parameters: ResponseParameters): string {
  return `${redirectUri}#${formatParameters(parameters)}`;
}
