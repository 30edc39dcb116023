import { expandClaimScopes, impliedScopesWithClaims } from '../../core/authorization/claim-scopes.js';
import { findInvalidSelections } from '../../core/authorization-details/selections.js';
import { offeredField, textField } from '../../core/http/form-fields.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError, toOAuthError } from '../../shared/errors.js';
import { failureKey } from '../../shared/limits/failure-limit.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isClaimEntry } from '../../shared/protocol/standard-claims.js';
import type { LostScopes } from '../../storage/grants/bulk-steps.js';
import { type AccountForm, accountPath, noSuchPage, type Visit } from '../account-pages.js';
import { consentRulesOf, isOptionalScope, readSelections } from '../consent/decision.js';
import { answerRefused, redirectWithFlash } from '../form-answers.js';
import {
  type AuthorizationsContext,
  findApp,
  MAX_REPORT,
  type NOTES,
  type RefusedApp,
  renderApp,
} from './app-page.js';
import { findChangeable, scopesGrantedTo } from './describe-authorization.js';
import type { UserAuthorization } from './find-connected-apps.js';

/**
 * Handles a form about a connected app. The app's page then shows the result of `submit`, or the refused form again.
 */
const change =
  (
    submit: (
      context: AuthorizationsContext,
      visit: Visit,
      connection: UserAuthorization,
    ) => Promise<keyof typeof NOTES | RefusedApp>,
  ) =>
  async (context: AuthorizationsContext, visit: Visit): Promise<void> => {
    const connection = await findApp(context, visit);
    const path = accountPath(context, visit.id);
    const result = await submit(context, visit, connection);
    if (typeof result === 'string')
      return redirectWithFlash(visit, path, { done: result, clientName: connection.name });
    await answerRefused(visit, { path, value: result }, () =>
      renderApp(context, visit, { connection, refused: result }),
    );
  };

/**
 * Removes the unticked scopes; scopes that the app got since the page was displayed stay. Tokens stay, too, with fewer
 * scopes. A JWT that a resource server checks only by its signature keeps its scopes until it expires, as after a
 * revocation.
 *
 * @see RFC 6749 §6: a refresh can have no scope that its grant has not
 */
export const narrow = change(async ({ settings, models, events }, visit, connection) => {
  const { req, now, userId, id: clientId } = visit;
  const granted = scopesGrantedTo(connection.scopes, settings);
  const rules = expandClaimScopes(consentRulesOf(settings, connection.client), granted);
  const ticked = offeredField(req.body, 'scope', granted);
  const unticked = offeredField(req.body, 'shown_scope', granted).filter(
    (scope) => isOptionalScope(rules, scope) && !ticked.includes(scope),
  );
  const remaining = granted.filter((scope) => !unticked.includes(scope));
  if (remaining.length === 0 && granted.length > 0) return { problem: 'nothingLeft' };

  // The lost scopes, each with the included scopes that stay: an app that may no longer write may still read. The
  // single claims of a lost scope are lost, whatever allowed them (OpenID Connect Core §5.5). Claims never replace a
  // lost scope, since no token has a claim as its scope.
  const implied = impliedScopesWithClaims(settings);
  const grantedClaims = withImplied(granted, implied).filter(isClaimEntry);
  const staying = withImplied(remaining, implied);
  const lost: LostScopes = new Map(
    [...new Set([...granted, ...grantedClaims])]
      .filter((scope) => !staying.includes(scope))
      .map((scope) => [
        scope,
        (implied.get(scope) ?? []).filter((name) => !isClaimEntry(name) && staying.includes(name)),
      ]),
  );
  if (lost.size === 0) return 'unchanged';

  // The consent first, so that a request with `prompt=none` in between gets none of the lost scopes. An entry for a
  // resource is the scope, a space and the resource
  const consented = (await models.consents.findScopes(userId, clientId)) ?? [];
  const entries = consented
    .map((entry) => ({ entry, scope: entry.split(' ')[0] ?? '' }))
    .filter(({ scope }) => lost.has(scope));
  if (entries.length > 0) {
    const left = entries.flatMap(({ entry, scope }) =>
      (lost.get(scope) ?? []).map((name) => name + entry.slice(scope.length)),
    );
    const lostEntries = entries.map(({ entry }) => entry);
    await models.consents.narrow({ userId, clientId }, lostEntries, [...new Set(left)], now);
  }
  const count = await models.grants.revokeScopes({ userId, clientId }, lost, now);
  const scopes = granted.filter((scope) => lost.has(scope));
  await events.emit('grant.narrowed', { userId, clientId, scopes, count, reason: 'user' }, req);
  return scopes.length > 0 ? 'narrowed' : 'unchanged';
});

