import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { ReportChange } from '../observability/events.js';
import type { Client, ClientDocument, ClientSecret } from './client.js';
import type { NamedClient } from './client-lists.js';

/** Seconds without a grant after which a client that registered itself is removed: 90 days. */
export const DEFAULT_USED_TTL = 90 * 86_400;

export interface FindClientOptions {
  /**
   * Whether the client must be read now. Default: true. With false it may be some seconds old: for requests about
   * earlier grants, which end with the client.
   */
  readonly fresh?: boolean;
  /**
   * Whether a client that describes itself by a document may be used for a while as it was last stored, if the document
   * cannot be fetched again. Default: false. (RFC 5861 §4)
   */
  readonly staleIfError?: boolean;
  /** The caller whose limit a fetch of the client's document counts against. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

/** Looks up a client by its id, in the database or elsewhere. */
export interface ClientSource {
  find(clientId: string, options?: FindClientOptions): Promise<Client | null>;
}

/** The store of this site's clients, as far as the core calls it; each operation is atomic. */
export interface ClientStore extends ClientSource {
  /** The names of the fields that the site has added. Default: none. */
  readonly customFields?: readonly string[];
  /** Only the names, for many clients at once. */
  findNames(clientIds: readonly string[]): Promise<readonly Pick<Client, 'clientId' | 'name'>[]>;
  /**
   * Stores a client and returns it with the defaults of the site's fields; null if the id is taken.
   *
   * @throws OAuthError invalid_client_metadata if a validator of the site refuses the client
   */
  insert(client: Client): Promise<Client | null>;
  /**
   * Changes a client unless its `updatedAt` differs from `before`; then null. Members that are present but undefined
   * are removed. `takesOver` ends its registration access token, and keeps the client even if it was never used.
   *
   * @throws OAuthError as `insert`
   */
  update(
    before: Client,
    changes: Partial<Client>,
    options: { readonly now: Date; readonly takesOver: boolean },
  ): Promise<Client | null>;
  /** Replaces the secrets unless the newest one differs from `currentHash` (undefined: no secret); then false. */
  replaceSecrets(
    clientId: string,
    currentHash: string | undefined,
    secrets: readonly ClientSecret[],
  ): Promise<boolean>;
  /** Records the day of a secret's use, unless that day or a later one is recorded already. One command. */
  noteSecretUse(clientId: string, hash: string, day: Date): Promise<void>;
  /** Ends the use of the undecoded secret in HTTP Basic. */
  endRawBasic(clientId: string, hash: string): Promise<void>;
  /** Records that a client's document was fetched again without a change. One command. */
  noteDocument(clientId: string, document: ClientDocument): Promise<void>;
  delete(clientId: string): Promise<boolean>;
  /**
   * Called before a grant is stored or refreshed: the client is in use, and must live longer than its grants. One
   * command a week; true if this call sent it. A client that describes itself is stored with its first grant.
   *
   * @throws OAuthError unauthorized_client if the client was removed a moment ago
   */
  prolong(client: Client, now: Date): Promise<boolean>;
  /**
   * Replaces a client's registered fields, all at once (undefined members are removed). False if the registration
   * access token or the secret differs from `current`, or if the site now vouches for the client.
   */
  replaceRegistered(current: Client, replacement: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Deletes a client if the registration access token belongs to it; otherwise false. */
  deleteRegistered(clientId: string, accessTokenHash: string): Promise<boolean>;
  /** The clients that a user owns, alone or with others, the newest first, at most `limit`. */
  listOfOwner(ownerId: string, limit: number): Promise<Client[]>;
  /** The clients that a user was invited to own, even if the invitation has expired, at most `limit`. */
  listInvited(userId: string, limit: number): Promise<Client[]>;
  /** The ids of the clients that a user owns, is invited to or has invited others to, in batches, in no order. */
  idsOfPerson(userId: string): AsyncIterable<readonly string[]>;
  /**
   * The clients with a protected name, by the skeletons of names that look like theirs, except the client of this id
   * and the clients of this owner. One command.
   */
  findByName(
    skeletons: readonly string[],
    except: { readonly clientId?: string | undefined; readonly ownerId?: string | undefined },
  ): Promise<readonly NamedClient[]>;
}

/** The use of a client, from its newest grants. */
export interface GrantUsage {
  readonly clientId: string;
  /** How many grants were read. */
  readonly grants: number;
  /** How many users have a grant that is not revoked. */
  readonly users: number;
  readonly lastIssuedAt: Date | null;
}

export interface ClientGrants {
  /** Ends all grants of a client; resolves to their number. */
  revokeAll(of: { readonly clientId: string }, now: Date): Promise<number>;
  /**
   * Marks all grants of a client as blocked: none of their tokens works, and no code or refresh token is accepted,
   * until `unblockAll`. Earlier marks stay. Tokens that were exchanged through the client in other grants end.
   */
  blockAll(clientId: string, now: Date): Promise<void>;
  unblockAll(clientId: string): Promise<void>;
  /** The recent use of each client, from its newest `limit` grants; clients without grants are left out. */
  usageOf(clientIds: readonly string[], limit: number): Promise<GrantUsage[]>;
}

export interface ClientConsents {
  /** Deletes all consents to a client. */
  forget(of: { readonly clientId: string }): Promise<void>;
  /** Stores the client's new name in the consents, whose lists are searched by name. */
  rename(clientId: string, clientName: string): Promise<void>;
  /** How many users have a consent to each client, counted up to `limit`; clients without consents are left out. */
  countUsers(
    clientIds: readonly string[],
    limit: number,
  ): Promise<{ readonly clientId: string; readonly users: number }[]>;
}

export interface ClientStores {
  readonly clients: ClientStore;
  readonly grants: ClientGrants;
  readonly consents: ClientConsents;
  readonly reportChange: ReportChange;
}
