import type { OwnerInvitation } from '../core/clients/client.js';
import {
  isOpen,
  isOwner,
  OwnershipError,
  ownersOf,
  type SharedOwnership,
} from '../core/clients/client-owners.js';
import type { Actor, createOwnership } from '../core/clients/registry/ownership.js';
import type { OperationContext } from '../core/clients/registry/update-client.js';
import { textField } from '../core/http/form-fields.js';
import { queryOf } from '../core/http/query.js';
import type { MessageKey } from '../messages/index.js';
import type { Settings } from '../settings/settings.js';
import { type OAuthError, toOAuthError } from '../shared/errors.js';
import {
  createFailureLimit,
  type FailureLimit,
  type SharedFailures,
} from '../shared/limits/failure-limit.js';
import { createKeyedMutex, type KeyedMutex } from '../shared/limits/keyed-mutex.js';
import { peekParameter } from '../shared/protocol/parameters.js';
import {
  type AccountContext,
  type AccountPages,
  accountPath,
  countUse,
  renderAccountPage,
  type Visit,
} from './account-pages.js';
import { answerRefused, lineField, redirectWithFlash } from './form-answers.js';
import { findNames, userNameOf } from './person.js';
import type { Translator } from './rendering/translator.js';
import type { Locals } from './rendering/views.js';

/** What was typed to invite somebody, and why it was refused. */
export interface RefusedInvitation {
  readonly typed: string;
  readonly as: OwnerInvitation['as'];
  readonly problem?: keyof typeof PROBLEMS;
}

const PROBLEMS = {
  missing: 'owners.missing',
  'too-long': 'owners.tooLong',
  'already-owner': 'owners.already',
  'too-many-owners': 'owners.tooManyOwners',
  'too-many-invitations': 'owners.tooManyInvitations',
} as const satisfies Record<string, MessageKey>;

/** Characters that name whom to invite. */
const MAX_TYPED = 200;
/** Per hour: each of them can go to somebody else, to whom it would be a nuisance. */
const MAX_INVITATIONS = 20;

/** What can be owned together: an application, or a service token. */
export interface Owned {
  readonly id: string;
  readonly name: string;
  readonly shared: SharedOwnership;
  /** Whether the viewer may invite somebody, and take invitations back. */
  readonly canShare: boolean;
  /** Whether the viewer may remove an owner, or themselves. */
  readonly canRemove: (isYou: boolean) => boolean;
  /** As whom the viewer changes its owners. */
  readonly by: Actor;
  /** What is said otherwise than of an application. */
  readonly texts?: Partial<Record<keyof typeof PROBLEMS, MessageKey>>;
}

/** The steps that change who owns something; `null`: there is no such thing. What is wrong is an OwnershipError. */
type OwnersStore = {
  readonly [Step in 'invite' | 'withdraw' | 'removeOwner' | 'accept' | 'decline']: (
    ...step: Parameters<ReturnType<typeof createOwnership>[Step]>
  ) => Promise<unknown>;
};

export interface OwnersContext extends AccountContext {
  readonly ownership: OwnersStore;
  /** The time of a request's changes, and where their events go. */
  readonly actOf: (visit: Visit) => OperationContext;
  /** Counts invitations, whether there is somebody to invite or not. */
  readonly invitationLimit: FailureLimit;
  /** For one user one after the other: several at once must not give them more than there can be. */
  readonly keyedMutex: KeyedMutex;
}

/** What a viewer sees of something that is theirs, or an administrator. */
interface OwnedPage extends Owned {
  /** Renders its page, with what was typed to invite somebody. */
  readonly render: (form: {
    readonly refusedInvitation: RefusedInvitation;
    readonly isOutOfDate?: boolean;
  }) => Promise<void>;
  /** Says what it means to remove somebody else. */
  readonly removalMeaning: (text: Translator['text']) => string;
}

/** What distinguishes the owners of applications from those of service tokens. */
export interface OwnersKind<Context> {
  /** @throws OAuthError 404 if the viewer does not see it */
  readonly find: (context: Context, visit: Visit) => Promise<OwnedPage>;
  /** What the user is asked to own, and the page that asks; undefined if they are not. */
  readonly findInvited: (
    context: Context,
    visit: Visit,
  ) => Promise<
    | {
        readonly thing: Owned;
        readonly invitation: OwnerInvitation;
        readonly view: string;
        readonly describe: (translator: Translator) => Locals;
      }
    | undefined
  >;
  readonly noSuchThing: () => OAuthError;
  /** How many a user may own. */
  readonly maxOwned: number;
  /** What is done if a user who accepts owns so many. */
  readonly noRoom: string;
  /** Whether the question whether to remove an owner is asked again in another session. */
  readonly isRemovalRedisplayed: boolean;
}

/** Whatever the invitations of a user are to, they count together. */
export function ownersParts({ security }: Settings, store: SharedFailures) {
  const invitationLimit = createFailureLimit(
    security.rateLimits !== false && {
      failures: MAX_INVITATIONS,
      window: 3600,
      counted: 'invitations',
      shared: { name: 'invitations', store },
    },
  );
  return { invitationLimit, keyedMutex: createKeyedMutex() };
}

