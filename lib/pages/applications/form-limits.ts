import type { Request } from 'express';

import type { RegistrationLimits } from '../../core/clients/client-field.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import { allowExistingValues } from '../../core/clients/registry/update-client.js';
import { viewerOf } from './application-access.js';
import type { ApplicationValues } from './application-authentication.js';
import { type ApplicationFormProblem, findProblems, toMetadata } from './application-form.js';

/** All that is wrong with a form: with its values, and with a name that belongs to another application. */
export async function problemsOf(
  values: ApplicationValues,
  limits: RegistrationLimits,
  {
    req,
    clients,
    client,
  }: { readonly req: Request; readonly clients: ClientService; readonly client?: ClientInfo },
): Promise<readonly ApplicationFormProblem[]> {
  const problems = findProblems(values, limits, clients.fields);
  const { ownerId, isAdministrator } = viewerOf(req);
  if (isAdministrator || problems.some(({ field }) => field === 'name')) return problems;
  const given = {
    ...toMetadata(values, clients.fields),
    clientId: client?.clientId,
    ownerId: client?.ownerId ?? ownerId,
  };
  const taken = await clients.findNameProblem(given, client);
  return taken === undefined ? problems : [taken, ...problems];
}

/** The limits that a form is checked against: administrators speak for the site. */
export async function formLimitsFor(
  req: Request,
  clients: ClientService,
  client?: ClientInfo,
): Promise<RegistrationLimits> {
  const limits = viewerOf(req).isAdministrator
    ? clients.limits
    : await clients.ownerLimitsOf(client?.clientId);
  return client === undefined ? limits : allowExistingValues(limits, client);
}
