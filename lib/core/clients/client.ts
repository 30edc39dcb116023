import type { CustomClientFields } from '../../shared/custom-fields.js';

/** A public key (RFC 7517 §4). */
export interface PublicJwk {
  readonly kty: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
  readonly key_ops?: string[];
  readonly x5c?: string[];
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
  /** Further members, such as the `ext` of keys that a browser exports. */
  readonly [member: string]: unknown;
}

/** The public keys of a client (RFC 7517 §5). */
export interface PublicJwks {
  readonly keys: readonly PublicJwk[];
}

/** RFC 6749 §2.1: whether the client can keep its credentials confidential. */
export type ClientType = 'confidential' | 'public';

/**
 * The registered fields of a client. Each list of rows adds its own fields, with their documentation: the core's are in
 * `client-fields.ts`, and a feature's in its folder.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the rows fill it
export interface ClientMetadata {}

/** A stored client secret. */
export interface ClientSecret {
  readonly hash: string;
  /** `sha256` for the random secrets made here, `bcrypt` for secrets that a user chose or brought along. */
  readonly algorithm: 'sha256' | 'bcrypt';
  /** The secret itself, encrypted under the site's `clientAuthentication.secretKey`: only for client_secret_jwt. */
  readonly sealed?: string;
  readonly createdAt: Date;
  /** The last four characters of a secret that was made here, so that its developer can recognize it. */
  readonly ending?: string;
  /** The day (UTC) of the last use; absent if there was none since days are recorded. */
  readonly lastUsedOn?: Date;
  /**
   * Whether HTTP Basic accepts the undecoded secret (RFC 6749 §2.3.1): the secret comes from a server that did not
   * decode it, and the client has not sent it form-urlencoded yet.
   */
  readonly isRawInBasic?: boolean;
  /** When the old secret of a rotation ends. */
  readonly expiresAt?: Date;
}

/**
 * What a client says about itself when it registers. It is stored and returned to the client; the consent page displays
 * its logo and pages under the conditions of `findDisplayedUri` (RFC 7591 §2, §5).
 */
export interface RegistrationDetails {
  readonly clientUri?: string;
  readonly logoUri?: string;
  readonly tosUri?: string;
  readonly policyUri?: string;
  readonly contacts?: readonly string[];
  readonly softwareId?: string;
  readonly softwareVersion?: string;
}

/** The data of a client that registered itself, besides its metadata. */
export interface ClientRegistration {
  /** The hash of the token that reads, changes and deletes the registration (RFC 7592 §1.2). */
  readonly accessTokenHash: string;
  /** Absent without details: some releases of Mongoose store no empty object. */
  readonly details?: RegistrationDetails | undefined;
  /** The statement as it was presented (RFC 7591 §3.2.1). */
  readonly softwareStatement?: string;
  /** Since when the client waits for its first grant; absent from then on. */
  readonly unusedSince?: Date;
  /** Set if the site vouches for the client, or once did: its registration access token has then ended. */
  readonly adoptedAt?: Date;
}

/** The approval or verification of a client by the site. */
export interface ClientReview {
  /** The digest of all reviewed fields of the client at that time: see `client-review.ts`. */
  readonly digest: string;
  /** The fields that others have changed since; absent if there are none. */
  readonly changed?: readonly string[];
}

/** The block of a client by an administrator: while it is present, the client gets no tokens. */
export interface ClientBlock {
  readonly at: Date;
  /** The reason that the client's owner sees. */
  readonly reason?: string;
}

/** The state of the document by which a client describes itself (OAuth Client ID Metadata Document). */
export interface ClientDocument {
  readonly fetchedAt: Date;
  /** When the document has to be fetched again. */
  readonly freshUntil: Date;
  /** True until the first user allows the client, which stores it; absent from then on. */
  readonly isUnstored?: true;
  /** Derived from the option `trust.verified`, and so never stored. */
  readonly isVerifiedByOptions?: true;
}

/** An invitation to become an owner of a client. */
export interface OwnerInvitation {
  readonly id: string;
  /** The invited user; absent if no user has the name that was typed, which the inviter does not learn. */
  readonly userId?: string;
  /** What the inviter typed. */
  readonly typed: string;
  /** `transfer`: the inviter stops being an owner once the invitation is accepted. */
  readonly as: 'owner' | 'transfer';
  readonly invitedBy: string;
  /** True if the inviter is an administrator and no owner; otherwise absent. */
  readonly byHost?: true;
  readonly expiresAt: Date;
}

/** A registered client from any source. It has hashes, so it must not be displayed unfiltered. */
export interface Client extends ClientMetadata {
  /** The site's fields. */
  readonly custom?: CustomClientFields;
  readonly clientId: string;
  /** The newest first; two during a rotation. */
  readonly secrets: readonly ClientSecret[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set if the client registered itself (RFC 7591): nobody of this site has checked it. */
  readonly registration?: ClientRegistration;
  /** Set if the client id is the address of a document about the client: nobody of this site has checked it. */
  readonly document?: ClientDocument;
  /** The scopes and grant types that code has allowed: the owner can choose among them on the applications page. */
  readonly allowed?: { readonly scopes?: readonly string[]; readonly grantTypes?: readonly string[] };
  /** Set until the site approves the client: until then only its owner can authorize it. */
  readonly awaitsApprovalSince?: Date;
  /** Absent if the site has not approved or verified the client since its registration. */
  readonly review?: ClientReview;
  /** When another user than the first became `ownerId`. */
  readonly ownerSince?: Date;
  /** The invitations to become owners, the newest last; some may have expired. */
  readonly invitations?: readonly OwnerInvitation[];
  /** Absent if the client is not blocked. */
  readonly blocked?: ClientBlock;
  /** When a client that registered or describes itself is removed. Its grants postpone that, if necessary. */
  readonly expiresAt?: Date;
}
