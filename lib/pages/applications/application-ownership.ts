import type { Request } from 'express';

import { isOwner, ownersOf } from '../../core/clients/client-owners.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Actor } from '../../core/clients/registry/invitations.js';
import type { Invited } from '../../core/clients/registry/owners.js';
import { OwnershipError } from '../../core/clients/registry/ownership-error.js';
import { textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import type { MessageKey } from '../../messages/index.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { PageHandler } from '../form-handler.js';
import { isInvitationProblem, labelsOf, type RefusedInvitation } from '../owners/describe-owners.js';
import { readInvitation } from '../owners/read-invitation.js';
import { answerRefused, REFUSED_STATUS } from '../refused-forms.js';
import type { Translator } from '../rendering/translator.js';
import { findVisible, notFound, rightsOver, viewerOf } from './application-access.js';
import { type ApplicationNote, redirectWithNote } from './application-notes.js';
import { MAX_APPLICATIONS } from './application-registration.js';
import type { ApplicationsContext } from './applications-context.js';
import { endsApproval } from './describe-application-owners.js';

/** What it takes to change who owns an application. */
export interface OwnershipContext extends ApplicationsContext {
  /**
   * Counts an invitation, whether there is somebody to invite or not.
   *
   * @throws OAuthError with status 429
   */
  readonly countInvitation: (req: Request) => Promise<void>;
}

/**
 * Invites the user whom the site finds by what was typed. The answer is the same if there is nobody, and the
 * invitation is listed as it was typed: so nobody finds out who has an account.
 */
export function invite(context: OwnershipContext): PageHandler {
  const { settings, clients, actOf, pages, countInvitation } = context;
  return async (req, res, now) => {
    const client = await findShared(context, req);
    const { findUser } = settings.applications;
    if (findUser === undefined) throw notFound();
    const { typed, as, problem: wrong } = readInvitation(req);
    const refuse = (problem: RefusedInvitation['problem']) =>
      answerRefused(
        { req, res, now },
        {
          path: pages.pathOf(client.clientId),
          userId: viewerOf(req).ownerId,
          stored: { typed, as, problem },
        },
        () =>
          pages.details(req, res, {
            client,
            now,
            status: REFUSED_STATUS,
            refusedInvitation: { typed, as, ...(problem && { problem }) },
          }),
      );
    if (wrong !== undefined) return refuse(wrong);
    await countInvitation(req);
    const user = await findUser(typed, req);
    const userId = user ? settings.people.id(user) : undefined;
    try {
      await clients.invite(client.clientId, { userId, typed, as, by: actorOf(req) }, actOf(req, now));
    } catch (error) {
      if (error instanceof OwnershipError && isInvitationProblem(error.problem)) return refuse(error.problem);
      throw unlessOwned(error);
    }
    redirectWithNote({ req, res, now }, pages.pathOf(client.clientId), 'invited');
  };
}

/** Shows a form of another session as it was filled in. */
export function inviteAgain(context: OwnershipContext): PageHandler {
  return async (req, res, now) => {
    const client = await findShared(context, req);
    const { typed, as } = readInvitation(req);
    await context.pages.details(req, res, {
      client,
      now,
      status: 403,
      isOutOfDate: true,
      refusedInvitation: { typed, as },
    });
  };
}

export function withdraw(context: OwnershipContext): PageHandler {
  const { clients, actOf, pages } = context;
  return async (req, res, now) => {
    const { clientId } = await findShared(context, req);
    const act = { ...actOf(req, now), by: actorOf(req) };
    await clients.withdraw(clientId, textField(req.body, 'invitation'), act).catch((error: unknown) => {
      throw unlessOwned(error);
    });
    redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'withdrawn');
  };
}

