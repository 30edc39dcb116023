import { randomUUID } from 'node:crypto';

import type { Request, Response } from 'express';

import type { ClientUsage } from '../../clients/client-directory.js';
import type { FailureCounts } from '../../clients/client-failures.js';
import type { RegistrationLimits } from '../../clients/client-field.js';
import type { ClientInfo } from '../../clients/client-info.js';
import type { ClientOperations } from '../../clients/client-operations.js';
import type { GrantType } from '../../grant-types/grant-type.js';
import { personalCsrfTokenOf } from '../../http/csrf.js';
import type { Page, RenderPage } from '../../rendering/views.js';
import type { Words } from '../../rendering/words.js';
import { pathOf as publicPathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { navigationTo } from '../navigation.js';
import { noteOf, type Notes } from '../note.js';
import { userIdOf, userNameOf } from '../person.js';
import { REFUSED_STATUS } from '../refused-forms.js';
import { aboutFields } from './application-about.js';
import { rightsOver, viewerOf } from './application-access.js';
import { describeFailures } from './application-failures.js';
import { type FormProblem, grantTypeChoices, scopeChoices } from './application-form.js';
import { renderList } from './application-list-page.js';
import { ownerNames } from './application-owners.js';
import { showProblems } from './application-problems.js';
import type { ApplicationValues } from './application-values.js';
import { describeApplication, labelledFields } from './describe-application.js';
import { describePeople } from './disconnect-everyone.js';

export interface ApplicationPagesOptions {
  readonly settings: Settings;
  readonly clients: Pick<ClientOperations, 'limits' | 'fields'>;
  readonly renderPage: RenderPage;
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
}

export interface Usage {
  readonly byClient: ReadonlyMap<string, ClientUsage>;
  readonly now: Date;
}

/** What the form is shown with. */
export interface FormPage {
  readonly values: ApplicationValues;
  /** What can be chosen. */
  readonly limits: RegistrationLimits;
  readonly problems?: readonly FormProblem[];
  /** How many applications a person may have, where that is why there is no other one. */
  readonly quota?: number;
  /** Where it is a registration: the id that makes sending it twice harmless. */
  readonly submission?: string;
  /** Where it is a change: the client that is changed. */
  readonly client?: ClientInfo;
  /** Whether it was sent from another session, and is shown as it was filled in. */
  readonly isOutOfDate?: boolean;
}

export interface DetailsPage {
  readonly client: ClientInfo;
  /** Absent if it would be beside the point: a secret was just made. */
  readonly usage?: Usage;
  /** Why it was refused lately; absent as `usage` is, or if that is not counted. */
  readonly failures?: FailureCounts | undefined;
  /** Shown this once. */
  readonly clientSecret?: string | undefined;
  readonly status?: number;
}

export interface DeletionPage {
  readonly client: ClientInfo;
  /** What was typed is not its name. */
  readonly isUnconfirmed?: boolean;
  /** Who would notice. */
  readonly people: ClientUsage;
  readonly isOutOfDate?: boolean;
}

/** What a page says beside what all of them do. */
export type OwnPage = Omit<Page, 'locals'> & { readonly locals: (words: Words) => object };

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
};

const A_DAY = 86_400_000;
const ACTIONS = [
  'edit',
  'delete',
  'disconnect',
  'rotate-secret',
  'end-old-secret',
  'verify',
  'block',
  'unblock',
  'approve',
];

export type ApplicationPages = ReturnType<typeof createApplicationPages>;

export interface Renderer extends ApplicationPagesOptions {
  readonly root: string;
  readonly pathOf: (clientId: string, action?: string) => string;
}

/** Renders the pages of the applications; decides nothing. */
export function createApplicationPages({
  settings,
  clients,
  renderPage,
  grantTypes,
}: ApplicationPagesOptions) {
  const root = publicPathOf(settings, 'applications');
  const pathOf = (clientId: string, action = '') => `${root}/${encodeURIComponent(clientId)}${action}`;
  const renderer: Renderer = { settings, clients, renderPage, grantTypes, root, pathOf };
  return {
    root,
    newPath: `${root}/new`,
    pathOf,
    list: renderList(renderer),
    form: renderForm(renderer),
    details: renderDetails(renderer),
    deletion: renderDeletion(renderer),
    /** A page of its own, with what all of them have. */
    render: (req: Request, res: Response, { locals, ...page }: OwnPage): Promise<void> =>
      renderPage(req, res, {
        ...page,
        locals: (words) => ({ ...sharedBy(renderer, req, words), ...locals(words) }),
      }),
  };
}

export function sharedBy({ settings, root }: Renderer, req: Request, words: Words) {
  return {
    root,
    nav: navigationTo(['authorizations', 'applications'], 'applications', settings, words),
    userName: userNameOf(settings, req),
    csrfToken: personalCsrfTokenOf(req, userIdOf(settings, req)),
  };
}

