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

/** A refused invitation with its input. */
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

/** Maximum length of the input. */
const MAX_TYPED = 200;
/** Per hour: each invitation can go to another user, and annoy them. */
const MAX_INVITATIONS = 20;

/** An application or a service token that users own together. */
export interface Owned {
  readonly id: string;
  readonly name: string;
  readonly shared: SharedOwnership;
  /** Whether the viewer may invite users, and withdraw invitations. */
  readonly canShare: boolean;
  /** Whether the viewer may remove an owner, or leave. */
  readonly canRemove: (isYou: boolean) => boolean;
  /** The viewer as the actor of changes. */
  readonly by: Actor;
  /** Texts that differ from those of an application. */
  readonly texts?: Partial<Record<keyof typeof PROBLEMS, MessageKey>>;
}

/** The operations on owners; `null`: there is no such thing. They throw an OwnershipError. */
type OwnersStore = {
  readonly [Step in 'invite' | 'withdraw' | 'removeOwner' | 'accept' | 'decline']: (
    ...step: Parameters<ReturnType<typeof createOwnership>[Step]>
  ) => Promise<unknown>;
};

export interface OwnersContext extends AccountContext {
  readonly ownership: OwnersStore;
  /** The time of a request's changes, and the emitter of their events. */
  readonly actOf: (visit: Visit) => OperationContext;
  /** Counts invitations, whether or not the user exists. */
  readonly invitationLimit: FailureLimit;
  /** One acceptance per user at a time, so that concurrent ones respect the quota. */
  readonly keyedMutex: KeyedMutex;
}

/** The page of a thing, for an owner or an administrator. */
interface OwnedPage extends Owned {
  /** Renders the page with the input of a refused invitation. */
  readonly render: (form: {
    readonly refusedInvitation: RefusedInvitation;
    readonly isOutOfDate?: boolean;
  }) => Promise<void>;
  /** The consequences of removing another owner. */
  readonly removalMeaning: (text: Translator['text']) => string;
}

/** The differences between owners of applications and of service tokens. */
export interface OwnersKind<Context> {
  /** @throws OAuthError 404 if the viewer may not see it */
  readonly find: (context: Context, visit: Visit) => Promise<OwnedPage>;
  /** The thing that an invitation offers, and its page; undefined without an invitation. */
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
  /** Maximum number that a user may own. */
  readonly maxOwned: number;
  /** The result of an acceptance beyond `maxOwned`. */
  readonly noRoom: string;
  /** Whether another session displays the confirmation of a removal again. */
  readonly isRemovalRedisplayed: boolean;
}

/** All invitations of a user count together, for applications and service tokens. */
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

/** Reads the input of an invitation, and its problem. */
function readInvitation({ req: { body } }: Visit): RefusedInvitation {
  const typed = lineField(body, 'person');
  const as = textField(body, 'as') === 'transfer' ? 'transfer' : 'owner';
  const problem = typed === '' ? 'missing' : typed.length > MAX_TYPED ? 'too-long' : undefined;
  return { typed, as, problem };
}

/** The result code of a failed acceptance. */
function toResultCode({ problem }: OwnershipError, { noRoom }: { readonly noRoom: string }): string {
  if (problem === 'too-many-clients') return noRoom;
  return problem === 'gone' ? 'invitationgone' : 'ownersfull';
}

/** The pages on which users invite each other as owners, and leave. */
export function ownerPages<Context extends OwnersContext>(kind: OwnersKind<Context>): AccountPages<Context> {
  const { find, noSuchThing } = kind;
  /** Admits only users who may share it. */
  const findShared = async (context: Context, visit: Visit) => {
    const thing = await find(context, visit);
    if (!thing.canShare) throw noSuchThing();
    return thing;
  };
  /** A user who has lost ownership meanwhile gets the error of any other user. */
  const refuseFormer = (error: unknown): never => {
    throw error instanceof OwnershipError ? noSuchThing() : error;
  };

  /** A missing invitation, one of another user and one that has ended look the same. */
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
      if (error instanceof OwnershipError) return redirect(toResultCode(error, kind));
      if (toOAuthError(error).status !== 404) throw error;
      return redirect('invitationgone');
    }
    if (step === 'accept') redirect('accepted', accountPath(context, id));
    else redirect('declined');
  };

  /** Asks for confirmation to remove the owner in the address. */
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
      /** Shows an invited user the application or service token, without data of its owners. */
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
       * Invites a user by name. The response is the same if there is no such user, and the list shows the input: so the
       * form does not reveal who has an account.
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
      /** Removes an owner, or the user who asks. The last owner stays, even if both of two leave at once. */
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

/** The owners of a thing, in the language of the viewer. */
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
        // the viewer's name needs no lookup
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

/** The invitations of a user, for a list. */
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
