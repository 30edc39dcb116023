import { consentClientOf } from '../../core/authorization/consent-client.js';
import { consentRulesOf } from '../../core/authorization/decision.js';
import { findConnectedApp, type UserAuthorization } from '../../core/grants/connected-apps.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { RequestContext } from '../../core/http/handle.js';
import type { MessageKey } from '../../messages/index.js';
import { OAuthError } from '../../shared/errors.js';
import { type ClientOrigin, describeOrigin, type FindOrigin } from '../consent/describe-origin.js';
import { consumeFlash, describeDone, type Done, type DoneTexts } from '../flash-message.js';
import { accountNavigation } from '../navigation.js';
import { userIdOf, userNameOf } from '../person.js';
import { REFUSED_STATUS, takeRefused } from '../refused-forms.js';
import type { Translator } from '../rendering/translator.js';
import type { Locals } from '../rendering/views.js';
import {
  type ActivityEntry,
  describeActivity,
  findActivity,
  lastAddressOf,
  withClientNames,
} from './activity.js';
import { findThrough } from './acts-through.js';
import { describeChangeable, findChangeable, type Looker, type RefusedPick } from './app-choices.js';
import { describeGranted, scopesGrantedTo } from './app-scopes.js';
import { type AuthorizationsContext, pathOfApp } from './context.js';
import { describeApp } from './describe-app.js';
import { describeBound } from './describe-bound.js';
import { mayRegister } from './list-page.js';
import { describeSignIns, findLoginAt, findSignIns } from './sign-ins.js';

/** What the page of one app needs as well. */
export interface AppContext extends AuthorizationsContext {
  readonly findOrigin: FindOrigin;
}

/** Why a form was refused. */
export type AppProblem =
  'nothingLeft' | 'wrongPick' | 'emptyReport' | 'longReport' | 'manyReports' | 'failedReport';

/** A refused form, with what was typed into it. */
export interface RefusedApp {
  readonly problem: AppProblem;
  readonly report?: string;
  /** For `wrongPick`. */
  readonly pick?: RefusedPick;
}

export const MAX_REPORT = 1000;

const PROBLEMS: Readonly<Record<AppProblem, MessageKey>> = {
  nothingLeft: 'authorization.nothingLeft',
  wrongPick: 'choice.missing',
  emptyReport: 'authorization.reportEmpty',
  longReport: 'authorization.reportLong',
  manyReports: 'authorization.reportMany',
  failedReport: 'authorization.reportFailed',
};

const NOTES: DoneTexts = {
  narrowed: { named: 'authorization.narrowed' },
  unchanged: { unnamed: 'authorization.unchanged' },
  rebound: { named: 'authorization.rebound' },
  kept: { unnamed: 'authorization.kept' },
  reported: { named: 'authorization.reported' },
};

/** Answers with the page; 404 if the user has not connected such an app. */
export async function showApp(
  context: AppContext,
  requestContext: RequestContext,
  clientId: string,
): Promise<void> {
  const { req, now } = requestContext;
  const userId = userIdOf(context.settings, req);
  const connection = await findApp(context, { userId, clientId, now });
  const address = { path: pathOfApp(context, clientId), userId };
  await renderApp(context, requestContext, {
    connection,
    done: consumeFlash(req, address, now),
    refused: takeRefused<RefusedApp>(req, address, now),
  });
}

export async function findApp(
  { models, deviceGrantTypes }: AuthorizationsContext,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
): Promise<UserAuthorization> {
  const connection = await findConnectedApp(models, clientId, { userId, deviceGrantTypes, now });
  if (connection === undefined)
    throw new OAuthError('invalid_request', 'no such application is connected', { status: 404 });
  return connection;
}

/** What the page shows at this moment. */
export interface AppView {
  readonly connection: UserAuthorization;
  readonly done?: Done | undefined;
  readonly refused?: RefusedApp | undefined;
  /** Whether the form is from another session: what was typed is shown, and nothing was done. */
  readonly isOutOfDate?: boolean;
}