/** Asks first, because nothing was typed into a form: the address says whom to remove. */
export function confirmRemoval(
  context: OwnershipContext,
  { isOutOfDate = false }: { readonly isOutOfDate?: boolean } = {},
): PageHandler {
  const { settings, pages } = context;
  return async (req, res) => {
    const owner = req.method === 'POST' ? textField(req.body, 'owner') : peekParameter(queryOf(req), 'owner');
    const client = await findVisible(context.clients, req);
    if (owner === undefined || !mayRemove(client, owner, req)) throw notFound();
    const isLeaving = owner === viewerOf(req).ownerId;
    const person = (await labelsOf(settings, [owner])).get(owner) ?? owner;
    await pages.render(req, res, {
      view: 'application-owner',
      status: isOutOfDate ? 403 : 200,
      locals: ({ text }) => ({
        title: isLeaving
          ? text('owners.leaveHeading', { client: client.name })
          : text('owners.removeHeading', { client: client.name, person }),
        ...(isOutOfDate && { notice: text('form.outOfDate') }),
        client,
        owner,
        person,
        isLeaving,
        meaning: [
          text(isLeaving ? 'owners.leaveMeaning' : 'owners.removeMeaning'),
          ...(!isLeaving && client.type === 'confidential' ? [text('owners.removeSecret')] : []),
        ].join(' '),
        action: pages.pathOf(client.clientId, '/remove-owner'),
        back: pages.pathOf(client.clientId),
      }),
    });
  };
}

/** Removes an owner, or the user who asks. The last one stays, even if both of two leave at the same moment. */
export function removeOwner(context: OwnershipContext): PageHandler {
  const { clients, actOf, pages } = context;
  return async (req, res, now) => {
    const client = await findVisible(clients, req);
    const owner = textField(req.body, 'owner');
    const { clientId } = client;
    try {
      await clients.removeOwner(clientId, owner, { ...actOf(req, now), by: actorOf(req) });
    } catch (error) {
      if (error instanceof OwnershipError && error.problem === 'last-owner')
        return redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'lastowner');
      throw unlessOwned(error);
    }
    const { ownerId, isAdministrator } = viewerOf(req);
    const isLeaving = owner === ownerId && !isAdministrator;
    if (isLeaving) return redirectWithNote({ req, res, now }, pages.root, 'left');
    redirectWithNote({ req, res, now }, pages.pathOf(clientId), 'ownerremoved');
  };
}

/** Shows a user who was asked to become an owner what the application is, and nothing that is the owners'. */
export function showInvitation(context: OwnershipContext): PageHandler {
  const { settings, pages } = context;
  return async (req, res, now) => {
    const invited = await findInvited(context, req, now);
    if (invited === undefined) return redirectWithNote({ req, res, now }, pages.root, 'invitationgone');
    const { client, invitation } = invited;
    const owners = ownersOf(client);
    const labels = await labelsOf(settings, [...new Set([...owners, invitation.invitedBy])]);
    await pages.render(req, res, {
      view: 'application-invitation',
      locals: (translator) => describeInvitation(invited, { settings, labels, owners, pages, translator }),
    });
  };
}

function describeInvitation(
  { client, invitation: { id, as, invitedBy, expiresAt } }: Invited,
  {
    settings,
    labels,
    owners,
    pages,
    translator: { text, day },
  }: {
    readonly settings: ApplicationsContext['settings'];
    readonly labels: ReadonlyMap<string, string>;
    readonly owners: readonly string[];
    readonly pages: ApplicationsContext['pages'];
    readonly translator: Translator;
  },
) {
  const { clientId, name, description, redirectUris, createdAt, verified } = client;
  return {
    title: text(as === 'transfer' ? 'owners.takeHeading' : 'owners.joinHeading', { client: name }),
    heading: (as === 'transfer' ? 'owners.takeHeading' : 'owners.joinHeading') satisfies MessageKey,
    // field by field: the user who was asked sees nothing else of it
    application: { clientId, name, description, redirectUris },
    meaning: [
      text('owners.acceptMeaning'),
      ...(verified === true ? [text('owners.verifiedEnds')] : []),
      ...(endsApproval(settings, client) ? [text('owners.approvalEnds')] : []),
    ].join(' '),
    created: day(createdAt),
    expires: day(expiresAt),
    owners: owners.flatMap((owner) => labels.get(owner) ?? []),
    invitedBy: labels.get(invitedBy),
    as,
    invitation: id,
    actions: { accept: pages.pathOf(clientId, '/accept'), decline: pages.pathOf(clientId, '/decline') },
    back: pages.root,
  };
}

