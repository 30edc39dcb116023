import { isDeepStrictEqual } from 'node:util';

import type { Request, Response } from 'express';

import type { Act } from '../../clients/act.js';
import { isAnother, isChangedMeanwhile } from '../../clients/change-client.js';
import type { ClientMetadata } from '../../clients/client.js';
import { type ClientDirectory, USAGE_LIMITS } from '../../clients/client-directory.js';
import type { ClientFailures } from '../../clients/client-failures.js';
import type { ClientField, RegistrationLimits } from '../../clients/client-field.js';
import type { ClientInfo } from '../../clients/client-info.js';
import type { ClientOperations } from '../../clients/client-operations.js';
import type { ClientWithSecret } from '../../clients/client-registry.js';
import { keepingOwn } from '../../clients/kept-limits.js';
import { OAuthError } from '../../errors.js';
import { textField } from '../../http/form-fields.js';
import type { Asked } from '../../http/handle.js';
import { seeOther } from '../../http/redirect.js';
import { createOneAtATime } from '../../limits/keyed-mutex.js';
import type { Settings } from '../../settings/settings.js';
import { withNote } from '../note.js';
import { REFUSED_STATUS, takeRefused } from '../refused-forms.js';
import { saysUnchecked } from './application-about.js';
import {
  findDeletable,
  findEditable,
  findRotatable,
  findVisible,
  notFound,
  rightsOver,
  viewerOf,
} from './application-access.js';
import { authenticationOf, changedKeysOf, keysOf } from './application-authentication.js';
import {
  clientIdOf,
  emptyValues,
  findProblems,
  readValues,
  toMetadata,
  valuesOf,
} from './application-form.js';
import type { ApplicationPages } from './application-pages.js';
import type { ApplicationValues } from './application-values.js';
import { newestSecretOf } from './describe-application.js';
import type { RefusedInvitation } from './describe-owners.js';
import { peopleOf } from './disconnect-everyone.js';
import {
  answerDeletion,
  answerRefusedForm,
  answerUnconfirmed,
  editForm,
  newForm,
  takeRefusedForm,
} from './refused-application.js';

/** What the handlers of the applications pages work with. */
export interface ApplicationsContext {
  readonly settings: Settings;
  readonly clients: ClientOperations;
  readonly directory: ClientDirectory;
  /** Why clients were refused lately; undefined if that is not counted. */
  readonly clientFailures: Pick<ClientFailures, 'of'> | undefined;
  /** The time of a request's changes, and where their events go. */
  readonly actOf: (req: Request, now: Date) => Act;
  readonly pages: ApplicationPages;
}

export type Handler = (req: Request, res: Response, now: Date) => Promise<void>;
/** Shows a form once more; nothing is done. */
export type ShowAgain = Handler;

/** In one process; with two, each can exceed it by one. */
export const MAX_APPLICATIONS = 50;

export function register(context: ApplicationsContext): Handler {
  const oneAtATime = createOneAtATime();
  // counted and stored in turn: several sent at once must not all be the last one that is allowed
  return (req, res, now) => oneAtATime(viewerOf(req).ownerId, () => registerOne(context, { req, res, now }));
}