/** What was typed into the form that invites somebody, and what is wrong with it. */
function readInvitation({ req: { body } }: Visit): RefusedInvitation {
  const typed = lineField(body, 'person');
  const as = textField(body, 'as') === 'transfer' ? 'transfer' : 'owner';
  const problem = typed === '' ? 'missing' : typed.length > MAX_TYPED ? 'too-long' : undefined;
  return { typed, as, problem };
}

/** What a page says of an invitation that cannot be accepted. */
function doneOf({ problem }: OwnershipError, { noRoom }: { readonly noRoom: string }): string {
  if (problem === 'too-many-clients') return noRoom;
  return problem === 'gone' ? 'invitationgone' : 'ownersfull';
}

/** The pages on which users invite each other to own something, and leave it. */
export function ownerPages<Context extends OwnersContext>(kind: OwnersKind<Context>): AccountPages<Context> {
  const { find, noSuchThing } = kind;
  /** Users who may not change it may not give any of it away. */
  const findShared = async (context: Context, visit: Visit) => {
    const thing = await find(context, visit);
    if (!thing.canShare) throw noSuchThing();
    return thing;
  };
  /** A user who has stopped owning it since it was looked up is told what everybody else is. */
  const refuseFormer = (error: unknown): never => {
    throw error instanceof OwnershipError ? noSuchThing() : error;
  };

  /** Nobody can tell apart what is missing, somebody else's invitation and one that is over. */
  const answerInvitation = async (context: Context, visit: Visit, step: 'accept' | 'decline') => {
    const { root, ownership, actOf } = context;
    const { id, userId, req } = visit;
    const redirect = (done: string, path = root) => redirectWithFlash(visit, path, { done });
    const invitation = textField(req.body, 'invitation');
    const act = { ...actOf(visit), userId, maxOwned: kind.maxOwned };
    try {
      const changed = await ownership[step](id, invitation, act);
      if (changed === null) return redirect('invitationgone');
    } catch (error) {
      if (error instanceof OwnershipError) return redirect(doneOf(error, kind));
      if (toOAuthError(error).status !== 404) throw error;
      return redirect('invitationgone');
    }
    if (step === 'accept') redirect('accepted', accountPath(context, id));
    else redirect('declined');
  };

  /** Asks whether to remove an owner, because nothing was typed into a form: the address says whom to remove. */
  const confirmRemoval = async (context: Context, visit: Visit): Promise<void> => {
    const { req, id, userId } = visit;
    const isOutOfDate = req.method === 'POST';
    const owner = isOutOfDate ? textField(req.body, 'owner') : peekParameter(queryOf(req), 'owner');
    const thing = await find(context, visit);
    const isLeaving = owner === userId;
    if (owner === undefined || !isOwner(thing.shared, owner) || !thing.canRemove(isLeaving))
      throw noSuchThing();
    const person = (await findNames(context.settings, [owner])).get(owner) ?? owner;
    const { name } = thing;
    await renderAccountPage(context, visit, {
      view: 'application-owner',
      isOutOfDate,
      locals: ({ text }) => ({
        title: text(isLeaving ? 'owners.leaveHeading' : 'owners.removeHeading', { client: name, person }),
        client: { name },
        owner,
        person,
        isLeaving,
        meaning: isLeaving ? text('owners.leaveMeaning') : thing.removalMeaning(text),
        action: accountPath(context, id, '/remove-owner'),
        back: accountPath(context, id),
      }),
    });
  };

  return {
    pages: {
      '/:id/remove-owner': confirmRemoval,
      /** Shows a user who was asked to become an owner what it is, and nothing that is the owners'. */
      '/:id/invitation': async (context, visit) => {
        const { settings, root } = context;
        if (settings.people.findByName === undefined) throw noSuchThing();
        const invited = await kind.findInvited(context, visit);
        if (invited === undefined) return redirectWithFlash(visit, root, { done: 'invitationgone' });
        const { thing, view, describe } = invited;
        const { id, as, invitedBy, expiresAt } = invited.invitation;
        const owners = ownersOf(thing.shared);
        const names = await findNames(settings, [...owners, invitedBy]);
        const heading: MessageKey = as === 'transfer' ? 'owners.takeHeading' : 'owners.joinHeading';
        await renderAccountPage(context, visit, {
          view,
          locals: (translator) => ({
            title: translator.text(heading, { client: thing.name }),
            heading,
            expires: translator.day(expiresAt),
            owners: owners.flatMap((owner) => names.get(owner) ?? []),
            invitedBy: names.get(invitedBy),
            as,
            invitation: id,
            actions: {
              accept: accountPath(context, visit.id, '/accept'),
              decline: accountPath(context, visit.id, '/decline'),
            },
            back: root,
            ...describe(translator),
          }),
        });
      },
    },
    forms: {
      /**
       * Invites the user whom the site finds by what was typed. The answer is the same if there is nobody, and the
       * invitation is listed as it was typed: so nobody finds out who has an account.
       */
      '/:id/invite': {
        survivesLogout: true,
        async submit(context, visit) {
          const { settings, ownership, actOf, invitationLimit } = context;
          const { req, id } = visit;
          const path = accountPath(context, id);
          const thing = await findShared(context, visit);
          const { findByName } = settings.people;
          if (findByName === undefined) throw noSuchThing();
          const { typed, as, problem: wrong } = readInvitation(visit);
          const refuse = (problem: RefusedInvitation['problem']) => {
            const refusedInvitation = { typed, as, problem };
            return answerRefused(visit, { path, value: refusedInvitation }, () =>
              thing.render({ refusedInvitation }),
            );
          };
          if (wrong !== undefined) return refuse(wrong);
          await countUse(context, visit, invitationLimit);
          const user = await findByName(typed, req);
          const userId = user ? settings.people.id(user) : undefined;
          try {
            await ownership.invite(id, { userId, typed, as, by: thing.by }, actOf(visit));
          } catch (error) {
            if (error instanceof OwnershipError && Object.hasOwn(PROBLEMS, error.problem))
              return refuse(error.problem as keyof typeof PROBLEMS);
            return refuseFormer(error);
          }
          redirectWithFlash(visit, path, { done: 'invited' });
        },
        async redisplay(context, visit) {
          const thing = await findShared(context, visit);
          const { typed, as } = readInvitation(visit);
          await thing.render({ refusedInvitation: { typed, as }, isOutOfDate: true });
        },
      },
      '/:id/withdraw': async (context, visit) => {
        const { by } = await findShared(context, visit);
        const invitation = textField(visit.req.body, 'invitation');
        const step = { ...context.actOf(visit), by };
        await context.ownership.withdraw(visit.id, invitation, step).catch(refuseFormer);
        redirectWithFlash(visit, accountPath(context, visit.id), { done: 'withdrawn' });
      },
      '/:id/accept': (context, visit) =>
        context.keyedMutex(visit.userId, () => answerInvitation(context, visit, 'accept')),
      '/:id/decline': (context, visit) => answerInvitation(context, visit, 'decline'),
      /** Removes an owner, or the user who asks. The last one stays, even if both of two leave at the same moment. */
      '/:id/remove-owner': {
        redisplay: kind.isRemovalRedisplayed ? confirmRemoval : undefined,
        async submit(context, visit) {
          const { id, userId } = visit;
          const { name, by } = await find(context, visit);
          const owner = textField(visit.req.body, 'owner');
          try {
            await context.ownership.removeOwner(id, owner, { ...context.actOf(visit), by });
          } catch (error) {
            if (error instanceof OwnershipError && error.problem === 'last-owner')
              return redirectWithFlash(visit, accountPath(context, id), { done: 'lastowner' });
            return refuseFormer(error);
          }
          const isLeaving = owner === userId && !by.isHost;
          redirectWithFlash(visit, isLeaving ? context.root : accountPath(context, id), {
            done: isLeaving ? 'left' : 'ownerremoved',
            clientName: name,
          });
        },
      },
    },
  };
}

