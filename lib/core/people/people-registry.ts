import { objectOf, option, type OptionsOf, required } from '../../settings/table/option.js';
import { parseOptions, requireString } from '../../settings/table/parse-options.js';
import { flag, oneOf, text } from '../../settings/table/shapes.js';
import { tagOf } from '../../shared/crypto/secrets.js';
import * as z from '../../shared/schema.js';
import type { Client } from '../clients/client.js';
import { isOwner, ownedBy, OwnershipError, ownersOf } from '../clients/client-owners.js';
import type { ClientStore } from '../clients/client-store.js';
import type { ClientService } from '../clients/registry/client-service.js';
import { updateClient } from '../clients/registry/update-client.js';
import type { GrantStore } from '../grants/grant-store.js';
import type { Emit } from '../observability/events.js';
import type { EndSignIns } from '../openid/session-store.js';
import type { PeopleStore } from './people-store.js';

export const accountEndOptions = {
  /**
   * What becomes of the applications that nobody else owns: `'block'`, `'delete'`, or `{ transferTo: 'id-of-grace' }`.
   * The new owner also gets the service tokens that nobody else owns; otherwise these end. Default: `'block'`.
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
  /** Whether only to say what would be done. Default: `false`. */
  dryRun: option({ shape: flag, default: false }),
};

/** Options of `people.end`. */
export type AccountEndOptions = OptionsOf<typeof accountEndOptions>;

/** What `people.end` has done, by ids; with `dryRun` what it would do. */
export interface EndedAccount {
  /** What the audit has in the place of the user's id from now on. */
  readonly pseudonym: string;
  /** Applications of the user; of those in `left` others are owners. */
  readonly applications: Readonly<Record<'blocked' | 'deleted' | 'transferred' | 'left', readonly string[]>>;
  /** Service tokens that the user looked after. */
  readonly serviceTokens: Readonly<Record<'ended' | 'transferred' | 'left', readonly string[]>>;
  /** Documents that were deleted or changed, by the name of the collection: `oauth_grants`, `oauth_audit`… */
  readonly documents: Readonly<Record<string, readonly string[]>>;
}

