import { isDeepStrictEqual } from 'node:util';

import { publisherProblems } from '../../core/clients/client-checks.js';
import { isOwner } from '../../core/clients/client-owners.js';
import { USAGE_LIMITS } from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { isChangedMeanwhile } from '../../core/clients/registry/update-client.js';
import { MAX_REASON_LENGTH } from '../../core/clients/status/block-reason.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import {
  type AccountForm,
  accountPath,
  noSuchPage,
  renderAccountPage,
  type Visit,
} from '../account-pages.js';
import { answerRefused, takeRefused } from '../form-answers.js';
import {
  type ApplicationsContext,
  findDeletable,
  findEditable,
  findJudged,
  findRotatable,
  findVisible,
  isAdministrator,
} from './application-access.js';
import {
  answerTyped,
  type ApplicationValues,
  authenticationOf,
  changedKeysOf,
  findProblems,
  limitsFor,
  readValues,
  toMetadata,
  valuesOf,
} from './application-form.js';
import { renderForm } from './application-form-page.js';
import { type ApplicationNote, redirectWithNote } from './application-notes.js';
import { describeUsage, newestSecretOf, renderApplication } from './application-page.js';

export async function showEditing(context: ApplicationsContext, visit: Visit): Promise<void> {
  const client = await findEditable(context, visit);
  const limits = await limitsFor(context, visit, client);
  const path = accountPath(context, client.clientId, '/edit');
  const refused = takeRefused<{ readonly values: ApplicationValues }>(visit, path);
  if (refused === undefined)
    return renderForm(context, visit, { values: valuesOf(client, context.clients.fields), limits, client });
  const values = { ...refused.values, type: client.type };
  const problems = await findProblems(context, visit, values, { limits, client });
  await renderForm(context, visit, { values, problems, limits, client });
}

export const editing: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  async submit(context, visit) {
    const { clients } = context;
    const client = await findEditable(context, visit);
    const { clientId, updatedAt } = client;
    const values = readValues(visit, clients.fields, client);
    const limits = await limitsFor(context, visit, client);
    const problems = await findProblems(context, visit, values, { limits, client });
    if (problems.length > 0)
      return answerTyped(visit, { path: accountPath(context, clientId, '/edit'), value: { values } }, () =>
        renderForm(context, visit, { values, problems, limits, client }),
      );
    // A value that the client has already does not count as said by the sender: code may have changed it since the
    // page was opened. And an owner changes what is an owner's.
    const before = client as unknown as Readonly<Record<string, unknown>>;
    const owners = new Set(clients.fields.flatMap(({ name, isOwners }) => (isOwners ? [name] : [])));
    const changes = Object.entries({
      ...Object.fromEntries(
        Object.entries(toMetadata(values, clients.fields)).filter(
          ([name, value]) => !isDeepStrictEqual(value, before[name]),
        ),
      ),
      ...changedKeysOf(values, client),
    }).filter(([name]) => owners.has(name));
    const saved = await unlessChanged(
      clients.update(clientId, Object.fromEntries(changes), context.actOf(visit), {
        by: isAdministrator(visit) ? 'host' : 'owner',
        expectedUpdatedAt: updatedAt,
      }),
    );
    if (saved === null) throw noSuchPage();
    if (saved === 'changed') return redirectWithNote(visit, accountPath(context, clientId), 'changed');
    // from keys back to a secret: it needs one
    if (
      client.type === 'confidential' &&
      authenticationOf(client) !== 'secret' &&
      values.authentication === 'secret'
    )
      return giveNewSecret(context, visit, client);
    // the owner hears of it if the change has ended an approval or a verification
    const waits = client.awaitsApprovalSince === undefined && saved.awaitsApprovalSince !== undefined;
    const isUnverified = client.verified === true && saved.verified !== true;
    const note = waits ? 'savedwaits' : isUnverified ? 'savedunverified' : 'saved';
    redirectWithNote(visit, accountPath(context, clientId), note);
  },
  async redisplay(context, visit) {
    const client = await findEditable(context, visit);
    const limits = await limitsFor(context, visit, client);
    const values = readValues(visit, context.clients.fields, client);
    await renderForm(context, visit, { values, limits, client, isOutOfDate: true });
  },
};

