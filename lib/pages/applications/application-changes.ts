import { isDeepStrictEqual } from 'node:util';

import type { ClientMetadata } from '../../core/clients/client.js';
import { publisherProblems } from '../../core/clients/client-checks.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { USAGE_LIMITS } from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { isChangedMeanwhile } from '../../core/clients/registry/update-client.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import type { PageHandler } from '../form-handler.js';
import type { RefusedInvitation } from '../owners/describe-owners.js';
import { REFUSED_STATUS, takeRefused } from '../refused-forms.js';
import {
  findDeletable,
  findEditable,
  findVisible,
  notFound,
  rightsOver,
  viewerOf,
} from './application-access.js';
import { type ApplicationValues, authenticationOf, changedKeysOf } from './application-authentication.js';
import { readValues, toMetadata, valuesOf } from './application-form.js';
import { type ApplicationNote, consumeNote, redirectWithNote } from './application-notes.js';
import { giveNewSecret } from './application-secrets.js';
import type { ApplicationsContext } from './applications-context.js';
import { peopleOf } from './disconnect-everyone.js';
import { formLimitsFor, problemsOf } from './form-limits.js';
import {
  answerDeletion,
  answerRefusedForm,
  answerUnconfirmed,
  editForm,
  takeRefusedForm,
} from './refused-application.js';

export function redisplayChanges({ clients, pages }: ApplicationsContext): PageHandler {
  return async (req, res) => {
    const client = await findEditable(clients, req);
    const limits = await formLimitsFor(req, clients, client);
    const values = { ...readValues(req.body, clients.fields), type: client.type };
    await pages.form(req, res, { values, limits, client, isOutOfDate: true });
  };
}

export function redisplayRemoval({ clients, directory, pages }: ApplicationsContext): PageHandler {
  return async (req, res) => {
    const client = await findDeletable(clients, req);
    await pages.deletion(req, res, { client, people: await peopleOf(directory, client), isOutOfDate: true });
  };
}

export function show({ clients, directory, clientFailures, pages }: ApplicationsContext): PageHandler {
  return async (req, res, now) => {
    const client = await findVisible(clients, req);
    const [byClient, failures] = await Promise.all([
      directory.usageOf([client], USAGE_LIMITS.ofOne),
      clientFailures?.of(client.clientId, now),
    ]);
    const form = { path: pages.pathOf(client.clientId), userId: viewerOf(req).ownerId };
    const done = consumeNote(req, form.path, now);
    const refusedInvitation = takeRefused<RefusedInvitation>(req, form, now);
    const status = refusedInvitation === undefined ? 200 : REFUSED_STATUS;
    const usage = { now, byClient };
    await pages.details(req, res, { client, now, usage, failures, done, refusedInvitation, status });
  };
}

export function edit({ clients, pages }: ApplicationsContext): PageHandler {
  return async (req, res, now) => {
    const client = await findEditable(clients, req);
    const limits = await formLimitsFor(req, clients, client);
    const refused = takeRefusedForm(req, editForm(pages, client, req), now);
    if (refused === undefined)
      return pages.form(req, res, { values: valuesOf(client, clients.fields), limits, client });
    const values = { ...refused.values, type: client.type };
    const problems = await problemsOf(values, limits, { req, clients, client });
    await pages.form(req, res, { values, problems, limits, client });
  };
}

export function save(context: ApplicationsContext): PageHandler {
  const { clients, actOf, pages } = context;
  return async (req, res, now) => {
    const client = await findEditable(clients, req);
    const values = { ...readValues(req.body, clients.fields), type: client.type };
    const limits = await formLimitsFor(req, clients, client);
    const problems = await problemsOf(values, limits, { req, clients, client });
    if (problems.length > 0)
      return answerRefusedForm({ req, res, now }, { ...editForm(pages, client, req), values }, () =>
        pages.form(req, res, { values, problems, limits, client }),
      );
    const { isAdministrator } = viewerOf(req);
    const changes = changesOf(values, client, clients.fields);
    const by = isAdministrator ? 'host' : 'owner';
    const saved = await unlessChanged(
      clients.update(client.clientId, changes, actOf(req, now), { by, expectedUpdatedAt: client.updatedAt }),
    );
    if (saved === 'changed')
      return redirectWithNote({ req, res, now }, pages.pathOf(client.clientId), 'changed');
    if (saved === null) throw notFound();
    // from keys back to a secret: it needs one
    if (
      client.type === 'confidential' &&
      authenticationOf(client) !== 'secret' &&
      values.authentication === 'secret'
    )
      return giveNewSecret(context, client, { req, res, now });
    redirectWithNote({ req, res, now }, pages.pathOf(client.clientId), savedAs(client, saved));
  };
}

