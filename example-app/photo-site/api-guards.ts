import type { AuthorizationServer, RouteGuard } from 'express-authorization-server';

import { detailsOfPayment } from './payments.js';

/** What the routes of the API ask for. The OpenAPI document says the same. */
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
    // all at once is for somebody who has logged in just now
    readAll: guard({ scopes: ['photos:read'], maxAge: 300 }),
    anyToken: guard(),
    // a client whose token does not have the payment is told what to ask the person for
    pay: guard({ details: ({ body }) => detailsOfPayment((body ?? {}) as Record<string, unknown>) }),
  };
}