async function unlessChanged<T>(change: Promise<T>): Promise<T | 'changed'> {
  return change.catch((error: unknown) => {
    if (isChangedMeanwhile(error)) return 'changed';
    throw error;
  });
}

/**
 * Handles a form about a client's secrets. After a rotation since the page was shown, the secrets are others: a second
 * click would end the secret that the running application still uses, and the old secret is one that the page did not
 * show.
 */
const secretForm =
  (
    outdated: ApplicationNote,
    submit: (context: ApplicationsContext, visit: Visit, client: ClientInfo) => Promise<void>,
  ) =>
  async (context: ApplicationsContext, visit: Visit): Promise<void> => {
    const client = await findRotatable(context, visit);
    if (textField(visit.req.body, 'secret_of') !== newestSecretOf(client))
      return redirectWithNote(visit, accountPath(context, client.clientId), outdated);
    await submit(context, visit, client);
  };

/** Answered by the POST, because the secret is in it: a reload sends the form again, which makes no other secret. */
async function giveNewSecret(
  context: ApplicationsContext,
  visit: Visit,
  { clientId }: ClientInfo,
): Promise<void> {
  const rotated = await context.clients.rotateSecret(clientId, context.actOf(visit));
  if (rotated === null) throw noSuchPage();
  const { clientSecret, ...client } = rotated;
  await renderApplication(context, visit, { client, clientSecret });
}

export const rotateSecret = secretForm('rotated', giveNewSecret);

export const endOldSecret = secretForm('changed', async (context, visit, { clientId, secrets }) => {
  if (secrets.length > 1) await context.clients.revokeOldSecrets(clientId, context.actOf(visit));
  redirectWithNote(visit, accountPath(context, clientId), 'ended');
});

/** Says, or takes back, that the site has checked who is behind a client, and who that is. */
export async function verify(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { clients } = context;
  const body: unknown = visit.req.body;
  const client = await findJudged(context, visit);
  const { clientId, updatedAt, verified: wasVerified = false, publisher } = client;
  const answer = (note: ApplicationNote) => redirectWithNote(visit, accountPath(context, clientId), note);
  const verified = textField(body, 'verified') === 'true';
  // only what was looked at is vouched for
  if (verified && textField(body, 'seen') !== updatedAt.toISOString()) return answer('changed');
  // a form without the field, as one of a site's own view may be, leaves the publisher as it is
  const changes =
    verified && hasField(body, 'publisher')
      ? { verified, publisher: textField(body, 'publisher').trim() || undefined }
      : { verified };
  if (verified && publisherProblems({ ...client, ...changes }).length > 0) return answer('publisherrefused');
  if (!isDeepStrictEqual({ verified: wasVerified, publisher }, { publisher, ...changes })) {
    const expected = verified ? { expectedUpdatedAt: updatedAt } : {};
    const change = clients.update(clientId, changes, context.actOf(visit), expected);
    if ((await unlessChanged(change)) === 'changed') return answer('changed');
  }
  answer(!verified ? 'unverified' : wasVerified ? 'saved' : 'verified');
}

/** Ends all that a client can do, and keeps what users have granted it. */
export async function block(context: ApplicationsContext, visit: Visit): Promise<void> {
  const { clientId } = await findJudged(context, visit);
  // one line of readable text, no longer than the field allows
  const reason = textField(visit.req.body, 'reason')
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH);
  // a block is meant for whatever the client has become by now: nothing to look at again
  await context.clients.block(clientId, context.actOf(visit), { reason });
  redirectWithNote(visit, accountPath(context, clientId), 'blocked');
}

