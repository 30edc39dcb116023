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
 * What a client is registered with. Each list of rows adds its own fields, with their documentation: the core's are in
 * `client-fields.ts`, and a feature's in its folder.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the rows fill it
export interface ClientMetadata {}

/** A client secret as it is kept. */
export interface ClientSecret {
  readonly hash: string;
  /** `sha256` for the random secrets made here, `bcrypt` for those that a user chose or brought along. */
  readonly algorithm: 'sha256' | 'bcrypt';
  /** The secret itself, encrypted under the site's `clientAuthentication.secretKey`: for client_secret_jwt alone. */
  readonly sealed?: string;
  readonly createdAt: Date;
  /** The last four characters of a secret that was made here, so that its developer can tell it from another one. */
  readonly ending?: string;
  /** The day (UTC) on which it was last used; absent if it was not used since days are noted. */
  readonly lastUsedOn?: Date;
  /**
   * Whether HTTP Basic may have it as it is, in place of form-urlencoded (RFC 6749 §2.3.1): it comes from a server that
   * read it so, and nobody has sent it encoded yet.
   */
  readonly isRawInBasic?: boolean;
  /** Set if the secret was rotated: the old one works until then. */
  readonly expiresAt?: Date;
}

/**
 * What a client says about itself when it registers. It is kept and given back to it; its logo and its pages are shown
 * to users, if they may be believed (RFC 7591 §2, §5).
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

/** What a client that registered itself has beside its metadata. */
export interface ClientRegistration {
  /** Of the token that reads, changes and deletes the registration (RFC 7592 §1.2). */
  readonly accessTokenHash: string;
  /** Absent if it says nothing about itself: some releases of Mongoose store no empty object. */
  readonly details?: RegistrationDetails | undefined;
  /** As it was presented (RFC 7591 §3.2.1). */
  readonly softwareStatement?: string;
  /** Since when it waits for its first grant; absent from then on. */
  readonly unusedSince?: Date;
  /** Set if the site vouches for the client, or once did: its token has then ended. */
  readonly adoptedAt?: Date;
}

/** What somebody of this site has approved or verified. */
export interface ClientReview {
  /** Of all the fields of the client that count for that, as they were then: see `client-review.ts`. */
  readonly digest: string;
  /** The fields that others have changed since; absent if they have changed none. */
  readonly changed?: readonly string[];
}

/** Says that an administrator has blocked a client: as long as it is there, the client gets nothing. */
export interface ClientBlock {
  readonly at: Date;
  /** What its owner is told. */
  readonly reason?: string;
}

/** What is known of the document by which a client describes itself (OAuth Client ID Metadata Document). */
export interface ClientDocument {
  readonly fetchedAt: Date;
  /** When it is to be fetched again. */
  readonly freshUntil: Date;
  /** True until the first user allows the client, which is not stored before; absent from then on. */
  readonly isUnstored?: true;
  /** Follows from the option `trust.verified`, and so is never stored. */
  readonly isVerifiedByOptions?: true;
}

/** Says that somebody was asked to become an owner of a client. */
export interface OwnerInvitation {
  readonly id: string;
  /** Who was asked; absent if nobody was found by what was typed, which the inviter is not told. */
  readonly userId?: string;
  /** What the inviter typed. */
  readonly typed: string;
  /** `transfer`: the inviter stops being an owner as soon as it is accepted. */
  readonly as: 'owner' | 'transfer';
  readonly invitedBy: string;
  /** True if the inviter is an administrator and no owner; otherwise absent. */
  readonly byHost?: true;
  readonly expiresAt: Date;
}

/** A registered client, wherever it comes from; it holds hashes, so it is not shown to anybody as it is. */
export interface Client extends ClientMetadata {
  /** The site's own fields. */
  readonly custom?: CustomClientFields;
  readonly clientId: string;
  /** The newest first; a second one while it is being rotated. */
  readonly secrets: readonly ClientSecret[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set if it registered itself (RFC 7591): nobody of this site has looked at it. */
  readonly registration?: ClientRegistration;
  /** Set if its client id is the address of a document about it: nobody of this site has looked at it. */
  readonly document?: ClientDocument;
  /** What code has registered it for: its owner can choose among that on the applications page. */
  readonly allowed?: { readonly scopes?: readonly string[]; readonly grantTypes?: readonly string[] };
  /** Set until somebody of the site has approved it: until then only its owner can authorize it. */
  readonly awaitsApprovalSince?: Date;
  /** Absent if nobody of the site has approved or verified it since it was registered. */
  readonly review?: ClientReview;
  /** Since when `ownerId` is somebody other than it was registered for. */
  readonly ownerSince?: Date;
  /** Those who were asked to become owners, the newest last; some may have expired. */
  readonly invitations?: readonly OwnerInvitation[];
  /** Absent if it is not blocked. */
  readonly blocked?: ClientBlock;
  /** Set if it registered or describes itself: when it is removed. Its grants move that on, if necessary. */
  readonly expiresAt?: Date;
}
