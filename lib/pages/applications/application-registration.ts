import type { Request } from 'express';

import { textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import { OAuthError } from '../../shared/errors.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { PageHandler } from '../form-handler.js';
import { viewerOf } from './application-access.js';
import { keysOf } from './application-authentication.js';
import { answerWithKind, discardApplicationDraft, findApplicationDraft } from './application-draft.js';
import { clientIdOf, readSubmission, readValues, toMetadata } from './application-form.js';
import { applicationKindOf, sentKindOf, valuesOfKind } from './application-kinds.js';
import { redirectWithNote } from './application-notes.js';
import { withoutSecret } from './application-secrets.js';
import type { ApplicationsContext } from './applications-context.js';
import { formLimitsFor, problemsOf } from './form-limits.js';
import { answerRefusedForm, newForm, takeRefusedForm } from './refused-application.js';

/** In one process; with two, each can exceed it by one. */
export const MAX_APPLICATIONS = 50;

export function registerApplication(context: ApplicationsContext): PageHandler {
  const keyedMutex = createKeyedMutex();
  // counted and stored in turn: several sent at once must not all be the last one that is allowed
  return (req, res, now) => keyedMutex(viewerOf(req).ownerId, () => registerOne(context, { req, res, now }));
}

async function registerOne(
  { clients, actOf, pages }: ApplicationsContext,
  { req, res, now }: RequestContext,
): Promise<void> {
  const { ownerId } = viewerOf(req);
  const submission = textField(req.body, 'submission');
  const clientId = clientIdOf(submission, ownerId);
  const values = readValues(req.body, clients.fields);
  const owned = await clients.listOfOwner(ownerId);
  const isRepeated = () => redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'registered');
  if (owned.some((client) => client.clientId === clientId)) return isRepeated();
  const limits = await formLimitsFor(req, clients);
  const problems = await problemsOf(values, limits, { req, clients });
  const quota = owned.length >= MAX_APPLICATIONS ? { quota: MAX_APPLICATIONS } : {};
  if (problems.length > 0 || quota.quota !== undefined) {
    const kind = sentKindOf(limits, textField(req.body, 'kind'), values);
    const refused = { values, submission, kind, ...quota };
    return answerRefusedForm({ req, res, now }, { ...newForm(pages, req, kind), ...refused }, () =>
      pages.form(req, res, { ...refused, problems, limits }),
    );
  }
  const client = await clients
    .create(
      { ...toMetadata(values, clients.fields), ...keysOf(values), clientId, ownerId, trusted: false },
      actOf(req, now),
      {
        by: viewerOf(req).isAdministrator ? 'host' : 'owner',
      },
    )
    .catch(async (error: unknown) => {
      // the same form, sent twice at the same moment
      if (
        error instanceof OAuthError &&
        error.error === 'invalid_client_metadata' &&
        (await clients.find(clientId))?.ownerId === ownerId
      )
        return null;
      throw error;
    });
  if (client === null) return isRepeated();
  discardApplicationDraft(req, submission, now);
  res.location(pages.pathOf(clientId));
  // answered by the POST: the secret is in this one answer, and a 303 would put it into a session or an address
  await pages.details(req, res, { ...withoutSecret(client), now, status: 201 });
}

/** Shows the form of another session as it was filled in: nothing is done, and nothing is put into this session. */
export function redisplayRegistration({ clients, pages }: ApplicationsContext): PageHandler {
  return async (req, res) => {
    const limits = await formLimitsFor(req, clients);
    const values = readValues(req.body, clients.fields);
    const kind = sentKindOf(limits, textField(req.body, 'kind'), values);
    await pages.form(req, res, { values, kind, limits, isOutOfDate: true });
  };
}

export function create({ clients, pages }: ApplicationsContext): PageHandler {
  return async (req, res, now) => {
    const limits = await formLimitsFor(req, clients);
    const query = queryOf(req);
    const name = peekParameter(query, 'kind');
    const refused = takeRefusedForm(req, newForm(pages, req, name), now);
    if (refused !== undefined) {
      const problems = await problemsOf(refused.values, limits, { req, clients });
      return pages.form(req, res, { ...refused, problems, limits });
    }
    const kind = applicationKindOf(limits, name);
    const draft = findApplicationDraft(req, peekParameter(query, 'draft'), now);
    await pages.form(req, res, {
      ...(draft && { submission: draft.submission, isKindChosen: true }),
      values: valuesOfKind(kind, limits, draft?.values),
      kind: kind?.name,
      limits,
    });
  };
}

/** Leads to the form for another kind of application, with what was typed so far, right or wrong. */
export function chooseKind(context: ApplicationsContext): PageHandler {
  const { pages } = context;
  return async (req, res, now) => {
    const { limits, ...chosen } = await readChosen(context, req);
    const draft = { ...chosen, submission: readSubmission(req.body) };
    await answerWithKind({ req, res, now }, { ...draft, pages }, () =>
      pages.form(req, res, { ...draft, limits, isKindChosen: true }),
    );
  };
}

/** The same for a form of another session. */
export function redisplayKind(context: ApplicationsContext): PageHandler {
  return async (req, res) =>
    context.pages.form(req, res, { ...(await readChosen(context, req)), isOutOfDate: true });
}

async function readChosen({ clients }: ApplicationsContext, req: Request) {
  const limits = await formLimitsFor(req, clients);
  const kind = applicationKindOf(limits, textField(req.body, 'kind'));
  const values = valuesOfKind(kind, limits, readValues(req.body, clients.fields));
  return { limits, kind: kind?.name, values };
}
