import type { AuthorizationDetail } from '../protocol/authorization-details.js';
import type { Choices } from '../settings/choice-options.js';
import type { DatedIds, ListOrder, ReboundChoice } from './grant-store.js';

/** What a user has allowed a client, remembered so that the same question is not asked twice. */
export interface Consent {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Of the types that can compare what is asked for with it (RFC 9396 §6.1). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** What the person has picked. */
  readonly choices?: Choices;
  /** When the access ends that they have picked. */
  readonly endsAt?: Date;
  /** How the client is called, for lists that are searched by it; those from before 0.2 do not have it. */
  readonly clientName?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What is remembered of a decision. */
export interface RememberedDecision extends Pick<
  Consent,
  'authorizationDetails' | 'choices' | 'endsAt' | 'clientName'
> {
  readonly asked: readonly string[];
  readonly now: Date;
}

/** The clients that a user has allowed something, with the dates of that. */
export interface NamedIds {
  readonly ids: readonly string[];
  /** null if it is not kept. */
  readonly names: readonly (string | null)[];
  readonly dates: readonly Date[];
}

/** Where consents are kept. */
export interface ConsentStore {
  /** The scopes the user has allowed the client so far. */
  findScopes(userId: string, clientId: string): Promise<readonly string[] | null>;
  /** The clients that a user has allowed something, what was allowed last, or first of all last, first. */
  listOfUser(userId: string, list: ListOrder): Promise<DatedIds>;
  /** The same with the names that are kept, in no order. */
  listNames(userId: string, list: ListOrder): Promise<NamedIds>;
  /** Its client is called something else. */
  rename(clientId: string, clientName: string): Promise<void>;
  /** What a user has allowed these clients, in no order. */
  findOfUser(userId: string, clientIds: readonly string[]): Promise<readonly Consent[]>;
  /**
   * Remembers what was decided: of the scopes that were asked for, those that were allowed and no others; of what is
   * beside them, if `authorizationDetails` are there, exactly this.
   */
  remember(
    userId: string,
    clientId: string,
    decided: RememberedDecision & { readonly allowed: readonly string[] },
  ): Promise<void>;
  /** Takes out what was asked for and denied; where nothing was asked for, or nothing is left, all of it goes. */
  withdraw(userId: string, clientId: string, denied: RememberedDecision): Promise<void>;
  /** Puts some in the place of others, where there is a consent; what is asked for next is asked of the person. */
  narrow(
    userId: string,
    clientId: string,
    narrowed: { readonly lost: readonly string[]; readonly left: readonly string[]; readonly now: Date },
  ): Promise<void>;
  /** What was picked is something else, where there is a consent with that choice. */
  rebind(
    userId: string,
    clientId: string,
    rebound: Pick<ReboundChoice, 'name' | 'value' | 'endsAt'> & { readonly now: Date },
  ): Promise<void>;
  /** Forgets what a user allowed, or what a client was allowed, or both; says how many. */
  forget(of: { readonly userId?: string; readonly clientId?: string }): Promise<number>;
  /**
   * How many users have allowed each of the clients, counted no further than `limit`; a client without one is
   * not in it.
   */
  countUsers(
    clientIds: readonly string[],
    limit: number,
  ): Promise<{ readonly clientId: string; readonly users: number }[]>;
}
