import type { CustomClientFields } from '../../../shared/custom-fields.js';
import type { WithScopeNames } from '../../../shared/protocol/scope.js';
import type { ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import type { ClientInfo } from './client-info.js';

/** Options of `block`. */
export interface BlockOptions {
  /** What the owner of the client is told, at most 500 characters. Default: nothing. */
  readonly reason?: string | undefined;
}

/** A client with its new secret, which is shown this once and cannot be read again. */
export interface ClientWithSecret extends ClientInfo {
  /** Absent for a public client. */
  readonly clientSecret?: string;
}

/** `undefined` is the same as left out. */
type LeftOut<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** What `clients.create` takes: a name, and redirect URIs if a grant type uses them; all else has a default. */
export interface NewClient extends LeftOut<Omit<ClientMetadata, 'name'>>, CustomClientFields {
  /** As the consent page shows it. */
  readonly name: string;
  /** Its id, printable ASCII. Default: a random UUID. (RFC 6749 §2.2) */
  readonly clientId?: string | undefined;
  /**
   * A secret that the client has already: at least 16 characters that are hard to guess, 32 bytes for
   * client_secret_jwt. The empty string makes a public client. Default: a new random one for a confidential client.
   * (RFC 6749 §2.3.1, §10.10)
   */
  readonly clientSecret?: string | undefined;
}

/** What `clients.update` takes. */
export type ClientChanges = Partial<ClientMetadata & CustomClientFields>;

/** The same as code gives it: `undefined` and `null` take an optional field away. */
export type ClientUpdate = {
  readonly [Name in keyof ClientChanges]: ClientChanges[Name] | null | undefined;
};

/** Registers and changes clients from code: seeds, scripts. All functions throw a TypeError if an id is not text. */
export interface ClientRegistry<Scopes extends string = string> {
  /**
   * Registers a client. Defaults: `type` confidential, `grantTypes` authorization_code and refresh_token as far as
   * they are on, `scopes` the default ones of the server, `trusted` false.
   *
   * @throws OAuthError invalid_redirect_uri or invalid_client_metadata (RFC 7591 §3.2.2)
   */
  create(client: WithScopeNames<NewClient, Scopes>): Promise<ClientWithSecret>;
  find(clientId: string): Promise<ClientInfo | null>;
  /** @throws OAuthError as `create`; resolves to null if there is no such client */
  update(clientId: string, changes: WithScopeNames<ClientUpdate, Scopes>): Promise<ClientInfo | null>;
  /** Makes a new secret; the old one goes on working for a day. */
  rotateSecret(clientId: string): Promise<ClientWithSecret | null>;
  /** Ends the old secret of a rotation now, instead of when its time is up. @returns null if there is no such client */
  revokeOldSecrets(clientId: string): Promise<ClientInfo | null>;
  /** Deletes the client with its grants and consents; its tokens end at once. False if there was none. */
  delete(clientId: string): Promise<boolean>;
  /**
   * Blocks the client: from then on it gets nothing, and its tokens are refused. What users have granted is kept for
   * `unblock`.
   *
   * @returns null if there is no such client
   * @throws OAuthError invalid_client_metadata if the reason is longer than 500 characters, or has invisible ones
   */
  block(clientId: string, options?: BlockOptions): Promise<ClientInfo | null>;
  /** Unblocks the client; what was granted and has not expired works again. @returns null if there is no such client */
  unblock(clientId: string): Promise<ClientInfo | null>;
  /**
   * Approves a client that waits for approval (the option `applications.approval`), so that users other than its owner
   * can authorize it.
   *
   * @returns null if there is no such client
   */
  approve(clientId: string): Promise<ClientInfo | null>;
  /**
   * Makes a user one more owner of the client, with the rights of the others. It is your own decision, so the client
   * stays `verified`.
   *
   * @returns null if there is no such client
   * @throws OAuthError invalid_client_metadata if it has 20 owners already
   */
  addOwner(clientId: string, userId: string): Promise<ClientInfo | null>;
  /**
   * Removes an owner; their invitations end.
   *
   * @returns null if there is no such client
   * @throws OAuthError invalid_client_metadata if nobody else owns it: a client without an owner would count as yours
   */
  removeOwner(clientId: string, userId: string): Promise<ClientInfo | null>;
  /** The clients a user owns, alone or with others, the newest first, at most 200. */
  listOfOwner(ownerId: string): Promise<ClientInfo[]>;
  /** What clients can be registered for here. */
  readonly limits: RegistrationLimits;
}