/** What a page says of the owners of something, in the language of the viewer. */
export async function describeOwners(
  context: AccountContext,
  { req, userId, now }: Visit,
  { id: ownedId, shared, canShare, canRemove, texts = {} }: Owned,
  refused: RefusedInvitation | undefined,
) {
  const { settings } = context;
  const ids = ownersOf(shared);
  const names = await findNames(settings, ids);
  return ({ day, text }: Translator) => ({
    people: ids.map((id) => {
      const isYou = id === userId;
      const isRemovable = ids.length > 1 && canRemove(isYou);
      return {
        id,
        // the site need not look up the viewer
        label: names.get(id) ?? (isYou ? userNameOf(settings, req) : undefined),
        isYou,
        removal: isRemovable
          ? `${accountPath(context, ownedId, '/remove-owner')}?owner=${encodeURIComponent(id)}`
          : undefined,
      };
    }),
    invitations: (shared.invitations ?? [])
      .filter((invitation) => isOpen(invitation, shared, now))
      .map(({ id, typed, as, expiresAt }) => ({ id, typed, as, expires: day(expiresAt) })),
    canInvite: canShare && settings.people.findByName !== undefined,
    canWithdraw: canShare,
    canHandOver: isOwner(shared, userId),
    typed: refused?.typed ?? '',
    as: refused?.as ?? 'owner',
    problems:
      refused?.problem === undefined ? [] : [text(texts[refused.problem] ?? PROBLEMS[refused.problem])],
  });
}

/** The invitations of a user, as a list shows them. */
export async function describeInvitations(
  context: AccountContext,
  invited: readonly { readonly id: string; readonly name: string; readonly invitation: OwnerInvitation }[],
) {
  const names = await findNames(
    context.settings,
    invited.map(({ invitation }) => invitation.invitedBy),
  );
  return ({ day }: Translator) =>
    invited.map(({ id, name, invitation }) => ({
      id: invitation.id,
      name,
      as: invitation.as,
      invitedBy: names.get(invitation.invitedBy),
      expires: day(invitation.expiresAt),
      href: accountPath(context, id, '/invitation'),
    }));
}
