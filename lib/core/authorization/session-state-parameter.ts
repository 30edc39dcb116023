import type { Settings } from '../../settings/settings.js';
import { formatSessionState } from '../openid/session-state.js';
import { beginBrowserState } from '../sessions/browser-state.js';
import type { InteractionContext } from './interaction.js';
import type { ResponseParameters } from './response-modes/response-mode.js';

/**
 * OpenID Connect Session Management §2: in the answer to each request that is to sign somebody in, errors included.
 * Answers to malformed requests SHOULD have it too, but do not: whom they are to sign in is not known.
 */
export function sessionStateParameter(
  settings: Settings,
  { req, res, request }: Pick<InteractionContext, 'req' | 'res' | 'request'>,
): ResponseParameters {
  const { client, redirectUri, openid } = request;
  if (openid?.signsIn !== true) return {};
  const browserState = beginBrowserState(settings, { req, res });
  return { session_state: formatSessionState({ clientId: client.clientId, redirectUri, browserState }) };
}
