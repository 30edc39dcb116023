import { given, type ResponseMode } from './response-mode.js';

/**
 * The parameters in the body of a form, which appears in no address, no history and no `Referer`.
 *
 * @see OAuth 2.0 Form Post Response Mode §2
 */
export const formPostMode: ResponseMode = {
  responseMode: 'form_post',
  fits: () => true,
  // browsers write every line break of a form as CRLF (HTML, "constructing the entry list")
  reaches: (redirectUri, state) => takesForms(redirectUri) && !/[\r\n]/.test(state),
  write: (parameters, { redirectUri }) => ({ address: redirectUri, fields: given(parameters) }),
};

/** An app with a scheme of its own (RFC 8252 §7.1) gets an address, but no body. */
export function takesForms(redirectUri: string): boolean {
  return /^https?:/i.test(redirectUri);
}
