import { objectOf, option, type OptionsOf, required } from '../../settings/table/option.js';
import { parseOptions, requireString } from '../../settings/table/parse-options.js';
import { flag, oneOf, text } from '../../settings/table/shapes.js';
import { tagOf } from '../../shared/crypto/secrets.js';
import * as z from '../../shared/schema.js';
import { isOwner, ownedBy, OwnershipError, ownersOf } from '../clients/client-owners.js';
import type { ClientStore } from '../clients/client-store.js';
import type { ClientService } from '../clients/registry/client-service.js';
import { updateClient } from '../clients/registry/update-client.js';
import type { GrantStore } from '../grants/grant-store.js';
import type { Emit } from '../observability/events.js';
import type { EndSignIns } from '../openid/sign-ins.js';

export const accountEndOptions = {
  /**
   * What happens to applications without another owner: `'block'`, `'delete'`, or `{ transferTo: 'id-of-grace' }`. The
   * new owner also gets the service tokens without another owner; otherwise these end. A later call can delete or
   * transfer applications that an earlier call has blocked. Default: `'block'`.
   */
  applications: option({
    shape: () =>
      z.union(
        [
          oneOf(['block', 'delete']),
          objectOf({ transferTo: required({ shape: () => text('the id of a user, as text') }) }, 'an object'),
        ],
        "'block', 'delete' or { transferTo: 'the id of a user' }",
      ),
    default: 'block',
  }),
  /** `true` changes nothing, and returns what would be done. Default: `false`. */
  dryRun: option({ shape: flag, default: false }),
};

/** Options of `people.end`. */
export type AccountEndOptions = OptionsOf<typeof accountEndOptions>;

/** The result of `people.end`, by ids; with `dryRun` the effects that it would have. */
export interface EndedAccount {
  /** The pseudonym that replaces the user's id in the audit. */
  readonly pseudonym: string;
  /** How many grants had not ended before; service tokens are not counted. */
  readonly liveGrants: number;
  /** The user's applications; those in `left` have other owners. */
  readonly applications: Readonly<Record<'blocked' | 'deleted' | 'transferred' | 'left', readonly string[]>>;
  /** The user's service tokens. */
  readonly serviceTokens: Readonly<Record<'ended' | 'transferred' | 'left', readonly string[]>>;
  /** Ids of deleted or changed documents, by the name of the collection: `oauth_grants`, `oauth_audit`… */
  readonly documents: Readonly<Record<string, readonly string[]>>;
}

