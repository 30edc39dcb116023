import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { ReportChange } from '../observability/events.js';
import type { Client, ClientDocument, ClientSecret } from './client.js';
import type { NamedClient } from './client-lists.js';

/** Seconds without a grant after which a client that registered itself is removed: 90 days. */
export const DEFAULT_USED_TTL = 90 * 86_400;

export interface FindClientOptions {
  /**
   * Whether the client must be as it is at this moment. Default: true. With false it may be as it was some seconds ago:
   * for requests about what was granted before, and ends with the client.
   */
  readonly fresh?: boolean;
  /**
   * Whether a client that describes itself by a document may for a while be used as users have allowed it, if that
   * document cannot be fetched again. Default: false. (RFC 5861 §4)
   */
  readonly staleIfError?: boolean;
  /** Who is charged if a document of the client has to be fetched. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

/** Where a client is looked up by its id: the database, or anywhere else. */
export interface ClientSource {
  find(clientId: string, options?: FindClientOptions): Promise<Client | null>;
}

/** Where the clients of this site are kept, as far as the core calls it; each operation is atomic. */
export interface ClientStore extends ClientSource {
  /** The names of the fields that the site has added. Default: none. */
  readonly customFields?: readonly string[];
  /** Only their names, for many at once. */
  findNames(clientIds: readonly string[]): Promise<readonly Pick<Client, 'clientId' | 'name'>[]>;
  /**
   * The client as it is kept, with the defaults of the site's own fields; null if the id is taken.
   *
   * @throws OAuthError invalid_client_metadata if a validator of the site refuses it
   */
  insert(client: Client): Promise<Client | null>;
  /**
   * Changes a client if by its `updatedAt` it is still as `before`; otherwise null. Members that are present but
   * undefined are removed. With `adopts` its registration access token ends, and the client is kept even if it was
   * never used.
   *
   * @throws OAuthError as `insert`
   */
  update(
    before: Client,
    changes: Partial<Client>,
    options: { readonly now: Date; readonly takesOver: boolean },
  ): Promise<Client | null>;
  /** Replaces the secrets if the newest one is still `currentHash` (undefined: there is none); false if it is not. */
  replaceSecrets(
    clientId: string,
    currentHash: string | undefined,
    secrets: readonly ClientSecret[],
  ): Promise<boolean>;
  /** Notes that a secret was used on a day, unless that day or a later one is noted already. One command. */
  noteSecretUse(clientId: string, hash: string, day: Date): Promise<void>;
  /** Ends that HTTP Basic may have the secret as it is. */
  endRawBasic(clientId: string, hash: string): Promise<void>;
  /** Notes that the document of a client was fetched again and has not changed. One command. */
  noteDocument(clientId: string, document: ClientDocument): Promise<void>;
  delete(clientId: string): Promise<boolean>;
  /**
   * Called before a grant is stored or refreshed, since a client that registered itself is then in use, and must live
   * longer than its grants. It is one command a week; true if it was this time. A client that describes itself is
   * stored with its first grant, as nobody had allowed it before.
   *
   * @throws OAuthError unauthorized_client if it was removed a moment ago
   */
  prolong(client: Client, now: Date): Promise<boolean>;
  /**
   * Replaces what a client has registered about itself, all at once (undefined members are removed). False if its
   * registration access token or its secret is no longer the one in `current`, or if the site now vouches for it.
   */
  replaceRegistered(current: Client, replacement: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Deletes a client if the registration access token is its own; false otherwise. */
  deleteRegistered(clientId: string, accessTokenHash: string): Promise<boolean>;
  /** The clients that a user owns, alone or with others, the newest first, at most `limit`. */
  listOfOwner(ownerId: string, limit: number): Promise<Client[]>;
  /** The clients that a user was asked to own, even if the invitation has expired, at most `limit`. */
  listInvited(userId: string, limit: number): Promise<Client[]>;
  /** The ids of the clients that a user owns, is invited to or has invited others to, in batches, in no order. */
  idsOfPerson(userId: string): AsyncIterable<readonly string[]>;
  /**
   * Clients whose names others may not take, by skeletons of what could be taken for them: neither the one of this
   * id, nor those of this owner. One command.
   */
  findByName(
    skeletons: readonly string[],
    except: { readonly clientId?: string | undefined; readonly ownerId?: string | undefined },
  ): Promise<readonly NamedClient[]>;
}

/** What the newest grants of a client say about its use. */
export interface GrantUsage {
  readonly clientId: string;
  /** How many grants were read. */
  readonly grants: number;
  /** How many users have one that is not revoked. */
  readonly users: number;
  readonly lastIssuedAt: Date | null;
}

export interface ClientGrants {
  /** Ends all grants of a client; resolves to how many. */
  revokeAll(of: { readonly clientId: string }, now: Date): Promise<number>;
  /**
   * Marks all grants of a client as blocked: none of their tokens works, and no code or refresh token is accepted,
   * until `unblockAll`. Earlier marks stay. The tokens that came through it in grants of others end.
   */
  blockAll(clientId: string, now: Date): Promise<void>;
  unblockAll(clientId: string): Promise<void>;
  /** How each client was used lately, going by its newest `limit` grants; clients without grants are left out. */
  usageOf(clientIds: readonly string[], limit: number): Promise<GrantUsage[]>;
}

export interface ClientConsents {
  /** Forgets what a client was allowed. */
  forget(of: { readonly clientId: string }): Promise<void>;
  /** Gives the client its new name in the lists of users, which are searched by it. */
  rename(clientId: string, clientName: string): Promise<void>;
  /** How many users have allowed each of the clients, counted up to `limit`; clients without any are left out. */
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
