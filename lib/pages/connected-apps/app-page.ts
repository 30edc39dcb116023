import { consentClientOf } from '../../core/authorization/consent-client.js';
import { withParameters } from '../../core/authorization/response-modes/response-mode.js';
import type { Client } from '../../core/clients/client.js';
import { findDisplayedUri } from '../../core/clients/page-uri.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import type { Audit } from '../../core/observability/audit.js';
import type { EndSignIns } from '../../core/openid/sign-ins.js';
import type { MessageKey } from '../../messages/index.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureLimit } from '../../shared/limits/failure-limit.js';
import type { Stores } from '../../storage/stores.js';
import {
  type AccountContext,
  type AccountPagesOptions,
  accountPath,
  renderAccountPage,
  type Visit,
} from '../account-pages.js';
import { consentRulesOf } from '../consent/decision.js';
import { describeChoice } from '../consent/describe-choices.js';
import { describeClient } from '../consent/describe-client.js';
import { describeOrigin, type FindOrigin } from '../consent/describe-origin.js';
import { describeDone, type Done, type DoneTexts } from '../form-answers.js';
import { describeActivity, findActivity } from './activity.js';
import { describeBound, describeGranted, findChangeable, scopesGrantedTo } from './describe-authorization.js';
import { findConnectedApps, type UserAuthorization } from './find-connected-apps.js';

/** The dependencies of the pages of connected apps. */
export interface AuthorizationsPageOptions extends AccountPagesOptions {
  readonly models: Stores;
  readonly audit: Audit;
  /** The enabled grant types. */
  readonly grantTypes: readonly GrantType[];
  /** Ends users' sign-ins at clients; undefined without OpenID Connect. */
  readonly endSignIns: EndSignIns | undefined;
}

/** The context of the pages' handlers. */
export interface AuthorizationsContext extends AuthorizationsPageOptions, AccountContext {
  /** The grant types that connect devices. */
  readonly deviceGrantTypes: readonly string[];
  /** Limits reports per user. */
  readonly reports: FailureLimit;
  readonly findOrigin: FindOrigin;
}

/** A refused form with its input. */
export interface RefusedApp {
  readonly problem: keyof typeof PROBLEMS;
  readonly report?: string;
  /** For `wrongPick`: the submitted values of the choice. */
  readonly pick?: { readonly choice: string; readonly selected: readonly string[] };
}

export const MAX_REPORT = 1000;

/** The form and the text of each problem. */
const PROBLEMS = {
  nothingLeft: { form: 'scopes', text: 'authorization.nothingLeft' },
  wrongPick: { form: 'choices', text: 'choice.missing' },
  emptyReport: { form: 'report', text: 'authorization.reportEmpty' },
  longReport: { form: 'report', text: 'authorization.reportLong' },
  manyReports: { form: 'report', text: 'authorization.reportMany' },
  failedReport: { form: 'report', text: 'authorization.reportFailed' },
} as const satisfies Record<string, { readonly form: string; readonly text: MessageKey }>;

export const NOTES = {
  narrowed: { withName: 'authorization.narrowed' },
  unchanged: { withoutName: 'authorization.unchanged' },
  rebound: { withName: 'authorization.rebound' },
  kept: { withoutName: 'authorization.kept' },
  reported: { withName: 'authorization.reported' },
} as const satisfies DoneTexts;

export async function findApp(
  { models, deviceGrantTypes }: AuthorizationsContext,
  { id, userId, now }: Visit,
): Promise<UserAuthorization> {
  const [connection] = await findConnectedApps(models, [id], { userId, deviceGrantTypes, now });
  if (connection === undefined) throw notConnected();
  return connection;
}

export function notConnected(): OAuthError {
  return new OAuthError('invalid_request', 'no such application is connected', { status: 404 });
}

/**
 * A client's links and logo are displayed by the rule of the consent page. All redirect URIs must have one host: with
 * two hosts, either could borrow the other's looks.
 */
export function toBelievedClient(client: Client) {
  const { redirectUris } = client;
  const hosts = new Set(redirectUris.map((uri) => new URL(uri).host));
  return { client: consentClientOf(client), redirectUri: hosts.size === 1 ? redirectUris[0] : undefined };
}

/** The state of the page. */
export interface AppView {
  readonly connection: UserAuthorization;
  readonly done?: Done;
  readonly refused?: RefusedApp;
  /** Whether the form is from another session: the page displays its values, and changes nothing. */
  readonly isOutOfDate?: boolean;
}