function renderForm(renderer: Renderer) {
  const { settings, root, pathOf, renderPage } = renderer;
  return async (
    req: Request,
    res: Response,
    {
      values,
      limits,
      problems = [],
      quota,
      submission = randomUUID(),
      client,
      isOutOfDate = false,
    }: FormPage,
  ): Promise<void> => {
    await renderPage(req, res, {
      view: 'application-form',
      status: isOutOfDate ? 403 : problems.length > 0 || quota !== undefined ? REFUSED_STATUS : 200,
      locals: (words) => ({
        ...sharedBy(renderer, req, words),
        ...(client === undefined
          ? { title: words.text('applications.register'), action: root, back: root, isNew: true }
          : {
              title: words.text('form.edit', { client: client.name }),
              action: pathOf(client.clientId, '/edit'),
              back: pathOf(client.clientId),
              isNew: false,
            }),
        submission,
        ...noticeOf(isOutOfDate, words),
        hasKeys:
          client?.type !== 'public' && (limits.tokenEndpointAuthMethods ?? []).includes('private_key_jwt'),
        values,
        about: aboutFields(values.about, words),
        isVerified: client?.verified === true && !viewerOf(req).isAdministrator,
        problems: [
          ...showProblems(problems, words),
          ...(quota === undefined
            ? []
            : [{ field: 'name', problem: words.text('applications.tooMany', { count: quota }) }]),
        ],
        scopeChoices: scopeChoices(settings.scopes, limits.scopes, words),
        grantTypeChoices: grantTypeChoices(limits.grantTypes, renderer.grantTypes, words),
      }),
    });
  };
}

function renderDetails(renderer: Renderer) {
  const { settings, clients, pathOf, renderPage } = renderer;
  return async (
    req: Request,
    res: Response,
    { client, usage, failures, clientSecret, status = 200 }: DetailsPage,
  ): Promise<void> => {
    const viewer = viewerOf(req);
    const trialPage = await settings.applications.tryIt?.(client);
    const owners = viewer.isAdministrator ? await ownerNames(renderer.settings, [client]) : undefined;
    await renderPage(req, res, {
      view: 'application',
      status,
      hasScript: true,
      locals: (words) => ({
        ...sharedBy(renderer, req, words),
        title: client.name,
        note: describeNote(req, words, client),
        rights: rightsOver(client, viewer),
        isAdministrator: viewer.isAdministrator,
        ownerName: owners?.get(client.ownerId ?? ''),
        paths: Object.fromEntries(ACTIONS.map((action) => [action, pathOf(client.clientId, `/${action}`)])),
        clientSecret,
        usage: usage && describeUsage(usage, client, words),
        failures: failures && describeFailures(failures, words),
        trialPage,
        ...describeApplication(client, renderer, words),
        fields: labelledFields(client, clients.fields, words),
      }),
    });
  };
}

function renderDeletion(renderer: Renderer) {
  const { pathOf, renderPage } = renderer;
  return async (
    req: Request,
    res: Response,
    { client, people, isUnconfirmed = false, isOutOfDate = false }: DeletionPage,
  ): Promise<void> => {
    await renderPage(req, res, {
      view: 'application-delete',
      status: isOutOfDate ? 403 : isUnconfirmed ? REFUSED_STATUS : 200,
      locals: (words) => ({
        ...sharedBy(renderer, req, words),
        title: words.text('application.deleteHeading', { client: client.name }),
        ...noticeOf(isOutOfDate, words),
        client,
        people: describePeople(people, words),
        isUnconfirmed,
        action: pathOf(client.clientId, '/delete'),
        back: pathOf(client.clientId),
      }),
    });
  };
}

function noticeOf(isOutOfDate: boolean, { text }: Words) {
  return isOutOfDate ? { notice: text('form.outOfDate') } : {};
}

export function describeUsage({ byClient, now }: Usage, { clientId, createdAt }: ClientInfo, words: Words) {
  const found = byClient.get(clientId) ?? { users: 0, isAtLeast: false };
  const { users, isAtLeast, lastUsedAt } = found;
  const count = words.number(users);
  return {
    people: describePeople(found, words),
    users: isAtLeast ? words.text('applications.atLeast', { count }) : count,
    lastUsed: lastUsedAt && words.day(lastUsedAt),
    // of an older one nobody knows: what has ended is not kept
    isNew: now.getTime() - createdAt.getTime() < A_DAY,
  };
}

/** What was registered by a form that was sent twice shows its secret in the first answer only. */
export function describeNote(req: Request, { text }: Words, client?: ClientInfo): string | undefined {
  const note = noteOf(req, NOTES);
  if (note === undefined) return undefined;
  return note.name === 'registered' && client !== undefined && client.secrets.length > 0
    ? `${text(note.key)} ${text('applications.lostSecret')}`
    : text(note.key);
}
