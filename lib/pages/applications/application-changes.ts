import { isDeepStrictEqual } from 'node:util';

import { publisherProblem } from '../../core/clients/client-checks.js';
import { isOwner } from '../../core/clients/client-owners.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { MAX_REASON_LENGTH } from '../../core/clients/status/block-reason.js';
import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import { emitFor } from '../../core/observability/events.js';
import { OAuthError } from '../../shared/errors.js';
import {
  type AccountForm,
  accountPath,
  noSuchPage,
  renderAccountPage,
  type Visit,
} from '../account-pages.js';
import { answerRefused, lineField, takeRefused } from '../form-answers.js';
import { type ApplicationsContext, findClient, isAdministrator, type Right } from './application-access.js';
import type { ApplicationValues } from './application-fields.js';
import { authenticationOf, changedKeysOf, openForm, toMetadata, valuesOf } from './application-form.js';
import { type ApplicationNote, redirectWithNote } from './application-notes.js';
import { newestSecretOf, renderApplication } from './application-page.js';
import { describeUsage, USAGE_LIMITS, usageOf } from './application-usage.js';

/**
 * Handles a form about one client. The client's page then shows the result of `submit` once; undefined if `submit` has
 * responded.
 */
const change =
  (
    right: Right | undefined,
    submit: (
      context: ApplicationsContext,
      visit: Visit,
      client: ClientInfo,
    ) => Promise<ApplicationNote | undefined>,
  ) =>
  async (context: ApplicationsContext, visit: Visit): Promise<void> => {
    const client = await findClient(context, visit, right);
    const done = await submit(context, visit, client);
    if (done !== undefined) redirectWithNote(visit, accountPath(context, client.clientId), done);
  };

const CHANGED = 'applications.changedMeanwhile';

async function unlessChanged<T>(update: Promise<T>): Promise<T | typeof CHANGED> {
  return update.catch((error: unknown) => {
    if (error instanceof OAuthError && error.status === 409) return CHANGED;
    throw error;
  });
}

/** The form has the values of the client, refused values, or those of a form from another session. */
export const editing: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  async show(context, visit) {
    const client = await findClient(context, visit, 'canEdit');
    const form = await openForm(context, visit, client);
    if (visit.req.method === 'POST') return form.render({ values: form.read(), isOutOfDate: true });
    const path = accountPath(context, client.clientId, '/edit');
    const refused = takeRefused<{ readonly values: ApplicationValues }>(visit, path);
    if (refused === undefined) return form.render({ values: valuesOf(client, context.clients.fields) });
    const values = { ...refused.values, type: client.type };
    await form.render({ values, problems: await form.findProblems(values) });
  },
  submit: change('canEdit', async (context, visit, client) => {
    const { clients } = context;
    const { clientId, updatedAt } = client;
    const form = await openForm(context, visit, client);
    const values = form.read();
    const problems = await form.findProblems(values);
    if (problems.length > 0) {
      await form.refuse(accountPath(context, clientId, '/edit'), { values, problems });
      return undefined;
    }
    // Ignores values that the client already has: code may have changed the client since the page was opened. An owner
    // can only change the owner's fields.
    const before = client as unknown as Readonly<Record<string, unknown>>;
    const typed = Object.entries(toMetadata(values, clients.fields)).filter(
      ([name, value]) => !isDeepStrictEqual(value, before[name]),
    );
    const changes = [...typed, ...Object.entries(changedKeysOf(values, client))].filter(([changed]) =>
      clients.fields.some(({ name, isOwners }) => name === changed && isOwners),
    );
    const saved = await unlessChanged(
      clients.update(clientId, Object.fromEntries(changes), context.actOf(visit), {
        by: isAdministrator(visit) ? 'host' : 'owner',
        expectedUpdatedAt: updatedAt,
      }),
    );
    if (saved === null) throw noSuchPage();
    if (saved === CHANGED) return CHANGED;
    // the client switches from keys back to a secret, and gets a new one
    const hadKeys = client.type === 'confidential' && authenticationOf(client) !== 'secret';
    if (hadKeys && values.authentication === 'secret') return giveNewSecret(context, visit, client);
    // the note says whether the change has ended an approval or a verification
    if (client.awaitsApprovalSince === undefined && saved.awaitsApprovalSince !== undefined)
      return 'applications.savedWaits';
    return client.verified === true && saved.verified !== true
      ? 'applications.savedUnverified'
      : 'applications.saved';
  }),
};

/** The POST renders the secret. A reload sends the form again, which makes no other secret. */
async function giveNewSecret(context: ApplicationsContext, visit: Visit, { clientId }: ClientInfo) {
  const rotated = await context.clients.rotateSecret(clientId, context.actOf(visit));
  if (rotated === null) throw noSuchPage();
  const { clientSecret, ...client } = rotated;
  await renderApplication(context, visit, { client, clientSecret });
  return undefined;
}

/**
 * Whether the secret was rotated since the page was displayed: a second click would end the secret that the running
 * application still uses.
 */
const isOutdated = ({ req }: Visit, client: ClientInfo) =>
  textField(req.body, 'secret_of') !== newestSecretOf(client);

/** Whether the client is unchanged since the administrator saw it. */
const isAsSeen = ({ req }: Visit, { updatedAt }: ClientInfo) =>
  textField(req.body, 'seen') === updatedAt.toISOString();

export const rotateSecret = change('canRotate', async (context, visit, client) =>
  isOutdated(visit, client) ? 'applications.rotatedBefore' : giveNewSecret(context, visit, client),
);