/** The result of `people.export`: the stored data about a user. */
export interface ExportedAccount {
  readonly userId: string;
  readonly exportedAt: Date;
  /** By the name of the collection; no value of a token, no hash, and no data about other users. */
  readonly records: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** The accounts of users, as far as this server stores them. */
export interface PeopleRegistry {
  /**
   * Ends the account of a user, before or after the site has deleted its own record: all tokens end, and no document
   * has the user's id afterwards. The entries of the audit stay, without address and with a pseudonym (a keyed digest
   * of the id). End the sessions of your site first; tokens and data that a request stores meanwhile are removed within
   * 70 seconds. If the call fails or the process is killed, call it again.
   *
   * @throws TypeError if an option is wrong, or if `people.find` (without it, `createUsers`) does not find the new
   * owner
   */
  end(userId: string, options?: AccountEndOptions): Promise<EndedAccount>;
  /**
   * Reads the stored data about a user, for a request under Art. 15 GDPR. Fields that your site has added are included,
   * unless the schema has them with `select: false`, or the process does not know the schema, such as the command line.
   * Messages, pushed requests and invitations are listed without their text.
   *
   * @throws TypeError if the id is not text
   */
  export(userId: string): Promise<ExportedAccount>;
}

/**
 * The documents of all collections with a user's id. The rows `people` of the collections name the paths of the id, and
 * what happens to the documents.
 */
export interface PeopleStore {
  export(userId: string): Promise<ExportedAccount['records']>;
  /**
   * Deletes the documents about a user, and replaces the id by the pseudonym in documents that stay, in batches. The
   * documents of applications and service tokens have operations of their own. Can be repeated.
   */
  erase(
    userId: string,
    how: {
      readonly pseudonym: string;
      /** The only collection to change. Default: all. */
      readonly only?: string;
      /** Whether only to call `onErased`. */
      readonly dryRun: boolean;
      /** Called after each batch, with the name of the collection and the ids of the documents. */
      readonly onErased: (collection: string, ids: readonly string[]) => void;
    },
  ): Promise<void>;
  /** Whether `createUsers` has this user; undefined if this connection does not use it. */
  hasUser(userId: string): Promise<boolean | undefined>;
  /** Deletes the record of `createUsers`; returns whether there was one. With `dryRun` the record stays. */
  deleteUser(userId: string, dryRun: boolean): Promise<boolean>;
}

export interface PeopleDependencies {
  readonly people: PeopleStore;
  readonly clients: ClientStore;
  readonly grants: Pick<GrantStore, 'leaveNamedTokens' | 'revokeAll'>;
  readonly service: Pick<ClientService, 'delete' | 'block' | 'addOwner' | 'removeOwner'>;
  /** Whether this user exists; undefined if that is unknown. */
  readonly isUser: (userId: string) => Promise<boolean | undefined>;
  /** Undefined if no client signs users in through this site. */
  readonly endSignIns: EndSignIns | undefined;
  readonly emit: Emit;
  /** Stores the waiting entries of the audit. */
  readonly flushAudit: () => Promise<unknown>;
  /** The key of the pseudonyms. */
  readonly serverSecret: string;
}

/** Milliseconds between the further runs: open requests and the audit of other processes may store data later. */
const PAUSES = [1000, 9000, 60_000];
/** Retried only if the owners of an application change at the same moment. */
const MAX_TRIES = 20;

interface Ending {
  readonly userId: string;
  readonly pseudonym: string;
  readonly applications: NonNullable<AccountEndOptions['applications']>;
  readonly heir: string | undefined;
  readonly dryRun: boolean;
  /** Whether the record of `createUsers` is deleted as well. */
  readonly withUser: boolean | undefined;
}

type Fate = keyof EndedAccount['applications'];

/** The combined effects of several runs. */
const noOutcome = () => ({
  liveGrants: 0,
  applications: { blocked: [], deleted: [], transferred: [], left: [] } as Record<Fate, string[]>,
  serviceTokens: { ended: [] as string[], transferred: [] as string[], left: [] as string[] },
  documents: new Map<string, Set<string>>(),
});

/** The registry with the server's options. */
export interface RunningPeople extends PeopleRegistry {
  /** @param by an administrator who ends the account on a page, and the receiver of the event; or `users.delete` */
  end(
    userId: string,
    options?: AccountEndOptions,
    by?: { readonly actorId?: string; readonly emit?: Emit; readonly withUser?: boolean },
  ): Promise<EndedAccount>;
  close(): void;
}

export function createPeople(dependencies: PeopleDependencies): RunningPeople {
  const { people, isUser, flushAudit, serverSecret } = dependencies;
  const timers = new Set<NodeJS.Timeout>();

  /** Schedules the further runs; each repeats what failed. The timers do not keep the process alive. */
  const endLater = (ending: Ending, [milliseconds, ...others]: readonly number[]): void => {
    if (milliseconds === undefined) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void endAccess(dependencies, ending, noOutcome()).catch(() => undefined);
      endLater(ending, others);
    }, milliseconds).unref();
    timers.add(timer);
  };

  return {
    async end(userId, input = {}, { actorId, emit = dependencies.emit, withUser } = {}) {
      checkUserId('end', userId);
      const options = parseOptions('people.end', accountEndOptions, input);
      const { applications = 'block', dryRun = false } = options;
      const heir = typeof applications === 'object' ? applications.transferTo : undefined;
      if (heir === userId) throw new TypeError('people.end: transferTo is the user whose account ends');
      if (heir !== undefined && (await isUser(heir)) === false)
        throw new TypeError(`people.end: transferTo: there is no user '${heir}'`);
      const pseudonym = `deleted-user:${tagOf(JSON.stringify(['deleted user', userId]), serverSecret)}`;
      const ending = { userId, pseudonym, applications, heir, dryRun, withUser };
      const outcome = noOutcome();
      await endAccess(dependencies, ending, outcome);
      if (!dryRun) {
        const count = outcome.documents.get('oauth_grants')?.size ?? 0;
        await emit('account.ended', { userId, count, actorId });
        await flushAudit();
        // again for the entries of the audit, and for data that was stored between the first steps
        await endAccess(dependencies, ending, outcome);
        endLater(ending, PAUSES);
      }
      const documents = [...outcome.documents].map(([name, ids]) => [name, [...ids]] as const);
      return { pseudonym, ...outcome, documents: Object.fromEntries(documents) };
    },
    async export(userId) {
      checkUserId('export', userId);
      await flushAudit();
      return { userId, exportedAt: new Date(), records: await people.export(userId) };
    },
    close: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

function checkUserId(name: string, userId: unknown): void {
  if (requireString(`people.${name}`, 'userId', userId) === '')
    throw new TypeError(`people.${name}: userId must not be empty`);
}

/** Ends the access of an account. Each step can be repeated, and the next run completes it. */
async function endAccess(
  dependencies: PeopleDependencies,
  ending: Ending,
  outcome: ReturnType<typeof noOutcome>,
): Promise<void> {
  const { people, grants, clients, endSignIns } = dependencies;
  const { userId, pseudonym, applications, heir, dryRun, withUser } = ending;
  const now = new Date();
  const add = (name: string, ids: readonly string[]) => {
    const all = outcome.documents.get(name) ?? new Set();
    outcome.documents.set(name, all);
    ids.forEach((id) => all.add(id));
  };
  // 1. first, so that no request finds the user while the account ends
  if (withUser && (await people.deleteUser(userId, dryRun))) add('oauth_users', [userId]);
  // 2. all tokens, also those that the guards of this process have cached
  outcome.liveGrants += await grants.revokeAll({ userId }, now, { dryRun });
  // 3. clients are notified before their sign-ins are deleted
  const erasure = { pseudonym, dryRun, onErased: add };
  if (!dryRun && endSignIns) {
    await people.erase(userId, { ...erasure, dryRun: true, only: 'oauth_sign_ins' });
    await endSignIns({ userId }, now);
  }
  // 4. the second run ends grants that a silent request gets by a consent meanwhile
  await people.erase(userId, erasure);
  // 5. service tokens and applications of the user
  const tokens = await grants.leaveNamedTokens(userId, { heir, now, dryRun });
  for (const fate of ['ended', 'transferred', 'left'] as const)
    outcome.serviceTokens[fate].push(...tokens[fate]);
  // an application that an earlier call has blocked is owned by the pseudonym
  for (const ownerId of applications === 'block' ? [userId] : [userId, pseudonym])
    for await (const ids of clients.idsOfPerson(ownerId))
      for (const clientId of ids)
        await leaveApplication(dependencies, { ...ending, userId: ownerId, now, clientId }, outcome);
}

async function leaveApplication(
  { clients, service }: PeopleDependencies,
  leaving: Ending & { readonly now: Date; readonly clientId: string },
  outcome: ReturnType<typeof noOutcome>,
): Promise<void> {
  const { userId, pseudonym, applications, heir, dryRun, now, clientId } = leaving;
  // undefined if the user is only invited, or has invited others
  let fate: Fate | undefined;
  const done = () => void (fate && outcome.applications[fate].push(clientId));
  // one event covers the whole account
  const act = { now, emit: () => undefined };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // read again: another owner may have accepted the application meanwhile
    const client = await clients.find(clientId);
    const isOther = (each: { readonly userId?: string; readonly invitedBy?: string }) =>
      each.userId !== userId && each.invitedBy !== userId;
    if (client === null || (!isOwner(client, userId) && client.invitations?.every(isOther) !== false))
      return done();
    if (isOwner(client, userId)) {
      const alone = { block: 'blocked', delete: 'deleted', transfer: 'transferred' } as const;
      fate =
        ownersOf(client).length > 1
          ? 'left'
          : alone[typeof applications === 'object' ? 'transfer' : applications];
    }
    if (dryRun) return done();
    if (fate === 'deleted') {
      await service.delete(clientId, act);
      continue;
    }
    if (fate === 'blocked') await service.block(clientId, act);
    try {
      if (fate === 'transferred' && heir !== undefined) await service.addOwner(clientId, heir, act);
      if (fate === 'transferred' || fate === 'left') await service.removeOwner(clientId, userId, act);
    } catch (error) {
      if (error instanceof OwnershipError) continue;
      throw error;
    }
    await updateClient(clients, clientId, { now }, (before) => {
      const others = ownersOf(before).filter((owner) => owner !== userId);
      const isLast = isOwner(before, userId) && others.length === 0;
      // without an owner the application would count as the site's
      if (isLast && before.blocked === undefined) return null;
      const invitations = before.invitations?.filter(isOther);
      return {
        changes: {
          ...ownedBy(isLast ? [pseudonym] : others),
          invitations: invitations?.length === 0 ? undefined : invitations,
        },
      };
    });
  }
  throw new Error(
    'people.end: the owners of an application have changed meanwhile, again and again; call it again',
  );
}
