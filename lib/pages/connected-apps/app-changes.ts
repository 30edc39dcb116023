import { expandClaimScopes, impliedScopesWithClaims } from '../../core/authorization/claim-scopes.js';
import { consentRulesOf, isOptionalScope } from '../../core/authorization/decision.js';
import { revokeScopesOfGrants } from '../../core/grants/revoke-scopes.js';
import { hasCsrfToken } from '../../core/http/csrf.js';
import { offeredField, textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { emitFor } from '../../core/observability/events.js';
import { toOAuthError } from '../../shared/errors.js';
import { failureKey } from '../../shared/limits/failure-limit.js';
import { redirectWithFlash } from '../flash-message.js';
import { userIdOf } from '../person.js';
import { answerRefused } from '../refused-forms.js';
import { type AppContext, type AppProblem, findApp, MAX_REPORT, renderApp } from './app-page.js';
import { scopesGrantedTo } from './app-scopes.js';
import { pathOfApp } from './context.js';

/** Takes back what was unticked; what the app has got since the page was shown stays. */
export async function narrow(
  context: AppContext,
  requestContext: RequestContext,
  clientId: string,
): Promise<void> {
  const { settings, models, events } = context;
  const { req, now } = requestContext;
  const userId = userIdOf(settings, req);
  const connection = await findApp(context, { userId, clientId, now });
  const granted = scopesGrantedTo(connection.scopes, settings);
  const rules = expandClaimScopes(consentRulesOf(settings, connection.client), granted);
  const ticked = offeredField(req.body, 'scope', granted);
  const unticked = offeredField(req.body, 'shown_scope', granted).filter(
    (scope) => isOptionalScope(rules, scope) && !ticked.includes(scope),
  );
  const stored = granted.filter((scope) => !unticked.includes(scope));
  const address = { path: pathOfApp(context, clientId), userId };
  if (stored.length === 0 && granted.length > 0) {
    const refused = { problem: 'nothingLeft' } as const;
    return answerRefused(requestContext, { ...address, stored: refused }, () =>
      renderApp(context, requestContext, { connection, refused }),
    );
  }
  const taken = await revokeScopesOfGrants(
    models,
    { userId, clientId, granted, remaining: stored, now },
    { implied: impliedScopesWithClaims(settings), emit: emitFor(events, req) },
  );
  const done = taken.length > 0 ? 'narrowed' : 'unchanged';
  redirectWithFlash(requestContext, address, { done, clientName: connection.name });
}

/** Tells the site what a user says of an app that they have connected. */
export async function sendReport(
  context: AppContext,
  requestContext: RequestContext,
  clientId: string,
): Promise<void> {
  const { settings } = context;
  const { req, now } = requestContext;
  const userId = userIdOf(settings, req);
  const connection = await findApp(context, { userId, clientId, now });
  const typed = plainText(textField(req.body, 'report'));
  const address = { path: pathOfApp(context, clientId), userId };
  // answered here: another site may have sent it, and must not put anything into the user's session
  if (!hasCsrfToken(req, userId)) {
    const refused = { problem: 'emptyReport', report: typed } as const;
    return renderApp(context, requestContext, { connection, refused, isOutOfDate: true });
  }
  const problem =
    problemIn(typed) ?? (await deliver(context, requestContext, { userId, clientId, text: typed }));
  if (problem === undefined)
    return redirectWithFlash(requestContext, address, { done: 'reported', clientName: connection.name });
  const refused = { problem, report: typed };
  await answerRefused(requestContext, { ...address, stored: refused }, () =>
    renderApp(context, requestContext, { connection, refused }),
  );
}

/** As somebody types it: without anything that moves a cursor or turns the reading direction of a log or a mail. */
function plainText(typed: string): string {
  return typed
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|\p{Cs}|\p{Bidi_Control}/gu, '')
    .trim();
}

function problemIn(text: string): AppProblem | undefined {
  if (text === '') return 'emptyReport';
  return text.length > MAX_REPORT ? 'longReport' : undefined;
}

async function deliver(
  { settings, events, reports, report }: AppContext,
  { req, res }: RequestContext,
  said: { readonly userId: string; readonly clientId: string; readonly text: string },
): Promise<AppProblem | undefined> {
  const { userId, clientId } = said;
  try {
    await reports.consume(failureKey({}, userId));
    await settings.pages.onReport?.(said, req);
    events.emit('client.reported', { userId, clientId }, req);
    return undefined;
  } catch (failure) {
    const { status } = toOAuthError(failure);
    if (status === 429) events.emit('rate.limited', { endpoint: 'authorizations', userId }, req);
    report(failure, { endpoint: 'authorizations', req, res });
    return status === 429 ? 'manyReports' : 'failedReport';
  }
}
