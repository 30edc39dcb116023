import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { MessageKey } from '../../messages/index.js';
import type { Visit } from '../account-pages.js';
import { type Done, redirectWithFlash } from '../form-answers.js';
import type { Translator } from '../rendering/translator.js';

const NOTES = {
  saved: 'applications.saved',
  savedwaits: 'applications.savedWaits',
  savedunverified: 'applications.savedUnverified',
  deleted: 'applications.deleted',
  deletedbefore: 'applications.deletedBefore',
  registered: 'applications.registeredBefore',
  rotated: 'applications.rotatedBefore',
  ended: 'applications.oldSecretEnded',
  accessended: 'applications.accessEnded',
  disconnected: 'applications.everyoneDisconnected',
  changed: 'applications.changedMeanwhile',
  verified: 'applications.nowVerified',
  unverified: 'applications.nowUnverified',
  publisherrefused: 'applications.publisherRefused',
  blocked: 'applications.nowBlocked',
  unblocked: 'applications.nowUnblocked',
  approved: 'applications.nowApproved',
  invited: 'owners.nowInvited',
  withdrawn: 'owners.nowWithdrawn',
  accepted: 'owners.nowAccepted',
  declined: 'owners.nowDeclined',
  ownerremoved: 'owners.nowRemoved',
  left: 'owners.nowLeft',
  lastowner: 'owners.last',
  invitationgone: 'owners.gone',
  ownersfull: 'owners.tooManyOwners',
  toomanyapplications: 'owners.tooManyApplications',
} as const satisfies Record<string, MessageKey>;
/** What the pages of the applications can say after a form. */
export type ApplicationNote = keyof typeof NOTES;

/** Answers a form with a 303 to a page of the applications, which says it once. */
export function redirectWithNote(visit: Visit, path: string, done: ApplicationNote): void {
  redirectWithFlash(visit, path, { done });
}

/** If a form to register was sent twice, only the first answer shows the secret. */
export function describeNote(
  { done = '' }: Partial<Done> = {},
  { text }: Translator,
  client?: ClientInfo,
): string | undefined {
  // another version of this package may have kept another one
  if (!Object.hasOwn(NOTES, done)) return undefined;
  const note = text(NOTES[done as ApplicationNote]);
  return done === 'registered' && client !== undefined && client.secrets.length > 0
    ? `${note} ${text('applications.lostSecret')}`
    : note;
}
