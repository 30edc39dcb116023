import { formatParameters, type ResponseMode } from './response-mode.js';

/**
 * The parameters in the fragment, which browsers send to no server. Single-page apps ask for a code this way, so that it
 * is in no log and no `Referer`.
 *
 * @see RFC 6749 §4.2.2; OAuth 2.0 Multiple Response Type Encoding Practices §2.1
 */
export const fragmentMode: ResponseMode = {
  responseMode: 'fragment',
  fits: () => true,
  write: (parameters, { redirectUri }) => ({ address: `${redirectUri}#${formatParameters(parameters)}` }),
};
