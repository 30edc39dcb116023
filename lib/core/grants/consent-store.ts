import type { Choices } from '../../settings/options/choice-options.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { ClientConsents } from '../clients/client-store.js';
import type { GrantFilter } from './grant-store.js';

/** A user's consent to a client, stored so that the same question is not asked twice. */
export interface Consent {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Only details of types that can compare a request with stored details (RFC 9396 §6.1). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  readonly endsAt?: Date;
  /** The clients to which the client may hand tokens on (RFC 8693 §4.4). */
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
   * Stores a decision: of the requested scopes, only the allowed ones. If `authorizationDetails` are present, the
   * decision replaces the stored details, choices, end and `mayAct`.
   */
  remember(
    userId: string,
    clientId: string,
    decided: ConsentDecision & { readonly allowed: readonly string[] },
  ): Promise<void>;
  /**
   * Removes the requested scopes. `authorizationDetails`, if present, replace the stored ones. Deletes the whole
   * consent if nothing was requested, or nothing is left.
   */
  withdraw(userId: string, clientId: string, denied: ConsentDecision): Promise<void>;
  /** Deletes the matching consents, in batches. The filter has no `kind`, because a consent has none. */
  forget(of: Omit<GrantFilter, 'kind'>): Promise<void>;
}