/**
 * Changes a choice of the user for an app. Its tokens stay, with the new value from now on. A JWT that a resource
 * server checks only by its signature keeps the old value until it expires.
 */
export const rebind = change(async ({ settings, models, events }, visit, connection) => {
  const { req, now, userId, id: clientId } = visit;
  const offers = await findChangeable(connection, visit, settings);
  const offer = offers.find(({ name }) => name === textField(req.body, 'choice'));
  if (offer === undefined)
    throw new OAuthError('invalid_request', 'the form names nothing that can be changed here');
  const { key, name, choice } = offer;
  const picks = readSelections(req.body, [offer]);
  const selected = picks[key] ?? [];
  if (findInvalidSelections([offer], picks).length > 0)
    return { problem: 'wrongPick', pick: { choice: name, selected } };
  const before = [connection.bound.choices?.[name] ?? []].flat().map(String);
  if (selected.length === before.length && selected.every((value) => before.includes(value))) return 'kept';
  const [first = ''] = selected;
  const isMax = !choice.multiple && choice.list === undefined;
  const rebound = {
    name,
    value: choice.multiple ? selected : isMax ? Number(first) : first,
    isMax,
    endsAt: isMax && choice.lifetime ? addSeconds(now, Number(first)) : undefined,
  };
  // the consent first, so that a request with `prompt=none` in between gets the new value
  await models.consents.rebind({ userId, clientId }, rebound, now);
  const count = await models.grants.changeChoices({ userId, clientId }, rebound, now);
  await events.emit('grant.rebound', { userId, clientId, reason: name, count }, req);
  return 'rebound';
});

/** The text of a report, without characters that move a cursor or change the reading direction of a log or a mail. */
function readReport({ settings }: AuthorizationsContext, { req }: Visit): string {
  if (settings.pages.onReport === undefined) throw noSuchPage();
  return textField(req.body, 'report')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|\p{Bidi_Control}/gu, '')
    .trim();
}

/** Reports an app to the site. */
export const reporting: AccountForm<AuthorizationsContext> = {
  survivesLogout: true,
  // responds without a redirect: a form of another site must not write to the user's session
  isFromAnywhere: true,
  async redisplay(context, visit) {
    const refused = { problem: 'emptyReport', report: readReport(context, visit) } as const;
    const connection = await findApp(context, visit);
    await renderApp(context, visit, { connection, refused, isOutOfDate: true });
  },
  submit: change(async (context, visit) => {
    const { settings, events } = context;
    const { req, res, userId, id: clientId } = visit;
    const report = readReport(context, visit);
    if (report === '') return { problem: 'emptyReport', report };
    if (report.length > MAX_REPORT) return { problem: 'longReport', report };
    try {
      await context.reports.consume(failureKey({}, userId));
      await settings.pages.onReport?.({ userId, clientId, text: report }, req);
      await events.emit('client.reported', { userId, clientId }, req);
    } catch (failure) {
      const isLimited = toOAuthError(failure).status === 429;
      if (isLimited) events.emit('rate.limited', { endpoint: 'authorizations', userId }, req);
      context.report(failure, { endpoint: 'authorizations', req, res });
      return { problem: isLimited ? 'manyReports' : 'failedReport', report };
    }
    return 'reported';
  }),
};
