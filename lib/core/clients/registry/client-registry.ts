import type { CustomClientFields } from '../../../shared/custom-fields.js';
import type { WithScopeNames } from '../../../shared/protocol/scope.js';
import type { ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import type { ClientInfo } from './client-info.js';

/** Options of `block`. */
export interface BlockOptions {
  /** The reason that the owner of the client sees, at most 500 characters. Default: none. */
  readonly reason?: string | undefined;
}

/** A client with its new secret, which appears only here and cannot be read again. */
export interface ClientWithSecret extends ClientInfo {
  /** Absent for a public client. */
  readonly clientSecret?: string;
}

/** `undefined` means absent. */
type LeftOut<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** The argument of `clients.create`: a name, and redirect URIs if a grant type uses them; the rest has defaults. */
export interface NewClient extends LeftOut<Omit<ClientMetadata, 'name'>>, CustomClientFields {
  /** The name on the consent page. */
  readonly name: string;
  /** The client's id, printable ASCII. Default: a random UUID. (RFC 6749 §2.2) */
  readonly clientId?: string | undefined;
  /**
   * The client's existing secret: at least 16 characters that are hard to guess, 32 bytes for client_secret_jwt. The
   * empty string makes a public client. Default: a new random one for a confidential client. (RFC 6749 §2.3.1, §10.10)
   */
  readonly clientSecret?: string | undefined;
}

/** The changes of `clients.update`. */
export type ClientChanges = Partial<ClientMetadata & CustomClientFields>;

/** The argument of `clients.update`: `undefined` and `null` remove an optional field. */
export type ClientUpdate = {
  readonly [Name in keyof ClientChanges]: ClientChanges[Name] | null | undefined;
};

/** Registers and changes clients from code: seeds, scripts. All functions throw a TypeError if an id is not text. */
export interface ClientRegistry<Scopes extends string = string> {
  /**
   * Registers a client. Defaults: `type` confidential, `grantTypes` authorization_code and refresh_token if enabled,
   * `scopes` the default scopes of the server, `trusted` false.
   *
   * @throws OAuthError invalid_redirect_uri or invalid_client_metadata (RFC 7591 §3.2.2)
   */
  create(client: WithScopeNames<NewClient, Scopes>): Promise<ClientWithSecret>;
  find(clientId: string): Promise<ClientInfo | null>;
  /** @throws OAuthError as `create`; resolves to null if there is no such client */
  update(clientId: string, changes: WithScopeNames<ClientUpdate, Scopes>): Promise<ClientInfo | null>;
  /** Makes a new secret; the old one stays valid for a day. */
  rotateSecret(clientId: string): Promise<ClientWithSecret | null>;
  /** Ends the old secret of a rotation before its time is up. @returns null if there is no such client */
  revokeOldSecrets(clientId: string): Promise<ClientInfo | null>;
  /** Deletes the client with its grants and consents; its tokens end at once. False if there was no such client. */
  delete(clientId: string): Promise<boolean>;
  /**
   * Blocks the client: it gets no more tokens, and its tokens are refused. The users' grants are kept for `unblock`.
   *
   * @returns null if there is no such client
   * @throws OAuthError invalid_client_metadata if the reason is longer than 500 characters, or has invisible ones
   */
  block(clientId: string, options?: BlockOptions): Promise<ClientInfo | null>;
  /** Unblocks the client; grants that have not expired work again. @returns null if there is no such client */
  unblock(clientId: string): Promise<ClientInfo | null>;
  /**
   * Approves a client that waits for approval (the option `applications.approval`), so that users other than its owner
   * can authorize it.
   *
   * @returns null if there is no such client
   */
  approve(clientId: string): Promise<ClientInfo | null>;
  /**
   * Adds an owner of the client, with equal rights. You decide this yourself, so the client stays `verified`.
   *
   * @returns null if there is no such client
   * @throws OAuthError invalid_client_metadata if it has 20 owners already
   */
  addOwner(clientId: string, userId: string): Promise<ClientInfo | null>;
  /**
   * Removes an owner, whose invitations end.
   *
   * @returns null if there is no such client
   * @throws OAuthError invalid_client_metadata if nobody else owns it: a client without an owner would count as yours
   */
  removeOwner(clientId: string, userId: string): Promise<ClientInfo | null>;
  /** The clients that a user owns, alone or with others, the newest first, at most 200. */
  listOfOwner(ownerId: string): Promise<ClientInfo[]>;
  /** The limits of this server on registrations. */
  readonly limits: RegistrationLimits;
}
