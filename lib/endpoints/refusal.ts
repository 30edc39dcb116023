import type { ErrorRequestHandler, Request } from 'express';
import type { ClientAuthentication } from '../client-authentication/index.js';
import { toOAuthError } from '../errors.js';
import type { OAuthEvents } from '../events.js';
import { parseParameters } from '../protocol/parameters.js';

const MAX_LENGTH = 200;

export interface RefusalDependencies {
  readonly events: OAuthEvents;
  readonly clientAuthentication: ClientAuthentication;
}

/** Says as events what an endpoint that clients call has refused, and leaves the answer to the next error handler. */
export function emitRefusal({ events, clientAuthentication }: RefusalDependencies, { name, parameters }: { readonly name: string; readonly parameters: ReadonlySet<string> }): ErrorRequestHandler {
  return function emitRefusalEvents(thrown, req, _res, next) {
    const { error, status } = toOAuthError(thrown);
    const facts = { endpoint: name, error, ...claimsOf(clientAuthentication, req, parameters) };
    if (status === 429) events.emit('rate.limited', facts, req);
    if (error === 'invalid_client') events.emit('client.authentication_failed', facts, req);
    if (name === 'token') events.emit('token.refused', facts, req);
    next(thrown);
  };
}

/** Which client and grant type the request says it is about; nothing of it is proven, and it may be of any length. */
function claimsOf(clientAuthentication: ClientAuthentication, req: Request, known: ReadonlySet<string>): { clientId?: string; grantType?: string } {
  try {
    const parameters = parseParameters(req.body, known);
    const clientId = clientAuthentication.claimedClientId({ authorization: req.headers.authorization, parameters });
    const { grant_type: grantType } = parameters;
    return { ...(clientId !== undefined && { clientId: clientId.slice(0, MAX_LENGTH) }), ...(grantType !== undefined && { grantType: grantType.slice(0, MAX_LENGTH) }) };
  } catch {
    return {};
  }
}