export function accept(context: OwnershipContext): PageHandler {
  const { clients, actOf, pages } = context;
  const keyedMutex = createKeyedMutex();
  return (req, res, now) => {
    const { ownerId: userId } = viewerOf(req);
    return keyedMutex(userId, async () => {
      const clientId = String(req.params.clientId);
      const owned = await clients.listOfOwner(userId);
      // one that is theirs already does not change their number
      const isOwned = owned.some((client) => client.clientId === clientId);
      if (!isOwned && owned.length >= MAX_APPLICATIONS)
        return redirectWithNote({ req, res, now }, pages.root, 'toomanyapplications');
      const id = textField(req.body, 'invitation');
      await answer({ req, res, now }, context, async () => {
        const client = await clients.accept(clientId, id, { ...actOf(req, now), userId });
        return client && { path: pages.pathOf(clientId), note: 'accepted' };
      });
    });
  };
}

export function decline(context: OwnershipContext): PageHandler {
  const { clients, actOf, pages } = context;
  return (req, res, now) =>
    answer({ req, res, now }, context, async () => {
      const act = { ...actOf(req, now), userId: viewerOf(req).ownerId };
      const id = textField(req.body, 'invitation');
      const client = await clients.decline(String(req.params.clientId), id, act);
      return client && { path: pages.root, note: 'declined' };
    });
}

/** What an answer to an invitation has done, and where that is said. */
interface Answered {
  readonly path: string;
  readonly note: ApplicationNote;
}

/** Nobody can tell apart a missing client, somebody else's invitation and one that is over. */
async function answer(
  context: RequestContext,
  { pages: { root } }: Pick<OwnershipContext, 'pages'>,
  change: () => Promise<Answered | null>,
): Promise<void> {
  const answered = await change().catch((error: unknown): Answered | null => {
    if (!(error instanceof OwnershipError)) throw error;
    return error.problem === 'gone' ? null : { path: root, note: 'ownersfull' };
  });
  const { path, note } = answered ?? { path: root, note: 'invitationgone' };
  redirectWithNote(context, path, note);
}

async function findInvited(
  { clients, settings }: OwnershipContext,
  req: Request,
  now: Date,
): Promise<Invited | undefined> {
  if (settings.applications.findUser === undefined) throw notFound();
  const invited = await clients.listInvitations(viewerOf(req).ownerId, now);
  return invited.find(({ client }) => client.clientId === req.params.clientId);
}

/** The client, if the viewer may give it to others: users who may not change it may not give any of it away. */
async function findShared({ clients }: OwnershipContext, req: Request): Promise<ClientInfo> {
  const client = await findVisible(clients, req);
  if (!rightsOver(client, viewerOf(req)).canEdit) throw notFound();
  return client;
}

function mayRemove(client: ClientInfo, owner: string, req: Request): boolean {
  const viewer = viewerOf(req);
  const { canEdit, canDelete } = rightsOver(client, viewer);
  return isOwner(client, owner) && (owner === viewer.ownerId ? canDelete : canEdit);
}

function actorOf(req: Request): Actor {
  const { ownerId: userId, isAdministrator: isHost } = viewerOf(req);
  return { userId, isHost };
}

/** A user who has stopped owning it since it was looked up is told what everybody else is. */
function unlessOwned(error: unknown): unknown {
  return error instanceof OwnershipError ? notFound() : error;
}