export async function renderApp(
  context: AppContext,
  { req, res, now }: RequestContext,
  { connection, done, refused, isOutOfDate = false }: AppView,
): Promise<void> {
  const { settings, renderPage, root } = context;
  const { client, clientId, hasDevice } = connection;
  const userId = userIdOf(settings, req);
  const [isDeveloper, origin, signIns, through, acts] = await Promise.all([
    mayRegister(context, req, res),
    client && context.findOrigin(consentClientOf(client), hasDevice),
    findSignIns(context, { userId, clientId, now }),
    findThrough(context, { userId, clientId, now }),
    settings.audit && findActs(context, { req, res, now }, clientId),
  ]);
  const path = pathOfApp(context, clientId);
  await renderPage(req, res, {
    view: 'authorization',
    status: isOutOfDate ? 403 : refused ? REFUSED_STATUS : 200,
    hasScript: true,
    locals: async (translator) => ({
      title: connection.name,
      nav: accountNavigation(isDeveloper, 'authorizations', settings, translator),
      csrfToken: personalCsrfTokenOf(req, userId),
      paths: {
        list: root,
        revoke: `${root}/revoke`,
        scopes: `${path}/scopes`,
        report: `${path}/report`,
        choices: `${path}/choices`,
        signOut: `${path}/sign-out`,
      },
      ...describeConnection(context, connection, translator),
      ...(req.user &&
        (await describeOwn(context, { user: req.user, userId, now }, { connection, refused }, translator))),
      ...describeSignIns(signIns, client, translator),
      through: through.map(({ name, at }) => ({
        name,
        last: translator.text('authorization.actedOn', { day: translator.day(at).text }),
      })),
      loginAt: findLoginAt(client, settings),
      ...describeClientOf(context, connection, origin, { translator, now }),
      lastAddress: acts && lastAddressOf(acts),
      activity: acts && describeActivity(acts, translator),
      ...describeAnswer({ done, refused, isOutOfDate }, translator),
      canReport: settings.pages.onReport !== undefined,
      maxReport: MAX_REPORT,
      userName: userNameOf(settings, req),
    }),
  });
}

/** What was picked, and what of it can be changed. */
async function describeOwn(
  { settings }: AppContext,
  looker: Looker,
  { connection, refused }: Pick<AppView, 'connection' | 'refused'>,
  translator: Translator,
): Promise<Locals> {
  const language = translator.locale;
  const { details, selected } = await describeBound(connection, looker, settings, translator);
  const offers = await findChangeable(connection, { ...looker, language }, settings);
  const isChangeable = (name: string) => offers.some((offer) => offer.name === name);
  return {
    bound: { details, selected: selected.filter(({ name }) => !isChangeable(name)) },
    changeable: describeChangeable(offers, connection, { refused: refused?.pick, settings, translator }),
  };
}

/** The rest of the page is right without it, too. */
async function findActs(
  { audit, report, settings, models }: AppContext,
  { req, res, now }: RequestContext,
  clientId: string,
): Promise<readonly ActivityEntry[] | undefined> {
  try {
    const acts = await findActivity(audit, { userId: userIdOf(settings, req), clientId, now });
    return await withClientNames(acts, models);
  } catch (failure) {
    report(failure, { endpoint: 'authorizations', req, res });
    return undefined;
  }
}

function describeConnection(
  { settings }: AppContext,
  connection: UserAuthorization,
  translator: Translator,
): Locals {
  const { clientId, name, client, hasDevice, hasWaitingDevice, since, renewedAt, resources } = connection;
  const rules = consentRulesOf(settings, client);
  const scopes = describeGranted(scopesGrantedTo(connection.scopes, settings), rules, translator);
  const isTrusted = client?.trusted === true;
  return {
    clientId,
    name,
    isTrusted,
    isGone: client === undefined,
    isBlocked: client?.blocked !== undefined,
    hasDevice,
    isWaiting: hasWaitingDevice,
    scopes,
    // a trusted client gets everything back without a question; and to take back the only scope is to disconnect
    canNarrow: !isTrusted && scopes.length > 1 && scopes.some(({ isOptional }) => isOptional),
    since: translator.day(since),
    renewed: renewedAt && translator.moment(renewedAt),
    resources: resources.map((resource) => settings.resources.get(resource)?.name ?? resource),
  };
}

function describeClientOf(
  { settings }: AppContext,
  { client }: UserAuthorization,
  origin: ClientOrigin | undefined,
  { translator, now }: { readonly translator: Translator; readonly now: Date },
): Locals {
  if (client === undefined)
    return { logo: undefined, isVerified: false, publisher: undefined, clientLinks: [], origin: [] };
  return {
    ...describeApp(client, settings, translator),
    origin: describeOrigin(origin, translator, now),
  };
}

function describeAnswer(
  { done, refused, isOutOfDate = false }: Pick<AppView, 'done' | 'refused' | 'isOutOfDate'>,
  translator: Translator,
): Locals {
  return {
    note: describeDone(done, NOTES, translator),
    notice: isOutOfDate ? translator.text('form.outOfDate') : undefined,
    problem: refused && translator.text(PROBLEMS[refused.problem], { count: translator.number(MAX_REPORT) }),
    refusedForm: refused && !isOutOfDate ? formOf(refused) : undefined,
    reportText: refused?.report ?? '',
  };
}

function formOf({ problem }: RefusedApp): 'scopes' | 'choices' | 'report' {
  if (problem === 'wrongPick') return 'choices';
  return problem === 'nothingLeft' ? 'scopes' : 'report';
}
