import { randomUUID } from 'node:crypto';

import { OwnershipError } from '../../core/clients/client-owners.js';
import { textField } from '../../core/http/form-fields.js';
import { queryOf } from '../../core/http/query.js';
import { OAuthError } from '../../shared/errors.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { type AccountForm, accountPath, type Visit } from '../account-pages.js';
import { takeRefused, typedForms } from '../form-answers.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import type { ApplicationValues } from './application-fields.js';
import { clientIdOf, type FormPage, keysOf, openForm, toMetadata, UUID } from './application-form.js';
import { applicationKindOf, sentKindOf, valuesOfKind } from './application-kinds.js';
import { redirectWithNote } from './application-notes.js';
import { renderApplication } from './application-page.js';

/** Maximum number of one owner's applications. */
export const MAX_APPLICATIONS = 50;
/** Milliseconds to fill in the form. */
const DRAFT_LIFE = 60 * 60_000;

const pathOfNew = (
  { root }: ApplicationsContext,
  query: { readonly kind?: string; readonly draft?: string },
) => {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined));
  return parameters.size === 0 ? `${root}/new` : `${root}/new?${parameters.toString()}`;
};

const draftName = (submission: string) => `draft ${submission}`;

/** Registers an application. */
export const registrationForm: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  // one at a time: otherwise concurrent requests of this process would store clients beyond the quota, and remove them
  submit: (context, visit) => context.keyedMutex(visit.userId, () => register(context, visit)),
  async redisplay(context, visit) {
    const { limits, read, render } = await openForm(context, visit);
    const values = read();
    const kind = sentKindOf(limits, textField(visit.req.body, 'kind'), values);
    await render({ values, kind, isOutOfDate: true });
  },
};

async function register(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { clients } = context;
  const { req, res, now, userId } = visit;
  const submission = textField(req.body, 'submission');
  const clientId = clientIdOf(submission, userId);
  const form = await openForm(context, visit);
  const values = form.read();
  const owned = await clients.listOfOwner(userId);
  const path = accountPath(context, clientId);
  if (owned.some((client) => client.clientId === clientId))
    return redirectWithNote(visit, path, 'applications.registeredBefore');
  const problems = await form.findProblems(values);
  const refuse = (quota?: number) => {
    const kind = sentKindOf(form.limits, textField(req.body, 'kind'), values);
    return form.refuse(pathOfNew(context, { kind }), { values, submission, kind, quota, problems });
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
      // the same form, sent twice at once
      if (
        error instanceof OAuthError &&
        error.error === 'invalid_client_metadata' &&
        (await clients.find(clientId))?.ownerId === userId
      )
        return 'registered';
      throw error;
    });
  if (created === 'registered') return redirectWithNote(visit, path, 'applications.registeredBefore');
  if (created === 'full') return refuse(MAX_APPLICATIONS);
  typedForms.take(req, { name: draftName(submission), userId }, now);
  res.location(path);
  // the POST renders the secret: only this response has it, and a 303 would put it into a session or an address
  const { clientSecret, ...client } = created;
  await renderApplication(context, visit, { client, clientSecret, status: 201 });
}

/**
 * Redirects to the form for another kind of application with the values so far, valid or not. They stay in the session
 * until the application is registered, so that Back, Forward and reload keep them.
 */
export const kindForm: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  isUnlimited: true,
  /** The form of a new application: empty, refused, or with the values from before a change of kind. */
  async show(context, visit) {
    const { req, now, userId } = visit;
    const form = await openForm(context, visit);
    const query = queryOf(req);
    const name = peekParameter(query, 'kind');
    const refused = takeRefused<FormPage>(visit, pathOfNew(context, { kind: name }));
    if (refused !== undefined)
      return form.render({ ...refused, problems: await form.findProblems(refused.values) });
    const kind = applicationKindOf(form.limits, name);
    const submission = peekParameter(query, 'draft');
    const draft =
      submission === undefined
        ? undefined
        : (typedForms.peek(req, { name: draftName(submission), userId }, now) as FormPage | undefined);
    await form.render({
      submission: draft?.submission,
      isKindChosen: draft !== undefined,
      values: valuesOfKind(kind, form.limits, draft?.values),
      kind: kind?.name,
    });
  },
  async submit(context, visit) {
    const form = await openForm(context, visit);
    // the submission's id, or a new one if a site's view has none
    const sent = textField(visit.req.body, 'submission');
    const submission = UUID.test(sent) ? sent : randomUUID();
    const { kind, values } = readKind(form, visit);
    await form.refuse(
      pathOfNew(context, { kind, draft: submission }),
      { values, kind, submission, isKindChosen: true },
      { name: draftName(submission), life: DRAFT_LIFE },
    );
  },
  async redisplay(context, visit) {
    const form = await openForm(context, visit);
    await form.render({ ...readKind(form, visit), isOutOfDate: true });
  },
};

function readKind(
  { limits, read }: Awaited<ReturnType<typeof openForm>>,
  { req }: Visit,
): { readonly kind?: string; readonly values: ApplicationValues } {
  const kind = applicationKindOf(limits, textField(req.body, 'kind'));
  return { kind: kind?.name, values: valuesOfKind(kind, limits, read()) };
}