/** What is stored about a user, as `people.export` gives it. */
export interface ExportedAccount {
  readonly userId: string;
  readonly exportedAt: Date;
  /** By the name of the collection; no value of a token, no hash, and nothing about other users. */
  readonly records: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** The accounts of users, of which the site has the rest. */
export interface PeopleRegistry {
  /**
   * Ends the account of a user, before or after the site has deleted its own record: all tokens end, and no document
   * has the user's id afterwards. The entries of the audit stay, without address and with a pseudonym (a keyed digest
   * of the id). Ends first the sessions of your site; what a request has stored meanwhile is ended within 70 seconds. If
   * the call fails or the process is killed, call it again.
   *
   * @throws TypeError if an option is wrong
   */
  end(userId: string, options?: AccountEndOptions): Promise<EndedAccount>;
  /**
   * Reads what is stored about a user, for a request under Art. 15 GDPR.
   *
   * @throws TypeError if the id is not text
   */
  export(userId: string): Promise<ExportedAccount>;
}

export interface PeopleDependencies {
  readonly people: PeopleStore;
  readonly clients: ClientStore;
  readonly grants: Pick<GrantStore, 'leaveNamedTokens' | 'revokeAll'>;
  readonly service: Pick<ClientService, 'delete' | 'block' | 'addOwner' | 'removeOwner'>;
  /** Undefined if nobody signs in through this site. */
  readonly endSignIns: EndSignIns | undefined;
  readonly emit: Emit;
  /** Stores the entries of the audit that wait. */
  readonly flushAudit: () => Promise<unknown>;
  /** The key of the pseudonyms. */
  readonly serverSecret: string;
}

/** Milliseconds between the further runs: requests, and the audit of other processes, may come later. */
const PAUSES = [1000, 9000, 60_000];
/** Applications that are read together. */
const BATCH = 100;
/** Retried only if the owners of an application change at the same moment. */
const MAX_TRIES = 20;

interface Ending {
  readonly userId: string;
  readonly pseudonym: string;
  readonly applications: NonNullable<AccountEndOptions['applications']>;
  readonly heir: string | undefined;
}

type Ids<Lists> = { readonly [Name in keyof Lists]: Set<string> };
type Fate = keyof EndedAccount['applications'];

/** What several runs have done. */
interface Outcome {
  readonly applications: Ids<EndedAccount['applications']>;
  readonly serviceTokens: Ids<EndedAccount['serviceTokens']>;
  readonly documents: Record<string, Set<string>>;
}

/** The registry with what the server itself does with it. */
export interface RunningPeople extends PeopleRegistry {
  /** @param actor an administrator who does it by a page, and where the event goes */
  end(
    userId: string,
    options?: AccountEndOptions,
    actor?: { readonly actorId: string; readonly emit: Emit },
  ): Promise<EndedAccount>;
  close(): void;
}

/**
 * The options of `people.end`, for each function that ends an account.
 *
 * @throws TypeError with what is wrong
 */
export function parseAccountEnd(functionName: string, userId: string, given: AccountEndOptions) {
  const { applications = 'block', dryRun = false } = parseOptions(functionName, accountEndOptions, given);
  const heir = typeof applications === 'object' ? applications.transferTo : undefined;
  if (heir === userId) throw new TypeError(`${functionName}: transferTo is the user whose account ends`);
  return { applications, dryRun, heir };
}

export function createPeople(dependencies: PeopleDependencies): RunningPeople {
  const { people, emit, flushAudit, serverSecret } = dependencies;
  const timers = new Set<NodeJS.Timeout>();

  /** If a run fails, the next one tries again. A process that has nothing else to do may end. */
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
    async end(userId, given = {}, actor) {
      checkUserId('end', userId);
      const { applications, dryRun, heir } = parseAccountEnd('people.end', userId, given);
      const pseudonym = `deleted-user:${tagOf(JSON.stringify(['deleted user', userId]), serverSecret)}`;
      const ending = { userId, pseudonym, applications, heir };
      const outcome = noOutcome();
      if (dryRun) await previewEnd(dependencies, ending, outcome);
      else {
        await endAccess(dependencies, ending, outcome);
        const count = outcome.documents.oauth_grants?.size ?? 0;
        const actorId = actor?.actorId;
        await (actor?.emit ?? emit)('account.ended', { userId, count, ...(actorId && { actorId }) });
        await flushAudit();
        // the entries of the audit, and what came between the first steps
        await endAccess(dependencies, ending, outcome);
        endLater(ending, PAUSES);
      }
      return { pseudonym, ...(toLists(outcome) as Omit<EndedAccount, 'pseudonym'>) };
    },
    async export(userId) {
      checkUserId('export', userId);
      await flushAudit();
      const found = Object.entries(await people.find(userId)).map(([name, records]) => [
        name,
        records.map(({ members: { actorId, ip, ...members } }) =>
          // the address in an entry of the audit is that of whoever acted
          ip === undefined || (actorId !== undefined && actorId !== userId) ? members : { ...members, ip },
        ),
      ]);
      return {
        userId,
        exportedAt: new Date(),
        records: Object.fromEntries(found) as ExportedAccount['records'],
      };
    },
    close: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

function noOutcome(): Outcome {
  const ids = () => new Set<string>();
  return {
    applications: { blocked: ids(), deleted: ids(), transferred: ids(), left: ids() },
    serviceTokens: { ended: ids(), transferred: ids(), left: ids() },
    documents: {},
  };
}

function toLists(value: unknown): unknown {
  if (value instanceof Set) return [...(value as Set<string>)];
  return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, toLists(part)]));
}

function checkUserId(name: string, userId: unknown): void {
  if (requireString(`people.${name}`, 'userId', userId) === '')
    throw new TypeError(`people.${name}: userId must not be empty`);
}