/** Clears a client as it was looked at. A form that was sent twice has done what it was for. */
const clearing =
  (change: 'unblock' | 'approve', note: ApplicationNote, isDone: (client: ClientInfo) => boolean) =>
  async (context: ApplicationsContext, visit: Visit): Promise<void> => {
    const client = await findJudged(context, visit);
    const { clientId, updatedAt } = client;
    const isSeen = textField(visit.req.body, 'seen') === updatedAt.toISOString();
    const expected = isDone(client) ? {} : { expectedUpdatedAt: updatedAt };
    const changed =
      isSeen || isDone(client)
        ? await unlessChanged(context.clients[change](clientId, context.actOf(visit), expected))
        : 'changed';
    redirectWithNote(visit, accountPath(context, clientId), changed === 'changed' ? 'changed' : note);
  };

export const unblock = clearing('unblock', 'unblocked', ({ blocked }) => blocked === undefined);
/** Lets everybody authorize a client that waited for approval. */
export const approve = clearing('approve', 'approved', (client) => client.awaitsApprovalSince === undefined);

/** Asks whether to end something of an application, and says how many users would notice. */
async function renderQuestion(
  context: ApplicationsContext,
  visit: Visit,
  client: ClientInfo,
  question: { readonly name: 'delete' | 'disconnect'; readonly isUnconfirmed?: boolean },
): Promise<void> {
  const { name, isUnconfirmed } = question;
  const usage = await context.directory.usageOf([client], USAGE_LIMITS.ofOne);
  await renderAccountPage(context, visit, {
    view: `application-${name}`,
    isOutOfDate: visit.req.method === 'POST' && isUnconfirmed !== true,
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

/** Asks first: everybody has to allow it again afterwards. */
export async function confirmDisconnection(context: ApplicationsContext, visit: Visit): Promise<void> {
  await renderQuestion(context, visit, await findVisible(context, visit), { name: 'disconnect' });
}

/** Anybody who may delete a client may do this: it ends less. A second click finds nothing to end. */
export const disconnection: AccountForm<ApplicationsContext> = {
  async submit(context, visit) {
    const client = await findVisible(context, visit);
    const { clientId } = client;
    const reason = isOwner(client, visit.userId) ? 'owner' : 'host';
    await context.grantsFor(visit.req).revoke({ clientId }, reason);
    redirectWithNote(visit, accountPath(context, clientId), 'disconnected');
  },
  redisplay: confirmDisconnection,
};

/** What is kept of the form to delete an application; what was typed to confirm is not shown again. */
const UNCONFIRMED = 'unconfirmed';

export async function confirmDeletion(context: ApplicationsContext, visit: Visit): Promise<void> {
  const client = await findDeletable(context, visit);
  const path = accountPath(context, client.clientId, '/delete');
  await renderQuestion(context, visit, client, {
    name: 'delete',
    isUnconfirmed: takeRefused(visit, path) === UNCONFIRMED,
  });
}

export const deletion: AccountForm<ApplicationsContext> = {
  survivesLogout: true,
  async submit(context, visit) {
    const { clients, root } = context;
    const { session, body } = visit.req as unknown as {
      readonly session: { oauthDeletedApplication?: string };
      readonly body: unknown;
    };
    if (session.oauthDeletedApplication === visit.id) return redirectWithNote(visit, root, 'deletedbefore');
    const client = await findDeletable(context, visit);
    const { clientId, name } = client;
    // the name as a user types it; the client id is for names that are hard to type
    const plain = (text: string) => text.normalize('NFKC').replace(/ +/g, ' ').replace(/^ | $/g, '');
    if (![plain(name), clientId].includes(plain(textField(body, 'confirmation'))))
      return answerRefused(
        visit,
        { path: accountPath(context, clientId, '/delete'), value: UNCONFIRMED },
        () => renderQuestion(context, visit, client, { name: 'delete', isUnconfirmed: true }),
      );
    await clients.delete(clientId, context.actOf(visit));
    // so that a second click is told that it worked, and not that there is no such page
    session.oauthDeletedApplication = clientId;
    redirectWithNote(visit, root, 'deleted');
  },
  redisplay: confirmDeletion,
};
