import type { ErrorRequestHandler, Request } from 'express';

import type { ClientAuthentication } from '../client-authentication/client-authentication.js';
import type { ClientAuthenticationRequest } from '../client-authentication/method.js';
import { toOAuthError } from '../errors.js';
import type { OAuthEvents } from '../observability/events.js';
import { parseParameters } from '../protocol/parameters.js';

const MAX_LENGTH = 200;

export interface RefusalDependencies {
  readonly events: OAuthEvents;
  readonly clientAuthentication: Pick<ClientAuthentication, 'identify'>;
}

/** Says as events what an endpoint that clients call has refused, and leaves the answer to the next error handler. */
export function emitRefusal(
  { events, clientAuthentication }: RefusalDependencies,
  {
    name,
    known,
    pendingErrors = [],
  }: {
    readonly name: string;
    readonly known: ReadonlySet<string>;
    readonly pendingErrors?: readonly string[];
  },
): ErrorRequestHandler {
  return function emitRefusalEvents(thrown, req, _res, next) {
    const { error, status } = toOAuthError(thrown);
    const facts = { endpoint: name, error, ...claimsOf(clientAuthentication, req, known) };
    if (status === 429) events.emit('rate.limited', facts, req);
    if (error === 'invalid_client') events.emit('client.authentication_failed', facts, req);
    if (name === 'token' && !pendingErrors.includes(error)) events.emit('token.refused', facts, req);
    next(thrown);
  };
}

/** Which client and grant type the request says it is about; nothing of it is proven, and it may be of any length. */
function claimsOf(
  clientAuthentication: RefusalDependencies['clientAuthentication'],
  req: Request,
  known: ReadonlySet<string>,
): { clientId?: string; grantType?: string } {
  try {
    const parameters = parseParameters(req.body, known);
    const { grant_type: grantType } = parameters;
    const clientId = claimedClientId(clientAuthentication, {
      authorization: req.headers.authorization,
      parameters,
    });
    return {
      ...(clientId !== undefined && { clientId: clientId.slice(0, MAX_LENGTH) }),
      ...(grantType !== undefined && { grantType: grantType.slice(0, MAX_LENGTH) }),
    };
  } catch {
    return {};
  }
}

function claimedClientId(
  { identify }: RefusalDependencies['clientAuthentication'],
  request: ClientAuthenticationRequest,
): string | undefined {
  try {
    return identify(request).clientId;
  } catch {
    return undefined;
  }
}

/** The event of a caller that was refused for asking too often; the answer is the next error handler's. */
export function emitRateLimited(endpoint: string, events: OAuthEvents): ErrorRequestHandler {
  return function emitRateLimitedEvent(thrown, req, _res, next) {
    if (toOAuthError(thrown).status === 429) events.emit('rate.limited', { endpoint }, req);
    next(thrown);
  };
}
