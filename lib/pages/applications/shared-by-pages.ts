import type { Request } from 'express';

import type { ClientInfo } from '../../clients/client-info.js';
import type { ClientOperations } from '../../clients/client-operations.js';
import type { GrantType } from '../../grant-types/grant-type.js';
import { personalCsrfTokenOf } from '../../http/csrf.js';
import type { RenderPage } from '../../rendering/views.js';
import type { Words } from '../../rendering/words.js';
import type { Settings } from '../../settings/settings.js';
import { navigationTo } from '../navigation.js';
import { noteOf, type Notes } from '../note.js';
import { userIdOf, userNameOf } from '../person.js';
import { OWNER_NOTES } from './describe-owners.js';

export interface ApplicationPagesOptions {
  readonly settings: Settings;
  readonly clients: Pick<ClientOperations, 'limits' | 'fields'>;
  readonly renderPage: RenderPage;
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
}

/** What the pages of the applications are rendered with. */
export interface Renderer extends ApplicationPagesOptions {
  readonly root: string;
  readonly pathOf: (clientId: string, action?: string) => string;
}

const NOTES: Notes = {
  saved: 'applications.saved',
  deleted: 'applications.deleted',
  deletedbefore: 'applications.deletedBefore',
  registered: 'applications.registeredBefore',
  rotated: 'applications.rotatedBefore',
  ended: 'applications.oldSecretEnded',
  disconnected: 'applications.everyoneDisconnected',
  changed: 'applications.changedMeanwhile',
  verified: 'applications.nowVerified',
  unverified: 'applications.nowUnverified',
  blocked: 'applications.nowBlocked',
  unblocked: 'applications.nowUnblocked',
  approved: 'applications.nowApproved',
  ...OWNER_NOTES,
};

/** What all pages of the applications have. */
export function sharedBy({ settings, root }: Renderer, req: Request, words: Words) {
  return {
    root,
    nav: navigationTo(['authorizations', 'applications'], 'applications', settings, words),
    userName: userNameOf(settings, req),
    csrfToken: personalCsrfTokenOf(req, userIdOf(settings, req)),
  };
}

/** If a form to register was sent twice, only the first answer shows the secret. */
export function describeNote(req: Request, { text }: Words, client?: ClientInfo): string | undefined {
  const note = noteOf(req, NOTES);
  if (note === undefined) return undefined;
  return note.name === 'registered' && client !== undefined && client.secrets.length > 0
    ? `${text(note.key)} ${text('applications.lostSecret')}`
    : text(note.key);
}
