import { isOwner, ownersOf } from '../../core/clients/client-owners.js';
import { OwnershipError } from '../../core/clients/registry/ownership-error.js';
import type { Grant } from '../../core/grants/grant.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import { textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import type { MessageKey } from '../../messages/index.js';
import { mayRegister } from '../../pages/connected-apps/list-page.js';
import { describeScope } from '../../pages/consent/describe-scopes.js';
import { redirectWithFlash } from '../../pages/flash-message.js';
import { accountNavigation } from '../../pages/navigation.js';
import { isInvitationProblem, labelsOf, type RefusedInvitation } from '../../pages/owners/describe-owners.js';
import { readInvitation } from '../../pages/owners/read-invitation.js';
import { userIdOf, userNameOf } from '../../pages/person.js';
import { answerRefused, REFUSED_STATUS } from '../../pages/refused-forms.js';
import type { Translator } from '../../pages/rendering/translator.js';
import { toOAuthError } from '../../shared/errors.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { toTokenInfo } from './token-info.js';
import { type InvitedToken, sharedOf } from './token-owners.js';
import { renderToken } from './token-page.js';
import { noSuchToken } from './token-service.js';
import { pathOfToken, stepOf, type TokensContext } from './tokens-context.js';

type TokenPage = (context: TokensContext, requestContext: RequestContext, id: string) => Promise<void>;

/**
 * Invites the user whom the site finds by what was typed. As for an application the answer is the same if there is
 * nobody, so nobody finds out who has an account.
 */
export const inviteTokenOwner: TokenPage = async (context, requestContext, id) => {
  const { settings, owners } = context;
  const { req, now } = requestContext;
  const { userId, grant } = await findOwned(context, requestContext, id);
  const { findUser } = settings.applications;
  if (findUser === undefined) throw noSuchToken();
  const given = readInvitation(req);
  const refuse = (refused: RefusedInvitation) =>
    answerRefused(requestContext, { path: pathOfToken(context, id), userId, stored: refused }, () =>
      renderToken(context, requestContext, {
        token: toTokenInfo(grant),
        grant,
        status: REFUSED_STATUS,
        refusedInvitation: refused,
      }),
    );
  if (given.problem !== undefined) return refuse(given);
  await context.countInvitation(req, userId);
  const user = await findUser(given.typed, req);
  const invitation = {
    ...given,
    userId: user ? settings.people.id(user) : undefined,
    by: { userId, isHost: false },
  };
  try {
    await owners.invite(id, invitation, stepOf(context, req, now));
  } catch (error) {
    if (error instanceof OwnershipError && isInvitationProblem(error.problem))
      return refuse({ ...given, problem: error.problem });
    throw unlessOwned(error);
  }
  goTo(context, requestContext, { path: pathOfToken(context, id), done: 'invited' });
};

/** Shows the form of another session as it was filled in. */
export const showTokenInviteForm: TokenPage = async (context, requestContext, id) => {
  const { grant } = await findOwned(context, requestContext, id);
  const { typed, as } = readInvitation(requestContext.req);
  await renderToken(context, requestContext, {
    token: toTokenInfo(grant),
    grant,
    status: 403,
    isOutOfDate: true,
    refusedInvitation: { typed, as },
  });
};

export const withdrawTokenInvitation: TokenPage = async (context, requestContext, id) => {
  const { req, now } = requestContext;
  const { userId } = await findOwned(context, requestContext, id);
  const step = { ...stepOf(context, req, now), by: { userId, isHost: false } };
  await context.owners.withdraw(id, textField(req.body, 'invitation'), step).catch((error: unknown) => {
    throw unlessOwned(error);
  });
  goTo(context, requestContext, { path: pathOfToken(context, id), done: 'withdrawn' });
};

/** Asks first, because nothing was typed into a form: the address says whom to remove. */
export const confirmTokenOwnerRemoval: TokenPage = async (context, requestContext, id) => {
  const { settings, renderPage } = context;
  const { req, res } = requestContext;
  const { userId, grant } = await findOwned(context, requestContext, id);
  const owner = peekParameter(queryOf(req), 'owner');
  if (owner === undefined || !isOwner(sharedOf(grant), owner)) throw noSuchToken();
  const isLeaving = owner === userId;
  const person = (await labelsOf(settings, [owner])).get(owner) ?? owner;
  const client = { name: grant.namedToken?.name ?? '' };
  await renderPage(req, res, {
    view: 'application-owner',
    locals: async (translator) => ({
      ...(await sharedLocals(context, requestContext, translator)),
      title: translator.text(isLeaving ? 'owners.leaveHeading' : 'owners.removeHeading', {
        client: client.name,
        person,
      }),
      client,
      owner,
      person,
      isLeaving,
      meaning: translator.text(isLeaving ? 'owners.leaveMeaning' : 'tokens.removeOwnerMeaning'),
      action: `${pathOfToken(context, id)}/remove-owner`,
      back: pathOfToken(context, id),
    }),
  });
};

/** Removes an owner, or the user who asks. The last one stays, even if both of two leave at the same moment. */
export const removeTokenOwner: TokenPage = async (context, requestContext, id) => {
  const { owners, root } = context;
  const { req, now } = requestContext;
  const { userId, grant } = await findOwned(context, requestContext, id);
  const owner = textField(req.body, 'owner');
  try {
    await owners.remove(id, owner, { ...stepOf(context, req, now), by: { userId, isHost: false } });
  } catch (error) {
    if (error instanceof OwnershipError && error.problem === 'last-owner')
      return goTo(context, requestContext, { path: pathOfToken(context, id), done: 'lastowner' });
    throw unlessOwned(error);
  }
  const isLeaving = owner === userId;
  goTo(context, requestContext, {
    path: isLeaving ? root : pathOfToken(context, id),
    done: isLeaving ? 'left' : 'ownerremoved',
    clientName: grant.namedToken?.name ?? '',
  });
};

