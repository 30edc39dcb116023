import type { Request } from 'express';

import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { MAX_REASON_LENGTH } from '../../core/clients/status/block-reason.js';
import { textField } from '../../core/http/form-fields.js';
import { findVisible, notFound, rightsOver, viewerOf } from './application-access.js';
import { unlessChanged } from './application-changes.js';
import { redirectWithNote } from './application-notes.js';
import type { ApplicationsContext, Handler } from './applications-context.js';

/** Ends all that a client can do, and keeps what people have granted it. */
export function block({ clients, actOf, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const { clientId } = await findJudged(clients, req);
    // a block is meant for whatever the client has become by now: nothing to look at again
    await clients.block(clientId, actOf(req, now), { reason: reasonOf(req) });
    redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'blocked');
  };
}

/** Takes the block back, for the client as it was looked at. */
export function unblock({ clients, actOf, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const client = await findJudged(clients, req);
    const isAnother = textField(req.body, 'seen') !== client.updatedAt.toISOString();
    // a form that was sent twice has done what it was for
    const isDone = client.blocked === undefined;
    const change =
      isAnother && !isDone
        ? 'changed'
        : await unlessChanged(
            clients.unblock(
              client.clientId,
              actOf(req, now),
              isDone ? {} : { expectedUpdatedAt: client.updatedAt },
            ),
          );
    redirectWithNote(
      { req, res, now },
      pages.pathOf(client.clientId),
      change === 'changed' ? 'changed' : 'unblocked',
    );
  };
}

/** Lets everybody authorize a client that waited for approval, as it was looked at. */
export function approve({ clients, actOf, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const client = await findJudged(clients, req);
    const isDone = client.awaitsApprovalSince === undefined;
    const isAnother = textField(req.body, 'seen') !== client.updatedAt.toISOString();
    const change =
      isAnother && !isDone
        ? 'changed'
        : await unlessChanged(
            clients.approve(
              client.clientId,
              actOf(req, now),
              isDone ? {} : { expectedUpdatedAt: client.updatedAt },
            ),
          );
    redirectWithNote(
      { req, res, now },
      pages.pathOf(client.clientId),
      change === 'changed' ? 'changed' : 'approved',
    );
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