async function registerOne(
  { clients, actOf, pages }: ApplicationsContext,
  { req, res, now }: Asked,
): Promise<void> {
  const { ownerId } = viewerOf(req);
  const submission = textField(req.body, 'submission');
  const clientId = clientIdOf(submission, ownerId);
  const values = readValues(req.body);
  const owned = await clients.listOfOwner(ownerId);
  const isRepeated = () => seeOther(res, withNote(pages.pathOf(clientId), 'registered'));
  if (owned.some((client) => client.clientId === clientId)) return isRepeated();
  const limits = await limitsFor(req, clients);
  const problems = findProblems(values, limits);
  const quota = owned.length >= MAX_APPLICATIONS ? { quota: MAX_APPLICATIONS } : {};
  if (problems.length > 0 || quota.quota !== undefined)
    return answerRefusedForm(
      { req, res, now },
      { ...newForm(pages, req), values, submission, ...quota },
      () => pages.form(req, res, { values, problems, limits, submission, ...quota }),
    );
  const client = await clients
    .create(
      { ...toMetadata(values), ...keysOf(values), clientId, ownerId, trusted: false },
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
  res.location(pages.pathOf(clientId));
  // answered by the POST: the secret is in this one answer, and a 303 would put it into a session or an address
  await pages.details(req, res, { ...withoutSecret(client), now, status: 201 });
}

/** Shows the form of another session as it was filled in: nothing is done, and nothing is put into this session. */
export function registerAgain({ clients, pages }: ApplicationsContext): ShowAgain {
  return async (req, res) => {
    const limits = await limitsFor(req, clients);
    await pages.form(req, res, { values: readValues(req.body), limits, isOutOfDate: true });
  };
}

export function saveAgain({ clients, pages }: ApplicationsContext): ShowAgain {
  return async (req, res) => {
    const client = await findEditable(clients, req);
    const limits = await limitsFor(req, clients, client);
    const values = { ...readValues(req.body), type: client.type };
    await pages.form(req, res, { values, limits, client, isOutOfDate: true });
  };
}

export function removeAgain({ clients, directory, pages }: ApplicationsContext): ShowAgain {
  return async (req, res) => {
    const client = await findDeletable(clients, req);
    await pages.deletion(req, res, { client, people: await peopleOf(directory, client), isOutOfDate: true });
  };
}

export function create({ clients, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const limits = await limitsFor(req, clients);
    const refused = takeRefusedForm(req, newForm(pages, req), now);
    if (refused === undefined) return pages.form(req, res, { values: emptyValues(), limits });
    await pages.form(req, res, { ...refused, problems: findProblems(refused.values, limits), limits });
  };
}

export function show({ clients, directory, clientFailures, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const client = await findVisible(clients, req);
    const [byClient, failures] = await Promise.all([
      directory.usageOf([client], USAGE_LIMITS.ofOne),
      clientFailures?.of(client.clientId, now),
    ]);
    const form = { path: pages.pathOf(client.clientId), userId: viewerOf(req).ownerId };
    const refusedInvitation = takeRefused<RefusedInvitation>(req, form, now);
    const status = refusedInvitation === undefined ? 200 : REFUSED_STATUS;
    const usage = { now, byClient };
    await pages.details(req, res, { client, now, usage, failures, refusedInvitation, status });
  };
}

export function edit({ clients, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const client = await findEditable(clients, req);
    const limits = await limitsFor(req, clients, client);
    const refused = takeRefusedForm(req, editForm(pages, client, req), now);
    if (refused === undefined) return pages.form(req, res, { values: valuesOf(client), limits, client });
    const values = { ...refused.values, type: client.type };
    await pages.form(req, res, { values, problems: findProblems(values, limits), limits, client });
  };
}

export function save(context: ApplicationsContext): Handler {
  const { clients, actOf, pages } = context;
  return async (req, res, now) => {
    const client = await findEditable(clients, req);
    const values = { ...readValues(req.body), type: client.type };
    const limits = await limitsFor(req, clients, client);
    const problems = findProblems(values, limits);
    if (problems.length > 0)
      return answerRefusedForm({ req, res, now }, { ...editForm(pages, client, req), values }, () =>
        pages.form(req, res, { values, problems, limits, client }),
      );
    const { isAdministrator } = viewerOf(req);
    const changes = changesOf(values, client, { isAdministrator, fields: clients.fields });
    const by = isAdministrator ? 'host' : 'owner';
    const saved = await unlessChanged(
      clients.update(client.clientId, changes, actOf(req, now), { by, seen: client.updatedAt }),
    );
    if (saved === 'changed') return seeOther(res, withNote(pages.pathOf(client.clientId), 'changed'));
    if (saved === null) throw notFound();
    // from keys back to a secret: it needs one
    if (
      client.type === 'confidential' &&
      authenticationOf(client) !== 'secret' &&
      values.authentication === 'secret'
    )
      return giveNewSecret(context, client, { req, res, now });
    seeOther(res, withNote(pages.pathOf(client.clientId), 'saved'));
  };
}

/** The limits that a form is checked against: administrators speak for the host. */
async function limitsFor(
  req: Request,
  clients: ClientOperations,
  client?: ClientInfo,
): Promise<RegistrationLimits> {
  const limits = viewerOf(req).isAdministrator
    ? clients.limits
    : await clients.ownerLimitsOf(client?.clientId);
  return client === undefined ? limits : keepingOwn(limits, client);
}

/**
 * What a form changes of a client. A value that the client has already does not count as said by the sender: code may
 * have changed it since the page was opened.
 */
function changesOf(
  values: ApplicationValues,
  client: ClientInfo,
  { isAdministrator, fields }: { readonly isAdministrator: boolean; readonly fields: readonly ClientField[] },
): Partial<ClientMetadata> {
  const metadata = toMetadata(values);
  const before = client as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(metadata).filter(([name, value]) => !isDeepStrictEqual(value, before[name]));
  // what the site has checked is this name with these redirect URIs, and what was said of it then
  const isUnverified =
    client.verified === true &&
    !isAdministrator &&
    (isAnother(client, { ...client, ...metadata }) || saysUnchecked(client, metadata, metadata.redirectUris));
  return {
    ...pickOwners({ ...Object.fromEntries(changed), ...changedKeysOf(values, client) }, fields),
    ...(isUnverified && { verified: false }),
  };
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

export function rotateSecret(context: ApplicationsContext): Handler {
  const { clients, pages } = context;
  return async (req, res, now) => {
    const client = await findRotatable(clients, req);
    // a second click would end the secret that the running application still uses
    if (textField(req.body, 'secret_of') !== newestSecretOf(client))
      return seeOther(res, withNote(pages.pathOf(client.clientId), 'rotated'));
    await giveNewSecret(context, client, { req, res, now });
  };
}

/** Answered by the POST, because the secret is in it: a reload sends the form again, which makes no other secret. */
async function giveNewSecret(
  { clients, actOf, pages }: ApplicationsContext,
  { clientId }: ClientInfo,
  { req, res, now }: Asked,
): Promise<void> {
  const rotated = await clients.rotateSecret(clientId, actOf(req, now));
  if (rotated === null) throw notFound();
  await pages.details(req, res, { ...withoutSecret(rotated), now });
}

export function endOldSecret({ clients, actOf, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const client = await findRotatable(clients, req);
    // after a rotation since the page was opened, the old secret is another one, which the page did not show
    if (textField(req.body, 'secret_of') !== newestSecretOf(client))
      return seeOther(res, withNote(pages.pathOf(client.clientId), 'changed'));
    if (client.secrets.length > 1) await clients.endOldSecrets(client.clientId, actOf(req, now));
    seeOther(res, withNote(pages.pathOf(client.clientId), 'ended'));
  };
}

/** Says, or takes back, that the site has checked who is behind a client. */
export function verify({ clients, actOf, pages }: ApplicationsContext): Handler {
  return async (req, res, now) => {
    const client = await findVisible(clients, req);
    if (!rightsOver(client, viewerOf(req)).canVerify) throw notFound();
    const verified = textField(req.body, 'verified') === 'true';
    // only what was looked at is vouched for
    if (verified && textField(req.body, 'seen') !== client.updatedAt.toISOString())
      return seeOther(res, withNote(pages.pathOf(client.clientId), 'changed'));
    if (verified !== (client.verified ?? false)) {
      const seen = verified ? { seen: client.updatedAt } : {};
      const change = clients.update(client.clientId, { verified }, actOf(req, now), seen);
      if ((await unlessChanged(change)) === 'changed')
        return seeOther(res, withNote(pages.pathOf(client.clientId), 'changed'));
    }
    seeOther(res, withNote(pages.pathOf(client.clientId), verified ? 'verified' : 'unverified'));
  };
}

export function confirmDelete(context: ApplicationsContext): Handler {
  return async (req, res, now) =>
    answerDeletion(context, { req, res, now }, await findDeletable(context.clients, req));
}

export function remove(context: ApplicationsContext): Handler {
  const { clients, actOf, pages } = context;
  return async (req, res, now) => {
    const { session } = req as unknown as { session: { deletedApplication?: string } };
    if (session.deletedApplication === String(req.params.clientId))
      return seeOther(res, withNote(pages.root, 'deletedbefore'));
    const client = await findDeletable(clients, req);
    if (!isConfirmed(textField(req.body, 'confirmation'), client))
      return answerUnconfirmed(context, { req, res, now }, client);
    await clients.delete(client.clientId, actOf(req, now));
    // so that a second click is told that it worked, and not that there is no such page
    session.deletedApplication = client.clientId;
    seeOther(res, withNote(pages.root, 'deleted'));
  };
}

/** The name as a person types it; the client id is for names that are hard to type. */
function isConfirmed(typed: string, { name, clientId }: ClientInfo): boolean {
  const plain = (text: string) => text.normalize('NFKC').replace(/ +/g, ' ').replace(/^ | $/g, '');
  return [plain(name), clientId].includes(plain(typed));
}

function withoutSecret({ clientSecret, ...client }: ClientWithSecret): {
  client: ClientInfo;
  clientSecret: string | undefined;
} {
  return { client, clientSecret };
}
