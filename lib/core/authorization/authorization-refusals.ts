import type { ErrorRequestHandler, Request } from 'express';

import { type OAuthError, toOAuthError } from '../../shared/errors.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { OAuthEvents } from '../observability/events.js';
import type { RequestRules } from './authorization-request.js';

/** Emits events that say which authorization requests are refused, and which client sent them, if it exists. */
export interface AuthorizationRefusals {
  /** The rules for a request; with them, its client becomes known here. */
  readonly rulesFor: (req: Request) => RequestRules;
  /** A refusal that the client is told. */
  readonly emit: (error: OAuthError, req: Request) => void;
  /** A refusal that is shown to the person instead; leaves the answer to the next error handler. */
  readonly emitThrown: ErrorRequestHandler;
}

export interface AuthorizationRefusalsDependencies {
  readonly events: Pick<OAuthEvents, 'emit'>;
  /** Who is charged for what a request makes this server fetch. */
  readonly callerOf: (req: Request) => FetchCaller;
}

export function createAuthorizationRefusals(
  rules: RequestRules,
  { events, callerOf }: AuthorizationRefusalsDependencies,
): AuthorizationRefusals {
  const clientIds = new WeakMap<Request, string>();
  const emit: AuthorizationRefusals['emit'] = ({ error, reason }, req) => {
    // this server has not refused it: `consent.denied` tells of it
    if (reason === 'denied_by_user') return;
    const clientId = clientIds.get(req);
    events.emit(
      'authorization.refused',
      {
        endpoint: 'authorize',
        error,
        ...(reason !== undefined && { reason }),
        ...(clientId !== undefined && { clientId }),
      },
      req,
    );
  };
  return {
    rulesFor(req) {
      const getCaller = () => callerOf(req);
      return {
        ...rules,
        getCaller,
        async findClient(id, getOther = getCaller) {
          const client = await rules.findClient(id, getOther);
          if (client !== null) clientIds.set(req, client.clientId);
          return client;
        },
      };
    },
    emit,
    emitThrown(thrown, req, _res, next) {
      emit(toOAuthError(thrown), req);
      next(thrown);
    },
  };
}
