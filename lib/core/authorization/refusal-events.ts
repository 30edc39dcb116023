import type { ErrorRequestHandler, Request } from 'express';

import { type OAuthError, toOAuthError } from '../../shared/errors.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { OAuthEvents } from '../observability/events.js';
import type { ResolveDependencies } from './authorization-request.js';

export type RefusalEvents = ReturnType<typeof createRefusalEvents>;

/**
 * Emits `authorization.refused` for each authorization request that is refused, with its client if there is one.
 *
 * @param callerOf on whose rate limit the fetches of a request count
 */
export function createRefusalEvents(
  dependencies: ResolveDependencies,
  events: OAuthEvents,
  callerOf: (req: Request) => FetchCaller,
) {
  const clientIds = new WeakMap<Request, string>();
  const emit = ({ error, reason }: OAuthError, req: Request): void => {
    // the user has refused it, not this server: the event is `consent.denied`
    if (reason === 'denied_by_user') return;
    const clientId = clientIds.get(req);
    events.emit('authorization.refused', { endpoint: 'authorize', error, reason, clientId }, req);
  };
  return {
    /** The dependencies to resolve an HTTP request with. They note the client that is found, for the event. */
    trackedDependencies(req: Request): ResolveDependencies {
      const getCaller = () => callerOf(req);
      return {
        ...dependencies,
        getCaller,
        async findClient(id, getOther = getCaller) {
          const client = await dependencies.findClient(id, getOther);
          if (client !== null) clientIds.set(req, client.clientId);
          return client;
        },
      };
    },
    /** An error that goes to the client. */
    emit,
    /** An error that is shown to the user instead; leaves the response to the next error handler. */
    emitThrown: ((thrown, req, _res, next) => {
      emit(toOAuthError(thrown), req);
      next(thrown);
    }) as ErrorRequestHandler,
  };
}