/** Each step can be repeated, and leaves to the next run what it did not do. */
async function endAccess(dependencies: PeopleDependencies, ending: Ending, outcome: Outcome): Promise<void> {
  const { people, grants, clients, endSignIns } = dependencies;
  const { userId, pseudonym, heir } = ending;
  const now = new Date();
  // 1. clients are told before their sign-ins are forgotten
  await endSignIns?.({ userId }, now);
  // 2. what a silent request gets by a consent in the middle of this, the second run deletes
  await people.erase(userId, pseudonym, (name, ids) => {
    outcome.documents[name] = new Set([...(outcome.documents[name] ?? []), ...ids]);
  });
  // 3. what came meanwhile; the guards of this process also forget what they have cached
  await grants.revokeAll({ userId }, now);
  // 4. what the user looks after
  addTokens(outcome, await grants.leaveNamedTokens(userId, { heir, now }));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const owned = await clients.listOfPerson(userId, BATCH);
    if (owned.length === 0) return;
    for (const { clientId } of owned) {
      // read again: another owner may have accepted the application while the others were left
      const client = await clients.find(clientId);
      if (client === null) continue;
      const fate = fateOf(client, ending);
      if (!(await leaveApplication(dependencies, { ...ending, client, fate, now }))) continue;
      tries = 0;
      if (fate !== undefined) outcome.applications[fate].add(client.clientId);
    }
  }
  throw new Error(
    'people.end: the owners of applications have changed meanwhile, again and again; call it again',
  );
}

function addTokens({ serviceTokens }: Outcome, tokens: EndedAccount['serviceTokens']): void {
  for (const fate of ['ended', 'transferred', 'left'] as const)
    tokens[fate].forEach((id) => serviceTokens[fate].add(id));
}

/** Undefined: the user has only been invited, or has invited others. */
function fateOf(client: Client, { userId, applications }: Ending): Fate | undefined {
  if (!isOwner(client, userId)) return undefined;
  if (ownersOf(client).length > 1) return 'left';
  return typeof applications === 'object'
    ? 'transferred'
    : ({ block: 'blocked', delete: 'deleted' } as const)[applications];
}

/** False if the owners have changed since the application was read. */
async function leaveApplication(
  { clients, service }: PeopleDependencies,
  leaving: Ending & { readonly client: Client; readonly fate: Fate | undefined; readonly now: Date },
): Promise<boolean> {
  const { client, fate, userId, pseudonym, heir, now } = leaving;
  const { clientId } = client;
  // one event tells of the whole account
  const act = { now, emit: () => undefined };
  if (fate === 'deleted') return service.delete(clientId, act);
  if (fate === 'blocked') await service.block(clientId, act);
  try {
    if (fate === 'transferred' && heir !== undefined) await service.addOwner(clientId, heir, act);
    if (fate === 'transferred' || fate === 'left') await service.removeOwner(clientId, userId, act);
  } catch (error) {
    if (error instanceof OwnershipError) return false;
    throw error;
  }
  const change = await updateClient(clients, clientId, { now }, (before) => {
    const others = ownersOf(before).filter((owner) => owner !== userId);
    const isLast = isOwner(before, userId) && others.length === 0;
    // without an owner it would count as the site's
    if (isLast && before.blocked === undefined) return null;
    const invitations = before.invitations?.filter(
      (each) => each.userId !== userId && each.invitedBy !== userId,
    );
    return {
      changes: {
        ...ownedBy(isLast ? [pseudonym] : others),
        invitations: invitations?.length === 0 ? undefined : invitations,
      },
    };
  });
  return change === null || change.after !== change.before;
}

async function previewEnd(
  { people, clients, grants }: PeopleDependencies,
  ending: Ending,
  outcome: Outcome,
): Promise<void> {
  const { userId, heir } = ending;
  const stored = await people.find(userId);
  const found = Object.entries(stored);
  for (const [name, records] of found) {
    const ids = records.filter(({ isErased }) => isErased).map(({ id }) => id);
    if (ids.length > 0) outcome.documents[name] = new Set(ids);
  }
  addTokens(outcome, await grants.leaveNamedTokens(userId, { heir, now: new Date(), dryRun: true }));
  for (const client of await clients.findAll((stored.oauth_clients ?? []).map(({ id }) => id))) {
    const fate = fateOf(client, ending);
    if (fate !== undefined) outcome.applications[fate].add(client.clientId);
  }
}
