import { randomUUID } from 'node:crypto';

import { OwnershipError } from '../../core/clients/client-owners.js';
import { textField } from '../../core/http/form-fields.js';
import { queryOf } from '../../core/http/query.js';
import { OAuthError } from '../../shared/errors.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { type AccountForm, accountPath, type Visit } from '../account-pages.js';
import { takeRefused, typedForms } from '../form-answers.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import {
  answerTyped,
  type ApplicationValues,
  clientIdOf,
  findProblems,
  keysOf,
  limitsFor,
  readValues,
  toMetadata,
  UUID,
} from './application-form.js';
import { type FormPage, renderForm } from './application-form-page.js';
import { applicationKindOf, sentKindOf, valuesOfKind } from './application-kinds.js';
import { redirectWithNote } from './application-notes.js';
import { renderApplication } from './application-page.js';

/** Of one owner. Invitations that a user accepts at two processes at once can exceed it. */
export const MAX_APPLICATIONS = 50;
/** Milliseconds that somebody may take to fill in the form. */
const DRAFT_LIFE = 60 * 60_000;

/** What is typed so far of an application that is not registered yet, whatever kind it is of. */
interface Draft {
  readonly values: ApplicationValues;
  /** Identifies the form. */
  readonly submission: string;
}

const pathOfNew = ({ root }: ApplicationsContext, query: Readonly<Record<string, string | undefined>>) => {
  const named = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return named.length === 0 ? `${root}/new` : `${root}/new?${new URLSearchParams(named).toString()}`;
};

const draftName = (submission: string) => `draft ${submission}`;

/** The form of a new application: empty, as it was refused, or with what was typed before another kind was chosen. */
export async function showRegistration(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { req, now, userId } = visit;
  const limits = await limitsFor(context, visit);
  const query = queryOf(req);
  const name = peekParameter(query, 'kind');
  const refused = takeRefused<Omit<FormPage, 'limits'>>(visit, pathOfNew(context, { kind: name }));
  if (refused !== undefined) {
    const problems = await findProblems(context, visit, refused.values, { limits });
    return renderForm(context, visit, { ...refused, problems, limits });
  }
  const kind = applicationKindOf(limits, name);
  const submission = peekParameter(query, 'draft');
  const draft =
    submission === undefined
      ? undefined
      : (typedForms.peek(req, { name: draftName(submission), userId }, now) as Draft | undefined);
  await renderForm(context, visit, {
    submission: draft?.submission,
    isKindChosen: draft !== undefined,
    values: valuesOfKind(kind, limits, draft?.values),
    kind: kind?.name,
    limits,
  });
}

export const registrationForm: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  // in turn: of several at once at one process none is stored in vain
  submit: (context, visit) => context.keyedMutex(visit.userId, () => register(context, visit)),
  async redisplay(context, visit) {
    const limits = await limitsFor(context, visit);
    const values = readValues(visit, context.clients.fields);
    const kind = sentKindOf(limits, textField(visit.req.body, 'kind'), values);
    await renderForm(context, visit, { values, kind, limits, isOutOfDate: true });
  },
};

async function register(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { clients } = context;
  const { req, res, now, userId } = visit;
  const submission = textField(req.body, 'submission');
  const clientId = clientIdOf(submission, userId);
  const values = readValues(visit, clients.fields);
  const owned = await clients.listOfOwner(userId);
  const path = accountPath(context, clientId);
  if (owned.some((client) => client.clientId === clientId))
    return redirectWithNote(visit, path, 'registered');
  const limits = await limitsFor(context, visit);
  const problems = await findProblems(context, visit, values, { limits });
  const refuse = (quota?: number) => {
    const kind = sentKindOf(limits, textField(req.body, 'kind'), values);
    // the problems are found again in the values, in the language of the GET
    const value = { values, submission, kind, quota };
    return answerTyped(visit, { path: pathOfNew(context, { kind }), value }, () =>
      renderForm(context, visit, { ...value, problems, limits }),
    );
  };
  if (owned.length >= MAX_APPLICATIONS) return refuse(MAX_APPLICATIONS);
  if (problems.length > 0) return refuse();
  const metadata = { ...toMetadata(values, clients.fields), ...keysOf(values) };
  const created = await clients
    .create({ ...metadata, clientId, ownerId: userId, trusted: false }, context.actOf(visit), {
      by: isAdministrator(visit) ? 'host' : 'owner',
      maxOwned: MAX_APPLICATIONS,
    })
    .catch(async (error: unknown) => {
      if (error instanceof OwnershipError && error.problem === 'too-many-clients') return 'full';
      // the same form, sent twice at the same moment
      if (
        error instanceof OAuthError &&
        error.error === 'invalid_client_metadata' &&
        (await clients.find(clientId))?.ownerId === userId
      )
        return 'registered';
      throw error;
    });
  if (created === 'registered') return redirectWithNote(visit, path, created);
  if (created === 'full') return refuse(MAX_APPLICATIONS);
  typedForms.take(req, { name: draftName(submission), userId }, now);
  res.location(path);
  // answered by the POST: the secret is in this one answer, and a 303 would put it into a session or an address
  const { clientSecret, ...client } = created;
  await renderApplication(context, visit, { client, clientSecret, status: 201 });
}

/**
 * Leads to the form for another kind of application, with what was typed so far, right or wrong. That stays in the
 * session until the application is registered, so Back, Forward and reload show it as well.
 */
export const kindForm: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  isUnlimited: true,
  async submit(context, visit) {
    const { limits, kind, values } = await readChosen(context, visit);
    // the id that the form carries, or a new one for a form of the site's own view that carries none
    const sent = textField(visit.req.body, 'submission');
    const submission = UUID.test(sent) ? sent : randomUUID();
    const value: Draft = { values, submission };
    const path = pathOfNew(context, { kind, draft: submission });
    await answerTyped(visit, { path, value, name: draftName(submission), life: DRAFT_LIFE }, () =>
      renderForm(context, visit, { ...value, kind, limits, isKindChosen: true }),
    );
  },
  async redisplay(context, visit) {
    await renderForm(context, visit, { ...(await readChosen(context, visit)), isOutOfDate: true });
  },
};

async function readChosen(context: ApplicationsContext, visit: Visit) {
  const limits = await limitsFor(context, visit);
  const kind = applicationKindOf(limits, textField(visit.req.body, 'kind'));
  const values = valuesOfKind(kind, limits, readValues(visit, context.clients.fields));
  return { limits, kind: kind?.name, values };
}
