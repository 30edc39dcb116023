import { randomUUID } from 'node:crypto';

import type { Request, Response } from 'express';

import type { RegistrationLimits } from '../../core/clients/client-field.js';
import type { ClientUsage } from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { FailureCounts } from '../../core/clients/status/client-failures.js';
import { pathOf as publicPathOf } from '../../settings/endpoint-urls.js';
import type { Done } from '../flash-message.js';
import type { RefusedInvitation } from '../owners/describe-owners.js';
import { userNameOf } from '../person.js';
import { REFUSED_STATUS } from '../refused-forms.js';
import type { Translator } from '../rendering/translator.js';
import type { Page } from '../rendering/views.js';
import { canRotate, rightsOver, viewerOf } from './application-access.js';
import type { ApplicationValues } from './application-authentication.js';
import { describeFormFields } from './application-fields.js';
import { type ApplicationFormProblem, grantTypeChoices, scopeChoices } from './application-form.js';
import { isRedirecting, isService, offeredKinds, redirectUrisOf } from './application-kinds.js';
import { renderList } from './application-list-page.js';
import { describeNote } from './application-notes.js';
import { ownerNames } from './application-owners.js';
import { showProblems } from './application-problems.js';
import { changedFieldLabels, describeApplication, describeFailures } from './describe-application.js';
import { describeApplicationOwners, endsApproval } from './describe-application-owners.js';
import { describePeople, describeUsage, type Usage } from './describe-usage.js';
import { type ApplicationPagesOptions, type Renderer, sharedBy } from './shared-by-pages.js';

/** What the form is shown with. */
export interface FormPage {
  readonly values: ApplicationValues;
  /** What can be chosen. */
  readonly limits: RegistrationLimits;
  readonly problems?: readonly ApplicationFormProblem[];
  /** For a registration: the kind of application that the values stand for. */
  readonly kind?: string | undefined;
  /** Whether the kind was chosen just now. */
  readonly isKindChosen?: boolean;
  /** How many applications a user may have, if that is why they get no other one. */
  readonly quota?: number;
  /** For a registration: the id that makes sending it twice harmless. */
  readonly submission?: string;
  /** For a change: the client that is changed. */
  readonly client?: ClientInfo;
  /** Whether it was sent from another session, and is shown as it was filled in. */
  readonly isOutOfDate?: boolean;
}

export interface DetailsPage {
  readonly client: ClientInfo;
  readonly now: Date;
  /** Absent if it would be beside the point: a secret was just made. */
  readonly usage?: Usage;
  /** Why it was refused lately; absent if `usage` is, or if it is not counted. */
  readonly failures?: FailureCounts | undefined;
  /** Shown this once. */
  readonly clientSecret?: string | undefined;
  readonly status?: number;
  /** What a form has done just before. */
  readonly done?: Done | undefined;
  /** What was typed to invite somebody. */
  readonly refusedInvitation?: RefusedInvitation | undefined;
  readonly isOutOfDate?: boolean;
}

export interface DeletionPage {
  readonly client: ClientInfo;
  /** Whether what was typed is not its name. */
  readonly isUnconfirmed?: boolean;
  /** Who would notice. */
  readonly people: ClientUsage;
  readonly isOutOfDate?: boolean;
}

/** What a page says besides what all of them do. */
export type OwnPage = Omit<Page, 'locals'> & { readonly locals: (translator: Translator) => object };

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
  'invite',
  'withdraw',
];

export type ApplicationPages = ReturnType<typeof createApplicationPages>;

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
        locals: (translator) => ({ ...sharedBy(renderer, req, translator), ...locals(translator) }),
      }),
  };
}

function renderForm(renderer: Renderer) {
  const { settings, clients, root, pathOf, renderPage } = renderer;
  return async (
    req: Request,
    res: Response,
    {
      values,
      limits,
      problems = [],
      kind,
      isKindChosen = false,
      quota,
      submission = randomUUID(),
      client,
      isOutOfDate = false,
    }: FormPage,
  ): Promise<void> => {
    await renderPage(req, res, {
      view: 'application-form',
      status: isOutOfDate ? 403 : problems.length > 0 || quota !== undefined ? REFUSED_STATUS : 200,
      locals: (translator) => ({
        ...sharedBy(renderer, req, translator),
        ...(client === undefined
          ? { title: translator.text('applications.register'), action: root, back: root, isNew: true }
          : {
              title: translator.text('form.edit', { client: client.name }),
              action: pathOf(client.clientId, '/edit'),
              back: pathOf(client.clientId),
              isNew: false,
            }),
        submission,
        ...describeKind({ values, limits, problems, kind, ...(client && { client }) }, translator),
        kindAction: `${root}/new`,
        isKindChosen,
        ...noticeOf(isOutOfDate, translator),
        hasKeys: client?.type !== 'public' && canHaveKeys(limits),
        values,
        about: describeFormFields(values.about, clients.fields, translator),
        isVerified: client?.verified === true && !viewerOf(req).isAdministrator,
        endsApproval:
          client !== undefined && !viewerOf(req).isAdministrator && endsApproval(settings, client),
        problems: [
          ...showProblems(problems, translator),
          ...(quota === undefined
            ? []
            : [{ field: 'name', problem: translator.text('applications.tooMany', { count: quota }) }]),
        ],
        scopeChoices: scopeChoices(settings.scopes, limits.scopes, translator),
        grantTypeChoices: grantTypeChoices(limits.grantTypes, renderer.grantTypes, translator),
      }),
    });
  };
}

