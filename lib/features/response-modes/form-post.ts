import { type ResponseMode, withValues } from '../../core/authorization/response-modes/response-mode.js';
import type { Feature } from '../../server/server.js';
import { responseModeOptions } from './options.js';

/**
 * The parameters in the body of a form, so that no address, history or `Referer` has them.
 *
 * @see OAuth 2.0 Form Post Response Mode §2
 */
export const formPostMode: ResponseMode = {
  responseMode: 'form_post',
  fits: () => true,
  // browsers send every line break of a form as CRLF (HTML, "constructing the entry list")
  reaches: (redirectUri, state) => takesForms(redirectUri) && !/[\r\n]/.test(state),
  write: (parameters, { redirectUri }) => ({ address: redirectUri, fields: withValues(parameters) }),
};

/** An app with a private-use URI scheme (RFC 8252 §7.1) receives an address, but no body. */
export function takesForms(redirectUri: string): boolean {
  return /^https?:/i.test(redirectUri);
}

/** Responses to clients, sent with a form. @see OAuth 2.0 Form Post Response Mode */
export const formPost = {
  name: 'form-post',
  isOn: (settings) => settings.formPost ?? Boolean(settings.openid),
  options: { formPost: responseModeOptions.formPost },
  createResponseModes: () => [formPostMode],
} satisfies Feature;
