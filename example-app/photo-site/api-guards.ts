import type { AuthorizationServer, RouteGuard } from 'express-authorization-server';

import { detailsOfPayment } from './payments.js';

/** The guards of the API's routes, also used for the OpenAPI document. */
export interface ApiGuards {
  readonly read: RouteGuard;
  readonly write: RouteGuard;
  readonly readAll: RouteGuard;
  readonly anyToken: RouteGuard;
  readonly pay: RouteGuard;
}

export function createApiGuards({ guard }: Pick<AuthorizationServer, 'guard'>): ApiGuards {
  return {
    read: guard('photos:read'),
    write: guard('photos:write'),
    // the whole collection needs a recent login
    readAll: guard({ scopes: ['photos:read'], maxAge: 300 }),
    anyToken: guard(),
    // the challenge tells a client without the payment what the person must allow
    pay: guard({ details: ({ body }) => detailsOfPayment((body ?? {}) as Record<string, unknown>) }),
  };
}