function renderDetails(renderer: Renderer) {
  const { settings, clients, pathOf, renderPage } = renderer;
  return async (
    req: Request,
    res: Response,
    {
      client,
      now,
      usage,
      failures,
      clientSecret,
      status = 200,
      done,
      refusedInvitation,
      isOutOfDate = false,
    }: DetailsPage,
  ): Promise<void> => {
    const viewer = viewerOf(req);
    const trialPage = await settings.applications.tryIt?.(client);
    const names = viewer.isAdministrator ? await ownerNames(settings, [client]) : undefined;
    const owners = await describeApplicationOwners(settings, {
      client,
      viewer,
      viewerName: userNameOf(settings, req),
      pathOf,
      refused: refusedInvitation,
      now,
    });
    await renderPage(req, res, {
      view: 'application',
      status,
      hasScript: true,
      locals: (translator) => ({
        ...sharedBy(renderer, req, translator),
        title: client.name,
        note: describeNote(done, translator, client),
        rights: {
          ...rightsOver(client, viewer),
          canRotate: canRotate(client, viewer, clients.limits.methods),
        },
        isAdministrator: viewer.isAdministrator,
        ...noticeOf(isOutOfDate, translator),
        ownerName: names?.get(client.ownerId ?? ''),
        owners: owners(translator),
        paths: Object.fromEntries(ACTIONS.map((action) => [action, pathOf(client.clientId, `/${action}`)])),
        clientSecret,
        usage: usage && describeUsage(usage, client, translator),
        failures: failures && describeFailures(failures, translator),
        trialPage,
        ...describeApplication(client, renderer, translator),
        keepsRefreshTokens: viewer.isAdministrator && client.refreshTokens === 'keep',
        changed: viewer.isAdministrator ? changedFieldLabels(client, clients.fields, translator) : [],
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
      locals: (translator) => ({
        ...sharedBy(renderer, req, translator),
        title: translator.text('application.deleteHeading', { client: client.name }),
        ...noticeOf(isOutOfDate, translator),
        client,
        people: describePeople(people, translator),
        isUnconfirmed,
        action: pathOf(client.clientId, '/delete'),
        back: pathOf(client.clientId),
      }),
    });
  };
}

const TECHNICAL: ReadonlySet<string> = new Set([
  'type',
  'grantTypes',
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
]);

/** Whether somebody has to look at the technical settings, or has set keys there. */
function isTechnical(
  { authentication }: ApplicationValues,
  problems: readonly ApplicationFormProblem[],
): boolean {
  return authentication !== 'secret' || problems.some(({ field }) => TECHNICAL.has(field));
}

/** What the form says because of the kind of application, and the kinds that can be chosen. */
function describeKind({ values, limits, problems = [], kind, client }: FormPage, { text }: Translator) {
  const kinds = client === undefined ? offeredKinds(limits, kind) : [];
  return {
    kinds: kinds.map(({ label, meaning, ...each }) => ({
      ...each,
      label: text(label),
      meaning: text(meaning),
    })),
    kind,
    isRedirecting: isRedirecting(values),
    ...redirectUrisOf(kind),
    scopesLegend: text(isService(values) ? 'form.scopesOfService' : 'form.scopes'),
    // folded while its kind says it all
    showsTechnical: kind === undefined || isTechnical(values, problems),
  };
}

/** Whether a method is on with which applications prove that they have their keys. */
function canHaveKeys({ methods, tokenEndpointAuthMethods = [] }: RegistrationLimits): boolean {
  return methods.some(
    ({ name, credential }) => credential === 'keys' && tokenEndpointAuthMethods.includes(name),
  );
}

function noticeOf(isOutOfDate: boolean, { text }: Translator) {
  return isOutOfDate ? { notice: text('form.outOfDate') } : {};
}
