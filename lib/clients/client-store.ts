import type { Client, ClientDocument, ClientMetadata, ClientSecret } from './client.js';
import type { ClientListName } from './client-lists.js';

export interface FindClientOptions {
  /**
   * Whether the client must be as it is at this moment. Default: true. With false it may be as it was some seconds ago,
   * where what is asked for was granted before and ends with the client.
   */
  readonly fresh?: boolean;
  /**
   * Whether a client that describes itself by a document may be as people have allowed it, for a while, if that
   * document cannot be had anew. Default: false. (RFC 5861 §4)
   */
  readonly staleIfError?: boolean;
}

/** Where a client is looked up by its id: the database, or anywhere else. */
export interface ClientSource {
  find(clientId: string, options?: FindClientOptions): Promise<Client | null>;
}

/** A place in a list that has the newest first. */
export interface ClientPlace {
  readonly date: Date;
  readonly id: string;
}

/** A part of the list of all clients, or of one of the others; `unused` are those that registered themselves alone. */
export interface ClientListQuery {
  readonly limit: number;
  readonly list?: ClientListName | 'unused' | undefined;
  /** The last client of the part before. */
  readonly after?: ClientPlace | undefined;
  /** The first client of the part after, in the place of that. */
  readonly before?: ClientPlace | undefined;
}

/** Where the clients of this site are kept; each operation is atomic. */
export interface ClientStore extends ClientSource {
  /** The names of the fields that the host has added. Default: none. */
  readonly customFields?: readonly string[];
  findAll(clientIds: readonly string[]): Promise<Client[]>;
  /** Their names alone, for many at once. */
  findNames(clientIds: readonly string[]): Promise<readonly Pick<Client, 'clientId' | 'name'>[]>;
  /**
   * The client as it is kept, with the defaults of the host's own fields; null if the id is taken.
   *
   * @throws OAuthError invalid_client_metadata if a validator of the host refuses it
   */
  insert(client: Client): Promise<Client | null>;
  /**
   * Changes a client that is as `before` still, by its `updatedAt`; null if it is not. What is there but undefined is
   * taken away. With `adopts` its registration access token ends, and it stays if it was not used yet.
   *
   * @throws OAuthError as `insert`
   */
  update(
    before: Client,
    changes: Partial<ClientMetadata> &
      Pick<
        Client,
        'custom' | 'allowed' | 'blocked' | 'awaitsApprovalSince' | 'document' | 'invitations' | 'ownerSince'
      >,
    options: { readonly now: Date; readonly adopts: boolean },
  ): Promise<Client | null>;
  /** Replaces the secrets if the newest one is still `currentHash` (undefined: there is none); false if it is not. */
  replaceSecrets(
    clientId: string,
    currentHash: string | undefined,
    secrets: readonly ClientSecret[],
  ): Promise<boolean>;
  /** Notes that a secret was used on a day, unless that or a later one is noted already. One command. */
  noteSecretUse(clientId: string, hash: string, day: Date): Promise<void>;
  /** Notes that the document of a client was fetched again, and says the same. One command. */
  noteDocument(clientId: string, document: ClientDocument): Promise<void>;
  delete(clientId: string): Promise<boolean>;
  /** Seconds: the longest life of access tokens that a client has of its own, 0 if none has. */
  longestAccessTokenTtl(): Promise<number>;
  /**
   * Called before a grant is stored or refreshed: a client that registered itself is in use, and lives longer than its
   * grants. Once in a week that is one command; true if it was. One that describes itself is stored by the first of
   * them: nobody had allowed it before.
   *
   * @throws OAuthError unauthorized_client if it was removed a moment ago
   */
  keep(client: Client, now: Date): Promise<boolean>;
  /** How many clients have registered themselves and have no grant yet, counted no further than `limit`. */
  countUnused(limit: number): Promise<number>;
  /** Removes the one of these that waits longest, if it does since before `before`; false if it has gone already. */
  removeOldestUnused(before: Date): Promise<boolean>;
  /**
   * Replaces what a client has registered of itself, all at once (what is undefined is taken away); false if its
   * registration access token or its secret is no longer the one in `current`, or the host vouches for it meanwhile.
   */
  replaceRegistered(current: Client, replacement: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Deletes a client by its registration access token; false if it is not that one's. */
  deleteRegistered(clientId: string, accessTokenHash: string): Promise<boolean>;
  /** Those that somebody owns, alone or with others, the newest first, at most `limit`. */
  listOfOwner(ownerId: string, limit: number): Promise<Client[]>;
  /** Those of which somebody was asked to become an owner, also if that has expired, at most `limit`. */
  listInvited(userId: string, limit: number): Promise<Client[]>;
  /** All clients, or those of a list, the newest first; those after or before a place in that order if it is given. */
  listNewest(query: ClientListQuery): Promise<Client[]>;
  /** The clients of some owners, in no order, at most `limit`. */
  listOfOwners(ownerIds: readonly string[], limit: number): Promise<Client[]>;
  /** Clients by how a word of their name, their id or a host begins, in no order, at most `limit`. */
  search(typed: string, limit: number): Promise<Client[]>;
  /** Makes clients of earlier releases be found by these, `limit` of them; true if there are no more. */
  completeLists(limit: number): Promise<boolean>;
  /** All clients by their ids, at most `limit`, those after an id if it is given. */
  list(limit: number, after?: string): Promise<Client[]>;
}

/** What clients have been granted, as far as a client that goes takes it along. */
export interface ClientGrants {
  /** Ends all grants of a client; says how many. */
  revokeAll(of: { readonly clientId: string }, now: Date): Promise<number>;
  /** Marks all grants of a client, so that nothing of them works, until `unblockAll`. */
  blockAll(clientId: string, now: Date): Promise<void>;
  /** Takes that back. */
  unblockAll(clientId: string): Promise<void>;
}

/** What people have allowed clients. */
export interface ClientConsents {
  /** Forgets what a client was allowed; says how many people had allowed it. */
  forget(of: { readonly clientId: string }): Promise<number>;
  /** The client is called something else: the lists of people find it by that. */
  rename(clientId: string, clientName: string): Promise<void>;
}

/** Where clients are kept, and what goes with them. */
export interface ClientStores {
  readonly clients: ClientStore;
  readonly grants: ClientGrants;
  readonly consents: ClientConsents;
}
