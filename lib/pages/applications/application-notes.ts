import type { Request } from 'express';

import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { RequestContext } from '../../core/http/handle.js';
import type { MessageKey } from '../../messages/index.js';
import { consumeFlash, type Done, redirectWithFlash } from '../flash-message.js';
import type { Translator } from '../rendering/translator.js';
import { viewerOf } from './application-access.js';
import { OWNER_NOTES } from './describe-application-owners.js';

const NOTES = {
  saved: 'applications.saved',
  savedwaits: 'applications.savedWaits',
  savedunverified: 'applications.savedUnverified',
  deleted: 'applications.deleted',
  deletedbefore: 'applications.deletedBefore',
  registered: 'applications.registeredBefore',
  rotated: 'applications.rotatedBefore',
  ended: 'applications.oldSecretEnded',
  disconnected: 'applications.everyoneDisconnected',
  changed: 'applications.changedMeanwhile',
  verified: 'applications.nowVerified',
  unverified: 'applications.nowUnverified',
  publisherrefused: 'applications.publisherRefused',
  blocked: 'applications.nowBlocked',
  unblocked: 'applications.nowUnblocked',
  approved: 'applications.nowApproved',
  ...OWNER_NOTES,
} as const satisfies Record<string, MessageKey>;
/** What the pages of the applications can say after a form. */
export type ApplicationNote = keyof typeof NOTES;

/** Answers a form with a 303 to a page of the applications, which says it once. */
export function redirectWithNote(context: RequestContext, path: string, note: ApplicationNote): void {
  redirectWithFlash(context, { path, userId: viewerOf(context.req).ownerId }, { done: note });
}

/** What the page at this path has to say. A form that is answered by the page itself leaves it for the GET. */
export function consumeNote(req: Request, path: string, now: Date): Done | undefined {
  return consumeFlash(req, { path, userId: viewerOf(req).ownerId }, now);
}

/** If a form to register was sent twice, only the first answer shows the secret. */
export function describeNote(
  { done }: Partial<Done> = {},
  { text }: Translator,
  client?: ClientInfo,
): string | undefined {
  if (done === undefined || !isNote(done)) return undefined;
  return done === 'registered' && client !== undefined && client.secrets.length > 0
    ? `${text(NOTES[done])} ${text('applications.lostSecret')}`
    : text(NOTES[done]);
}

/** Not so if another version of this package has kept it. */
function isNote(done: string): done is ApplicationNote {
  return Object.hasOwn(NOTES, done);
}
