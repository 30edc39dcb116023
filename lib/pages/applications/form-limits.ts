import type { Request } from 'express';

import type { RegistrationLimits } from '../../clients/client-field.js';
import type { ClientInfo } from '../../clients/client-info.js';
import type { ClientOperations } from '../../clients/client-operations.js';
import { keepingOwn } from '../../clients/kept-limits.js';
import { viewerOf } from './application-access.js';

/** The limits that a form is checked against: administrators speak for the host. */
export async function limitsFor(
  req: Request,
  clients: ClientOperations,
  client?: ClientInfo,
): Promise<RegistrationLimits> {
  const limits = viewerOf(req).isAdministrator
    ? clients.limits
    : await clients.ownerLimitsOf(client?.clientId);
  return client === undefined ? limits : keepingOwn(limits, client);
}
