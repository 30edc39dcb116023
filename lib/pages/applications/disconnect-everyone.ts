import type { Request } from 'express';

import { isOwner } from '../../core/clients/client-owners.js';
import {
  type ClientDirectory,
  type ClientUsage,
  USAGE_LIMITS,
} from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import type { GrantRevocation } from '../../core/grants/grant-registry.js';
import type { PageHandler } from '../form-handler.js';
import { findVisible, viewerOf } from './application-access.js';
import { redirectWithNote } from './application-notes.js';
import type { ApplicationPages } from './application-pages.js';
import { describePeople } from './describe-usage.js';

/** What it takes to end all that users have allowed a client. */
export interface DisconnectionContext {
  readonly clients: Pick<ClientService, 'find'>;
  readonly directory: ClientDirectory;
  readonly pages: ApplicationPages;
  /** Ends grants, with events that belong to this request. */
  readonly grantsFor: (req: Request) => GrantRevocation;
}

/** How many users would notice if a client were gone. Counted up to a limit, in two commands. */
export async function peopleOf(directory: ClientDirectory, client: ClientInfo): Promise<ClientUsage> {
  const usage = (await directory.usageOf([client], USAGE_LIMITS.ofOne)).get(client.clientId);
  return usage ?? { users: 0, isAtLeast: false };
}

/** Asks first: everybody has to allow it again afterwards. */
export function confirmDisconnection(
  context: DisconnectionContext,
  { isOutOfDate = false }: { readonly isOutOfDate?: boolean } = {},
): PageHandler {
  const { clients, directory, pages } = context;
  return async (req, res) => {
    const client = await findVisible(clients, req);
    const people = await peopleOf(directory, client);
    await pages.render(req, res, {
      view: 'application-disconnect',
      status: isOutOfDate ? 403 : 200,
      locals: (translator) => ({
        title: translator.text('application.disconnectHeading', { client: client.name }),
        ...(isOutOfDate && { notice: translator.text('form.outOfDate') }),
        client,
        people: describePeople(people, translator),
        action: pages.pathOf(client.clientId, '/disconnect'),
        back: pages.pathOf(client.clientId),
      }),
    });
  };
}

/** Anybody who may delete a client may do this: it ends less. A second click finds nothing to end. */
export function disconnectEveryone({ clients, pages, grantsFor }: DisconnectionContext): PageHandler {
  return async (req, res, now) => {
    const client = await findVisible(clients, req);
    const { clientId } = client;
    const reason = isOwner(client, viewerOf(req).ownerId) ? 'owner' : 'host';
    await grantsFor(req).revoke({ clientId }, reason);
    redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'disconnected');
  };
}