/**
 * What a form changes of a client. A value that the client has already does not count as said by the sender: code may
 * have changed it since the page was opened.
 */
function changesOf(
  values: ApplicationValues,
  client: ClientInfo,
  fields: readonly ClientField[],
): Partial<ClientMetadata> {
  const metadata = toMetadata(values, fields);
  const before = client as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(metadata).filter(([name, value]) => !isDeepStrictEqual(value, before[name]));
  return pickOwners({ ...Object.fromEntries(changed), ...changedKeysOf(values, client) }, fields);
}

/** What the page says after a change: the owner hears of it if the change has ended an approval or a verification. */
function savedAs(before: ClientInfo, saved: ClientInfo): ApplicationNote {
  if (before.awaitsApprovalSince === undefined && saved.awaitsApprovalSince !== undefined)
    return 'savedwaits';
  return before.verified === true && saved.verified !== true ? 'savedunverified' : 'saved';
}

export async function unlessChanged<T>(change: Promise<T>): Promise<T | 'changed'> {
  return change.catch((error: unknown) => {
    if (isChangedMeanwhile(error)) return 'changed';
    throw error;
  });
}

/** The part of a form's metadata that the owner of a client may change. */
function pickOwners(
  metadata: Partial<ClientMetadata>,
  fields: readonly ClientField[],
): Partial<ClientMetadata> {
  const owners = fields.filter(({ isOwners }) => isOwners).map(({ name }) => name);
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => owners.includes(name)));
}

/** Says, or takes back, that the site has checked who is behind a client, and who that is. */
export function verify({ clients, actOf, pages }: ApplicationsContext): PageHandler {
  return async (req, res, now) => {
    const client = await findVisible(clients, req);
    const { clientId, updatedAt } = client;
    if (!rightsOver(client, viewerOf(req)).canVerify) throw notFound();
    const answer = (note: ApplicationNote) =>
      redirectWithNote({ req, res, now }, pages.pathOf(clientId), note);
    const verified = textField(req.body, 'verified') === 'true';
    // only what was looked at is vouched for
    if (verified && textField(req.body, 'seen') !== updatedAt.toISOString()) return answer('changed');
    const changes = { verified, ...(verified && publisherIn(req.body)) };
    if (verified && publisherProblems({ ...client, ...changes }).length > 0)
      return answer('publisherrefused');
    if (!isSaidAlready(client, changes)) {
      const expectedUpdatedAt = verified ? { expectedUpdatedAt: updatedAt } : {};
      const change = clients.update(clientId, changes, actOf(req, now), expectedUpdatedAt);
      if ((await unlessChanged(change)) === 'changed') return answer('changed');
    }
    answer(noteOfVerification(client, verified));
  };
}

function isSaidAlready({ verified = false, publisher }: ClientInfo, changes: object): boolean {
  return isDeepStrictEqual({ verified, publisher }, { publisher, ...changes });
}

function noteOfVerification({ verified: was }: ClientInfo, verified: boolean): ApplicationNote {
  if (!verified) return 'unverified';
  return was === true ? 'saved' : 'verified';
}

/** A form without the field, as one of a site's own view may be, leaves the publisher as it is. */
function publisherIn(body: unknown): { readonly publisher?: string | undefined } {
  return hasField(body, 'publisher') ? { publisher: textField(body, 'publisher').trim() || undefined } : {};
}

export function confirmDelete(context: ApplicationsContext): PageHandler {
  return async (req, res, now) =>
    answerDeletion(context, { req, res, now }, await findDeletable(context.clients, req));
}

export function remove(context: ApplicationsContext): PageHandler {
  const { clients, actOf, pages } = context;
  return async (req, res, now) => {
    const { session } = req as unknown as { session: { oauthDeletedApplication?: string } };
    if (session.oauthDeletedApplication === String(req.params.clientId))
      return redirectWithNote({ req, res, now }, pages.root, 'deletedbefore');
    const client = await findDeletable(clients, req);
    if (!isConfirmed(textField(req.body, 'confirmation'), client))
      return answerUnconfirmed(context, { req, res, now }, client);
    await clients.delete(client.clientId, actOf(req, now));
    // so that a second click is told that it worked, and not that there is no such page
    session.oauthDeletedApplication = client.clientId;
    redirectWithNote({ req, res, now }, pages.root, 'deleted');
  };
}

/** The name as a user types it; the client id is for names that are hard to type. */
function isConfirmed(typed: string, { name, clientId }: ClientInfo): boolean {
  const plain = (text: string) => text.normalize('NFKC').replace(/ +/g, ' ').replace(/^ | $/g, '');
  return [plain(name), clientId].includes(plain(typed));
}