export const endOldSecret = change('canRotate', async (context, visit, client) => {
  if (isOutdated(visit, client)) return CHANGED;
  if (client.secrets.length > 1)
    await context.clients.revokeOldSecrets(client.clientId, context.actOf(visit));
  return 'applications.oldSecretEnded';
});

/** Marks a client as verified or not, with its publisher. */
export const verify = change('canVerify', async (context, visit, client) => {
  const body: unknown = visit.req.body;
  const { clientId, updatedAt, verified: wasVerified = false, publisher } = client;
  const verified = textField(body, 'verified') === 'true';
  // an administrator verifies only the state that they have seen
  if (verified && !isAsSeen(visit, client)) return CHANGED;
  // a form without the field, as a site's view may have, keeps the publisher
  const changes =
    verified && hasField(body, 'publisher')
      ? { verified, publisher: textField(body, 'publisher').trim() || undefined }
      : { verified };
  if (verified && publisherProblem({ ...client, ...changes }) !== undefined)
    return 'applications.publisherRefused';
  if (!isDeepStrictEqual({ verified: wasVerified, publisher }, { publisher, ...changes })) {
    const expected = { expectedUpdatedAt: verified ? updatedAt : undefined };
    const update = context.clients.update(clientId, changes, context.actOf(visit), expected);
    if ((await unlessChanged(update)) === CHANGED) return CHANGED;
  }
  if (!verified) return 'applications.nowUnverified';
  return wasVerified ? 'applications.saved' : 'applications.nowVerified';
});

/** Blocks a client, and keeps the grants of its users. */
export const block = change('canBlock', async (context, visit, { clientId }) => {
  const reason = lineField(visit.req.body, 'reason').slice(0, MAX_REASON_LENGTH);
  // no check for changes: a block applies to any state of the client
  await context.clients.block(clientId, context.actOf(visit), { reason });
  return 'applications.nowBlocked';
});

/** Unblocks or approves a client, as the administrator has seen it. */
export const clear = (step: 'unblock' | 'approve') =>
  change('canBlock', async (context, visit, client) => {
    // the same form, sent twice
    const isDone = (step === 'unblock' ? client.blocked : client.awaitsApprovalSince) === undefined;
    if (!isDone && !isAsSeen(visit, client)) return CHANGED;
    const expected = { expectedUpdatedAt: isDone ? undefined : client.updatedAt };
    const cleared = context.clients[step](client.clientId, context.actOf(visit), expected);
    if ((await unlessChanged(cleared)) === CHANGED) return CHANGED;
    return step === 'unblock' ? 'applications.nowUnblocked' : 'applications.nowApproved';
  });

/** Stored when the confirmation to delete an application is wrong; the input itself is not. */
const UNCONFIRMED = 'unconfirmed';

/** Asks for confirmation to end access or delete an application, with the number of affected users. */
async function ask(
  context: ApplicationsContext,
  visit: Visit,
  name: 'delete' | 'disconnect',
  isUnconfirmed = takeRefused(visit, accountPath(context, visit.id, `/${name}`)) === UNCONFIRMED,
): Promise<void> {
  const client = await findClient(context, visit, name === 'delete' ? 'canDelete' : undefined);
  const usage = await usageOf(context.models, [client], USAGE_LIMITS.ofOne);
  await renderAccountPage(context, visit, {
    view: `application-${name}`,
    isOutOfDate: visit.req.method === 'POST' && !isUnconfirmed,
    isRefused: isUnconfirmed,
    locals: (translator) => ({
      title: translator.text(`application.${name}Heading`, { client: client.name }),
      client,
      people: describeUsage(usage, client, visit.now, translator).people,
      isUnconfirmed,
      action: accountPath(context, client.clientId, `/${name}`),
      back: accountPath(context, client.clientId),
    }),
  });
}

/**
 * Ends all grants of an application, whose users may allow it again. The right to delete the client includes it,
 * because it ends less. A second click has no effect.
 */
export const disconnection: AccountForm<ApplicationsContext> = {
  show: (context, visit) => ask(context, visit, 'disconnect'),
  submit: change(undefined, async ({ models, events }, visit, client) => {
    const reason = isOwner(client, visit.userId) ? 'owner' : 'host';
    const grants = createGrantRevocation(models, emitFor(events, visit.req));
    await grants.revoke({ clientId: client.clientId }, reason);
    return 'applications.everyoneDisconnected';
  }),
};

export const deletion: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  show: (context, visit) => ask(context, visit, 'delete'),
  async submit(context, visit) {
    const { clients, root } = context;
    const { session, body } = visit.req as unknown as {
      readonly session: { oauthDeletedApplication?: string };
      readonly body: unknown;
    };
    if (session.oauthDeletedApplication === visit.id)
      return redirectWithNote(visit, root, 'applications.deletedBefore');
    const { clientId, name } = await findClient(context, visit, 'canDelete');
    // the name as a user types it; the client id serves names that are hard to type
    const plain = (text: string) => text.normalize('NFKC').replace(/ +/g, ' ').replace(/^ | $/g, '');
    if (![plain(name), clientId].includes(plain(textField(body, 'confirmation'))))
      return answerRefused(
        visit,
        { path: accountPath(context, clientId, '/delete'), value: UNCONFIRMED },
        () => ask(context, visit, 'delete', true),
      );
    await clients.delete(clientId, context.actOf(visit));
    // a second click then reports success instead of a missing page
    session.oauthDeletedApplication = clientId;
    redirectWithNote(visit, root, 'applications.deleted');
  },
};