/** Shows an invited user what the token is, and nothing that only its owners may see. */
export const showTokenInvitation: TokenPage = async (context, requestContext, id) => {
  const { settings, owners, root, renderPage } = context;
  const { req, res, now } = requestContext;
  if (settings.applications.findUser === undefined) throw noSuchToken();
  const invited = await owners.listInvited(userIdOf(settings, req), now);
  const found = invited.find(({ grant }) => grant.grantId === id);
  if (found === undefined) return goTo(context, requestContext, { path: root, done: 'invitationgone' });
  const people = ownersOf(sharedOf(found.grant));
  const labels = await labelsOf(settings, [...new Set([...people, found.invitation.invitedBy])]);
  await renderPage(req, res, {
    view: 'access-token-invitation',
    locals: async (translator) => ({
      ...(await sharedLocals(context, requestContext, translator)),
      ...describeInvitation(context, found, { labels, people, translator }),
    }),
  });
};

function describeInvitation(
  context: TokensContext,
  { grant, invitation: { id, as, invitedBy, expiresAt } }: InvitedToken,
  {
    labels,
    people,
    translator: { text, day, locale },
  }: {
    readonly labels: ReadonlyMap<string, string>;
    readonly people: readonly string[];
    readonly translator: Translator;
  },
) {
  const { name, purpose, scopes, createdAt } = toTokenInfo(grant);
  const heading = (as === 'transfer' ? 'owners.takeHeading' : 'owners.joinHeading') satisfies MessageKey;
  const path = pathOfToken(context, grant.grantId);
  return {
    title: text(heading, { client: name }),
    heading,
    name,
    purpose,
    scopes: scopes.map((scope) => describeScope(context.settings.scopes, scope, locale)),
    made: day(createdAt),
    expires: day(expiresAt),
    owners: people.flatMap((owner) => labels.get(owner) ?? []),
    invitedBy: labels.get(invitedBy),
    as,
    invitation: id,
    meaning: text('tokens.acceptMeaning'),
    actions: { accept: `${path}/accept`, decline: `${path}/decline` },
    back: context.root,
  };
}

/** Of one user one after the other: several at once must not give them more than there can be. */
const oneAtATime = createKeyedMutex();

export const acceptTokenInvitation: TokenPage = (context, requestContext, id) => {
  const { settings, service, owners } = context;
  const { req, now } = requestContext;
  const userId = userIdOf(settings, req);
  return oneAtATime(userId, async () => {
    // what they look after already does not change their number
    const isOwned = (await context.models.grants.findNamedToken(id, { ownerId: userId }, now)) !== null;
    const step = { ...stepOf(context, req, now), userId };
    await answer(context, requestContext, async () => {
      if (!isOwned) await service.checkRoom({ ownerId: userId }, now);
      await owners.accept(id, textField(req.body, 'invitation'), step);
      return { path: pathOfToken(context, id), done: 'accepted' };
    });
  });
};

export const declineTokenInvitation: TokenPage = async (context, requestContext, id) => {
  const { settings, owners, root } = context;
  const { req, now } = requestContext;
  const step = { ...stepOf(context, req, now), userId: userIdOf(settings, req) };
  await answer(context, requestContext, async () => {
    await owners.decline(id, textField(req.body, 'invitation'), step);
    return { path: root, done: 'declined' };
  });
};

interface Answered {
  readonly path: string;
  readonly done: string;
  readonly clientName?: string;
}

/** Nobody can tell apart a missing token, somebody else's invitation and one that is over. */
async function answer(
  context: TokensContext,
  requestContext: RequestContext,
  change: () => Promise<Answered>,
): Promise<void> {
  const { root } = context;
  const answered = await change().catch((error: unknown): Answered => {
    if (error instanceof OwnershipError)
      return { path: root, done: error.problem === 'gone' ? 'invitationgone' : 'ownersfull' };
    const { status, reason } = toOAuthError(error);
    if (reason === 'too_many_tokens') return { path: root, done: 'toomanytokens' };
    if (status === 404) return { path: root, done: 'invitationgone' };
    throw error;
  });
  goTo(context, requestContext, answered);
}

/** A service token that the user looks after. @throws OAuthError 404 */
async function findOwned(
  { models: { grants }, settings }: TokensContext,
  { req, now }: Pick<RequestContext, 'req' | 'now'>,
  id: string,
): Promise<{ readonly userId: string; readonly grant: Grant }> {
  const userId = userIdOf(settings, req);
  const grant = await grants.findNamedToken(id, { ownerId: userId }, now);
  if (grant === null) throw noSuchToken();
  return { userId, grant };
}

function goTo(
  { settings }: TokensContext,
  requestContext: RequestContext,
  { path, ...done }: Answered,
): void {
  redirectWithFlash(requestContext, { path, userId: userIdOf(settings, requestContext.req) }, done);
}

async function sharedLocals(context: TokensContext, { req, res }: RequestContext, translator: Translator) {
  const { settings } = context;
  const isDeveloper = await mayRegister(context, req, res);
  return {
    nav: accountNavigation(isDeveloper, 'access-tokens', settings, translator),
    csrfToken: personalCsrfTokenOf(req, userIdOf(settings, req)),
    userName: userNameOf(settings, req),
  };
}

/** A user who is no longer an owner gets the answer that everybody else gets. */
function unlessOwned(error: unknown): unknown {
  return error instanceof OwnershipError ? noSuchToken() : error;
}
