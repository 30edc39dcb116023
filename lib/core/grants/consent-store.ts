import type { Choices } from '../../settings/options/choice-options.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { ClientConsents } from '../clients/client-store.js';
import type { GrantFilter } from './grant-store.js';

/** What a user has allowed a client, remembered so that the same question is not asked twice. */
export interface Consent {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Only of types that can compare a request with them (RFC 9396 §6.1). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  readonly endsAt?: Date;
  /** The clients that it may hand tokens on to (RFC 8693 §4.4). */
  readonly mayAct?: readonly string[];
  /** The client's name, by which lists are searched. */
  readonly clientName?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ConsentDecision extends Pick<
  Consent,
  'authorizationDetails' | 'choices' | 'endsAt' | 'mayAct' | 'clientName'
> {
  readonly requested: readonly string[];
  readonly now: Date;
}

export interface ConsentStore extends ClientConsents {
  findScopes(userId: string, clientId: string): Promise<readonly string[] | null>;
  findOfUser(userId: string, clientIds: readonly string[]): Promise<readonly Consent[]>;
  /**
   * Remembers what was decided: of the scopes that were asked for, only those that were allowed; if
   * `authorizationDetails` are present, exactly the given values of everything else.
   */
  remember(
    userId: string,
    clientId: string,
    decided: ConsentDecision & { readonly allowed: readonly string[] },
  ): Promise<void>;
  /** Removes what was asked for and denied; the whole consent if nothing was asked for, or nothing is left. */
  withdraw(userId: string, clientId: string, denied: ConsentDecision): Promise<void>;
  /** Forgets, in batches, the consents to what such grants have; the kind of a token is none of a consent. */
  forget(of: Omit<GrantFilter, 'kind'>): Promise<void>;
}
