import { formatParameters, type ResponseMode, sendOn } from './response-mode.js';

/**
 * The parameters in the fragment, which browsers send to no server.
 *
 * @see RFC 6749 §4.2.2
 */
export const fragmentMode: ResponseMode = {
  responseMode: 'fragment',
  respond: (res, redirectUri, parameters) => sendOn(res, `${redirectUri}#${formatParameters(parameters)}`),
};
