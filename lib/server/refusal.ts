import type { ErrorRequestHandler, Request } from 'express';

import type { OAuthEvents } from '../core/observability/events.js';
import { toOAuthError } from '../shared/errors.js';
import { peekParameter } from '../shared/protocol/parameters.js';

/** The event that reports it; device and pushed requests are authorization requests (RFC 8628 §3.1, RFC 9126 §2). */
const REFUSED: Readonly<Record<string, 'token.refused' | 'authorization.refused'>> = {
  token: 'token.refused',
  par: 'authorization.refused',
  device_authorization: 'authorization.refused',
};

/** An endpoint that refuses requests, with the grant types that exist. */
interface Refusing {
  readonly name: string;
  readonly pendingErrors?: readonly string[];
  readonly grantTypes?: { has(name: string): boolean };
}

/**
 * Emits events about what an endpoint for clients has refused, and leaves the answer to the next error handler. A value
 * that is not a client or a grant type here may be anything, even a secret in the wrong place: events do not name it.
 *
 * @param clientIdOf the client that a request names, if that client exists
 */
export function emitRefusal(
  events: OAuthEvents,
  { name, pendingErrors = [], grantTypes }: Refusing,
  clientIdOf: (req: Request) => string | undefined,
): ErrorRequestHandler {
  const refused = REFUSED[name];
  return function emitRefusalEvents(thrown, req, _res, next) {
    const { error, status, reason } = toOAuthError(thrown);
    const grantType = peekParameter(req.body, 'grant_type') ?? '';
    const data = {
      endpoint: name,
      error,
      reason,
      clientId: clientIdOf(req),
      grantType: grantTypes?.has(grantType) === true ? grantType : undefined,
    };
    if (error === 'invalid_client') events.emit('client.authentication_failed', data, req);
    if (status === 429) events.emit('rate.limited', data, req);
    else if (refused !== undefined && !pendingErrors.includes(error)) events.emit(refused, data, req);
    next(thrown);
  };
}

/**
 * Emits the event about a caller that was refused for asking too often, and leaves the answer to the next error
 * handler.
 */
export function emitRateLimited(endpoint: string, events: OAuthEvents): ErrorRequestHandler {
  return function emitRateLimitedEvent(thrown, req, _res, next) {
    if (toOAuthError(thrown).status === 429) events.emit('rate.limited', { endpoint }, req);
    next(thrown);
  };
}
