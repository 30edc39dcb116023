import type { Settings } from '../../settings/settings.js';
import { formatSessionState } from '../openid/session-state.js';
import { beginBrowserState } from '../sessions/browser-state.js';
import type { InteractionContext } from './interaction.js';
import type { ResponseParameters } from './response-modes/response-mode.js';

/**
 * OpenID Connect Session Management §2: `session_state` is in the response to each request with the scope `openid`,
 * errors included. Responses to malformed requests SHOULD have it too, but do not: their scope is not known.
 */
export function sessionStateParameter(
  settings: Settings,
  { req, res, request }: Pick<InteractionContext, 'req' | 'res' | 'request'>,
): ResponseParameters {
  const { client, redirectUri, openidRequest } = request;
  if (openidRequest?.signsIn !== true) return {};
  const browserState = beginBrowserState(settings, { req, res });
  return { session_state: formatSessionState({ clientId: client.clientId, redirectUri, browserState }) };
}