export async function renderApp(
  context: AuthorizationsContext,
  visit: Visit,
  { connection, done, refused, isOutOfDate = false }: AppView,
): Promise<void> {
  const { settings, root, models } = context;
  const { userId, now } = visit;
  const { client, clientId, hasDevice, bound } = connection;
  const [origin, signIns, through, acts] = await Promise.all([
    client && context.findOrigin(consentClientOf(client), hasDevice),
    // the user's sign-ins at the app
    context.endSignIns === undefined ? [] : models.signIns.find({ userId, clientId }),
    findThrough(context, visit),
    findActivity(context, visit, { userId, clientId }),
  ]);
  // the newest first; the database removes expired sign-ins a minute late
  const presentSignIns = signIns
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((one, other) => other.at.getTime() - one.at.getTime());
  // nothing is known about a deleted client
  const believed = client && toBelievedClient(client);
  // the app's address for starting a login (OpenID Connect Core §4)
  const loginUri =
    client === undefined || !settings.openid || client.blocked !== undefined
      ? undefined
      : findDisplayedUri(client.initiateLoginUri, believed?.redirectUri, client.verified === true);
  const path = accountPath(context, clientId);
  const granted = scopesGrantedTo(connection.scopes, settings);
  const isTrusted = client?.trusted === true;
  const problem = refused && PROBLEMS[refused.problem];
  await renderAccountPage(context, visit, {
    view: 'authorization',
    isOutOfDate,
    isRefused: refused !== undefined,
    hasScript: true,
    locals: async (translator) => {
      const { text, day, moment, number, locale } = translator;
      const scopes = describeGranted(granted, consentRulesOf(settings, client), translator);
      const { details, selected } = await describeBound(connection, visit, settings, translator);
      const offers = await findChangeable(connection, visit, settings, locale);
      const pick = refused?.pick;
      const described = believed && describeClient(believed, settings, translator);
      const choicePage = {
        translator,
        selectedBefore: bound.choices ?? {},
        problem: pick && {
          toPick: [pick.choice],
          given: { scopes: [], picks: { [pick.choice]: pick.selected } },
        },
        titles: [],
      };
      return {
        title: connection.name,
        paths: {
          list: root,
          revoke: `${root}/revoke`,
          scopes: `${path}/scopes`,
          report: `${path}/report`,
          choices: `${path}/choices`,
          signOut: `${path}/sign-out`,
        },
        clientId,
        name: connection.name,
        isTrusted,
        isGone: client === undefined,
        isBlocked: client?.blocked !== undefined,
        hasDevice,
        isWaiting: connection.hasWaitingDevice,
        scopes,
        // a trusted client would get a scope back without consent; removing the only scope is a disconnection
        canNarrow: !isTrusted && scopes.length > 1 && scopes.some(({ isOptional }) => isOptional),
        since: day(connection.since),
        renewed: connection.renewedAt && moment(connection.renewedAt),
        resources: connection.resources.map((resource) => settings.resources.get(resource)?.name ?? resource),
        // the details and choices; each changeable choice has a form
        bound: {
          details,
          selected: selected.filter(({ name }) => !offers.some((offer) => offer.name === name)),
        },
        changeable: offers.map((offer) => ({ ...describeChoice(offer, choicePage), name: offer.name })),
        signIns: presentSignIns.map(({ at }) => moment(at)),
        // a page in a frame works only during a logout of this site
        canSignOut: client?.backchannelLogoutUri !== undefined,
        through: through.map(({ name, at }) => ({
          name,
          last: text('authorization.actedOn', { day: day(at).text }),
        })),
        // no login_hint: another user may be logged in here by then
        loginAt: loginUri && withParameters(loginUri, { iss: settings.issuer }),
        logo: described?.clientLogo,
        isVerified: described?.isVerified === true,
        publisher: described?.publisher,
        clientLinks: described?.clientLinks ?? [],
        origin: describeOrigin(origin, translator, now),
        // the last address from which the app itself got access: a server, or its user's device
        lastAddress: acts?.find(
          ({ key, through: by }) => key === 'authorization.didGetAccess' && by.length === 0,
        )?.address,
        activity: describeActivity(acts, translator),
        note: describeDone(done, NOTES, translator),
        problem: problem && text(problem.text, { count: number(MAX_REPORT) }),
        refusedForm: isOutOfDate ? undefined : problem?.form,
        reportText: refused?.report ?? '',
        canReport: settings.pages.onReport !== undefined,
        maxReport: MAX_REPORT,
      };
    },
  });
}

/**
 * The parties that act for a user through an app, the latest first (RFC 8693 §4.1): clients that have exchanged its
 * tokens, and actors in assertions. One command for each if the option is on, and one for the names.
 */
async function findThrough(
  { settings, models }: AuthorizationsContext,
  { userId, id: clientId, now }: Visit,
) {
  const of = { userId, clientId };
  const [exchangers, actors] = await Promise.all([
    settings.tokenExchange ? models.grants.findExchangers(of, now) : [],
    settings.assertions ? models.grants.findActors(of, now) : [],
  ]);
  const latest = [...exchangers, ...actors].sort((a, b) => b.at.getTime() - a.at.getTime());
  const all = latest.filter(({ name }, index) => latest.findIndex((one) => one.name === name) === index);
  const clients = all.length === 0 ? [] : await models.clients.findNames(all.map(({ name }) => name));
  return all.map(({ name, at }) => ({
    name: clients.find((client) => client.clientId === name)?.name ?? name,
    at,
  }));
}
