import { formatParameters, type ResponseMode } from './response-mode.js';

/**
 * The parameters in the query of the redirect URI, beside what it has there.
 *
 * @see RFC 6749 §4.1.2
 */
export const queryMode: ResponseMode = {
  responseMode: 'query',
  fits: (defaultMode) => defaultMode === 'query',
  write(parameters, { redirectUri }) {
    // the registered query is kept byte for byte (RFC 6749 §3.1.2)
    const separator = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
    return { address: `${redirectUri}${separator}${formatParameters(parameters)}` };
  },
};
