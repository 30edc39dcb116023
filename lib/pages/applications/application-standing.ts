import type { Request } from 'express';

import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { MAX_REASON_LENGTH } from '../../core/clients/status/block-reason.js';
import { textField } from '../../core/http/form-fields.js';
import type { PageHandler } from '../form-handler.js';
import { findVisible, notFound, rightsOver, viewerOf } from './application-access.js';
import { unlessChanged } from './application-changes.js';
import { type ApplicationNote, redirectWithNote } from './application-notes.js';
import type { ApplicationsContext } from './applications-context.js';

/** Ends all that a client can do, and keeps what users have granted it. */
export function block({ clients, actOf, pages }: ApplicationsContext): PageHandler {
  return async (req, res, now) => {
    const { clientId } = await findJudged(clients, req);
    // a block is meant for whatever the client has become by now: nothing to look at again
    await clients.block(clientId, actOf(req, now), { reason: reasonOf(req) });
    redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'blocked');
  };
}

/** Takes the block back. */
export function unblock(context: ApplicationsContext): PageHandler {
  const isDone = ({ blocked }: ClientInfo) => blocked === undefined;
  return clear(context, { isDone, change: 'unblock', note: 'unblocked' });
}

/** Lets everybody authorize a client that waited for approval. */
export function approve(context: ApplicationsContext): PageHandler {
  const isDone = ({ awaitsApprovalSince }: ClientInfo) => awaitsApprovalSince === undefined;
  return clear(context, { isDone, change: 'approve', note: 'approved' });
}

interface Clearing {
  readonly isDone: (client: ClientInfo) => boolean;
  readonly change: 'unblock' | 'approve';
  readonly note: ApplicationNote;
}

/** Clears a client as it was looked at. A form that was sent twice has done what it was for. */
function clear(
  { clients, actOf, pages }: ApplicationsContext,
  { isDone, change, note }: Clearing,
): PageHandler {
  return async (req, res, now) => {
    const client = await findJudged(clients, req);
    const { clientId, updatedAt } = client;
    const isAnother = textField(req.body, 'seen') !== updatedAt.toISOString();
    const expected = isDone(client) ? {} : { expectedUpdatedAt: updatedAt };
    const changed =
      isAnother && !isDone(client)
        ? 'changed'
        : await unlessChanged(clients[change](clientId, actOf(req, now), expected));
    redirectWithNote({ req, res, now }, pages.pathOf(clientId), changed === 'changed' ? 'changed' : note);
  };
}

/** One line of readable text, no longer than the field allows. */
function reasonOf(req: Request): string {
  const typed = textField(req.body, 'reason').normalize('NFC');
  return typed
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH);
}

/** @throws OAuthError 404 for all but administrators */
async function findJudged(clients: ApplicationsContext['clients'], req: Request): Promise<ClientInfo> {
  const client = await findVisible(clients, req);
  if (!rightsOver(client, viewerOf(req)).canBlock) throw notFound();
  return client;
}
