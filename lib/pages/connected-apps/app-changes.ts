import { expandClaimScopes, impliedScopesWithClaims } from '../../core/authorization/claim-scopes.js';
import { consentRulesOf, isOptionalScope } from '../../core/authorization/decision.js';
import { findInvalidSelections, readSelections } from '../../core/authorization-details/selections.js';
import type { ChangedChoice } from '../../core/grants/grant-store.js';
import { changeChoicesOfGrants, revokeScopesOfGrants } from '../../core/grants/revoke-scopes.js';
import { offeredField, textField } from '../../core/http/form-fields.js';
import { emitFor } from '../../core/observability/events.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError, toOAuthError } from '../../shared/errors.js';
import { failureKey } from '../../shared/limits/failure-limit.js';
import { type AccountForm, accountPath, noSuchPage, type Visit } from '../account-pages.js';
import { answerRefused, redirectWithFlash } from '../form-answers.js';
import {
  type AppView,
  type AuthorizationsContext,
  findApp,
  MAX_REPORT,
  type RefusedApp,
  renderApp,
} from './app-page.js';
import { findChangeable, scopesGrantedTo } from './describe-authorization.js';

/** Shows a refused form once more on the page of its app. */
function refuse(
  context: AuthorizationsContext,
  visit: Visit,
  connection: AppView['connection'],
  refused: RefusedApp,
): Promise<void> {
  return answerRefused(visit, { path: accountPath(context, visit.id), value: refused }, () =>
    renderApp(context, visit, { connection, refused }),
  );
}

/** Takes back what was unticked; what the app has got since the page was shown stays. */
export async function narrow(context: AuthorizationsContext, visit: Visit): Promise<void> {
  const { settings, models, events } = context;
  const { req, now, userId, id: clientId } = visit;
  const connection = await findApp(context, visit);
  const granted = scopesGrantedTo(connection.scopes, settings);
  const rules = expandClaimScopes(consentRulesOf(settings, connection.client), granted);
  const ticked = offeredField(req.body, 'scope', granted);
  const unticked = offeredField(req.body, 'shown_scope', granted).filter(
    (scope) => isOptionalScope(rules, scope) && !ticked.includes(scope),
  );
  const remaining = granted.filter((scope) => !unticked.includes(scope));
  if (remaining.length === 0 && granted.length > 0)
    return refuse(context, visit, connection, { problem: 'nothingLeft' });
  const taken = await revokeScopesOfGrants(
    models,
    { userId, clientId, granted, remaining, now },
    { implied: impliedScopesWithClaims(settings), emit: emitFor(events, req) },
  );
  const done = taken.length > 0 ? 'narrowed' : 'unchanged';
  redirectWithFlash(visit, accountPath(context, clientId), { done, clientName: connection.name });
}

/** Picks something else for what the app may work with. */
export async function rebind(context: AuthorizationsContext, visit: Visit): Promise<void> {
  const { settings, models, events } = context;
  const { req, now, userId, id: clientId } = visit;
  const connection = await findApp(context, visit);
  const offers = await findChangeable(connection, visit, settings);
  const offer = offers.find(({ name }) => name === textField(req.body, 'choice'));
  if (offer === undefined)
    throw new OAuthError('invalid_request', 'the form names nothing that can be changed here');
  const { key, name, choice } = offer;
  const picks = readSelections(req.body, [offer]);
  const selected = picks[key] ?? [];
  if (findInvalidSelections([offer], picks).length > 0)
    return refuse(context, visit, connection, { problem: 'wrongPick', pick: { choice: name, selected } });
  const before = [connection.bound.choices?.[name] ?? []].flat().map(String);
  const isChanged = selected.length !== before.length || !selected.every((value) => before.includes(value));
  if (isChanged) {
    const [first = ''] = selected;
    const isMax = !choice.multiple && choice.list === undefined;
    const rebound: ChangedChoice = {
      name,
      value: choice.multiple ? selected : isMax ? Number(first) : first,
      isMax,
      endsAt: isMax && choice.lifetime ? addSeconds(now, Number(first)) : undefined,
    };
    await changeChoicesOfGrants(models, { userId, clientId, now }, { rebound, emit: emitFor(events, req) });
  }
  const done = isChanged ? 'rebound' : 'kept';
  redirectWithFlash(visit, accountPath(context, clientId), { done, clientName: connection.name });
}

/** What the user says of an app that they have connected. */
async function readReport(context: AuthorizationsContext, visit: Visit) {
  if (context.settings.pages.onReport === undefined) throw noSuchPage();
  const connection = await findApp(context, visit);
  // as somebody types it: without anything that moves a cursor or turns the reading direction of a log or a mail
  const report = textField(visit.req.body, 'report')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|\p{Bidi_Control}/gu, '')
    .trim();
  return { connection, report };
}

/** Tells the site what a user says of an app. */
export const reporting: AccountForm<AuthorizationsContext> = {
  survivesLogout: true,
  // answered here: another site may have sent it, and must not put anything into the user's session
  isFromAnywhere: true,
  async redisplay(context, visit) {
    const { connection, report } = await readReport(context, visit);
    const refused = { problem: 'emptyReport', report } as const;
    await renderApp(context, visit, { connection, refused, isOutOfDate: true });
  },
  async submit(context, visit) {
    const { settings, events } = context;
    const { req, res, userId, id: clientId } = visit;
    const { connection, report } = await readReport(context, visit);
    if (report === '') return refuse(context, visit, connection, { problem: 'emptyReport', report });
    if (report.length > MAX_REPORT)
      return refuse(context, visit, connection, { problem: 'longReport', report });
    try {
      await context.reports.consume(failureKey({}, userId));
      await settings.pages.onReport?.({ userId, clientId, text: report }, req);
      await events.emit('client.reported', { userId, clientId }, req);
    } catch (failure) {
      const isLimited = toOAuthError(failure).status === 429;
      if (isLimited) events.emit('rate.limited', { endpoint: 'authorizations', userId }, req);
      context.report(failure, { endpoint: 'authorizations', req, res });
      const problem = isLimited ? 'manyReports' : 'failedReport';
      return refuse(context, visit, connection, { problem, report });
    }
    redirectWithFlash(visit, accountPath(context, clientId), {
      done: 'reported',
      clientName: connection.name,
    });
  },
};
