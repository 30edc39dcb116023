import { formatParameters, type ResponseMode } from './response-mode.js';

/**
 * The parameters in the fragment, which browsers send to no server. Nobody would read a code there, so it would stay
 * unused for others to find.
 *
 * @see RFC 6749 §4.2.2
 */
export const fragmentMode: ResponseMode = {
  responseMode: 'fragment',
  fits: (defaultMode) => defaultMode === 'fragment',
  write: (parameters, { redirectUri }) => ({ address: `${redirectUri}#${formatParameters(parameters)}` }),
};
