import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { MessageKey } from '../../messages/index.js';
import type { Visit } from '../account-pages.js';
import { type Done, redirectWithFlash } from '../form-answers.js';
import type { Translator } from '../rendering/translator.js';

/** The message key of a form's result. */
export type ApplicationNote = Extract<MessageKey, `applications.${string}`>;

/** Results about owners; the pages of service tokens have other texts. */
const OWNER_NOTES = new Map<string, MessageKey>([
  ['invited', 'owners.nowInvited'],
  ['withdrawn', 'owners.nowWithdrawn'],
  ['accepted', 'owners.nowAccepted'],
  ['declined', 'owners.nowDeclined'],
  ['ownerremoved', 'owners.nowRemoved'],
  ['left', 'owners.nowLeft'],
  ['lastowner', 'owners.last'],
  ['invitationgone', 'owners.gone'],
  ['ownersfull', 'owners.tooManyOwners'],
  ['toomanyapplications', 'owners.tooManyApplications'],
]);

/** Responds to a form with a 303 to a page of the applications, which shows the result once. */
export function redirectWithNote(visit: Visit, path: string, done: ApplicationNote): void {
  redirectWithFlash(visit, path, { done });
}

/** The text of a result. If a registration was sent twice, only the first response has the secret. */
export function describeNote(
  { done = '' }: Partial<Done> = {},
  { find, text }: Translator,
  client?: ClientInfo,
): string | undefined {
  // another version of this package may have stored an unknown result
  const note = find(OWNER_NOTES.get(done) ?? done);
  return done === 'applications.registeredBefore' && client !== undefined && client.secrets.length > 0
    ? `${note} ${text('applications.lostSecret')}`
    : note;
}
