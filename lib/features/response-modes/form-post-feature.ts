import { formPostMode } from '../../core/authorization/response-modes/form-post.js';
import type { Feature } from '../../server/server.js';
import { responseModeOptions } from './options.js';

/** Responses to clients, sent with a form. @see OAuth 2.0 Form Post Response Mode */
export const formPost = {
  name: 'form-post',
  isOn: (settings) => settings.formPost ?? settings.openid !== false,
  options: { formPost: responseModeOptions.formPost },
  createResponseModes: () => [formPostMode],
} satisfies Feature;
