import type { DomainCaps } from '../../settings/features/client-document-options.js';
import type { Profile } from '../../settings/features/profile-options.js';

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

/** What a client is registered with. */
export interface ClientMetadata {
  /** As the consent page shows it, at most 100 characters. */
  readonly name: string;
  /** `confidential`, or `public`: whether it can keep a secret. Default: `confidential`. (RFC 6749 §2.1) */
  readonly type: ClientType;
  /**
   * Where codes may be sent, compared exactly; on loopback any port will do. Default: none. (RFC 6749 §3.1.2.2, RFC
   * 8252 §7.3)
   */
  readonly redirectUris: readonly string[];
  /** The scopes that it may ask for. Default: `defaultScopes` of the server, or all. (RFC 6749 §3.3) */
  readonly scopes: readonly string[];
  /**
   * The ways in which it may get tokens. Default: authorization_code and refresh_token, as far as they are on. (RFC
   * 6749 §1.3)
   */
  readonly grantTypes: readonly string[];
  /** A first-party client that the host vouches for: the consent page is skipped. Default: `false`. */
  readonly trusted: boolean;
  /** A resource server that may ask about tokens (RFC 7662 §2.1); confidential clients only. Default: `false`. */
  readonly introspection?: boolean;
  /** The host has checked who is behind it, and the consent page says so. Default: `false`. */
  readonly verified?: boolean;
  /**
   * The URLs of the resource servers that it is (the issuer is one). Introspection tells it only about access tokens
   * for these. Default: about all tokens. (RFC 7662 §4, RFC 8707)
   */
  readonly resources?: readonly string[];
  /**
   * The one way it authenticates: client_secret_basic, client_secret_post, none, private_key_jwt, client_secret_jwt,
   * with the option `mutualTls` tls_client_auth or self_signed_tls_client_auth, and with `spiffe` spiffe_jwt. Default:
   * private_key_jwt if it has keys, tls_client_auth if it has the subject of a certificate, spiffe_jwt if it has a
   * `spiffeId`, otherwise its secret in either way, or none. (RFC 7591 §2)
   */
  readonly tokenEndpointAuthMethod?: string;
  /**
   * The response types that it may use, among those of its grant types. If the site has those of OpenID Connect, a
   * client that registers itself gets only the ones it has named. Default: all. (OpenID Connect Registration §2)
   */
  readonly responseTypes?: readonly string[];
  /**
   * The one algorithm of the JWTs with which it authenticates. Default: any that is supported. (OpenID Connect
   * Registration §2)
   */
  readonly tokenEndpointAuthSigningAlg?: string;
  /** The public keys of its private_key_jwt, or its certificates (`x5c`), by value. (RFC 7517 §5) */
  readonly jwks?: PublicJwks;
  /** Where its public keys are, instead of `jwks`. (RFC 7591 §2) */
  readonly jwksUri?: string;
  /** Seconds that its access tokens are valid. Default: as the server's own option. */
  readonly accessTokenTtl?: number;
  /** Seconds that its refresh tokens can stay unused. Default: as the server's own option. */
  readonly refreshTokenTtl?: number;
  /**
   * Whether its refresh token is replaced with each use (`rotate`), or stays the same (`keep`): for account linking, and
   * for clients of which several instances use one token. Confidential clients can keep theirs, and public ones with
   * `dpopBoundAccessTokens`, since a stolen one is of no use without the credentials or the key. Default: `rotate`. (RFC
   * 9700 §4.14.2)
   */
  readonly refreshTokens?: 'rotate' | 'keep';
  /** How many access tokens it may get in an hour; beyond that the answer is 429. Default: no cap. */
  readonly tokensPerHour?: number;
  /** How many of its grants may be live at once, for all people together. Default: no cap. */
  readonly maxGrants?: number;
  /** It has to push its requests. Needs the option `pushedRequests`. Default: `false`. (RFC 9126 §6) */
  readonly requirePushedAuthorizationRequests?: boolean;
  /** It has to sign its requests. Needs the option `signedRequests`. Default: `false`. (RFC 9101 §10.5) */
  readonly requireSignedRequestObject?: boolean;
  /**
   * The exact addresses of its signed requests that it may name in `request_uri`. Needs the option
   * `signedRequests.byReference`. Default: none. (RFC 9101 §5.2, OpenID Connect Registration §2)
   */
  readonly requestUris?: readonly string[];
  /**
   * Where it may send people after it had them log out here, compared exactly. Needs the option `openid`. Default:
   * none. (OpenID Connect RP-Initiated Logout §3.1)
   */
  readonly postLogoutRedirectUris?: readonly string[];
  /** Where it is told that somebody has logged out. Default: nowhere. (OpenID Connect Back-Channel Logout §2.2) */
  readonly backchannelLogoutUri?: string;
  /** It has to be told which session ended; it always is. (OpenID Connect Back-Channel Logout §2.2) */
  readonly backchannelLogoutSessionRequired?: boolean;
  /**
   * A page of its own that logs people out, which the browser loads in a frame. Default: none. (OpenID Connect
   * Front-Channel Logout §2)
   */
  readonly frontchannelLogoutUri?: string;
  /** It has to be told there which session ended; it always is. (OpenID Connect Front-Channel Logout §2) */
  readonly frontchannelLogoutSessionRequired?: boolean;
  /** Each of its tokens is bound to a key of its own. Needs the option `dpop`. Default: `false`. (RFC 9449 §5.2) */
  readonly dpopBoundAccessTokens?: boolean;
  /**
   * It may exchange access tokens of others for its own: those that were issued to it, those for a resource that it is
   * (`resources`), and those of clients that name it in `mayAct`. Needs the option `tokenExchange`, and the grant type
   * `urn:ietf:params:oauth:grant-type:token-exchange`; confidential clients only. Default: `false`. (RFC 8693 §2.1)
   */
  readonly mayExchange?: boolean;
  /**
   * The ids of the clients that it may hand access tokens on to; the consent page says so. They need `mayExchange`.
   * Needs the option `tokenExchange`. Default: none. (RFC 8693 §4.4)
   */
  readonly mayAct?: readonly string[];
  /**
   * The types of authorization details that it may ask for. In its own name, without a person, it can ask for these
   * alone. Default: all that a person can allow. (RFC 9396 §10)
   */
  readonly authorizationDetailsTypes?: readonly string[];
  /**
   * For tls_client_auth, one of five fields: the subject of its certificate, as RFC 4514 writes it. Needs the option
   * `mutualTls`: `CN=shop,O=Print,C=DE`. (RFC 8705 §2.1.2)
   */
  readonly tlsClientAuthSubjectDn?: string;
  /** Or a host name among the alternative names of its certificate. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanDns?: string;
  /** Or a URI there. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanUri?: string;
  /** Or an IP address there. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanIp?: string;
  /** Or an e-mail address there. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanEmail?: string;
  /** Each of its tokens is bound to its certificate. Needs the option `mutualTls`. Default: `false`. (RFC 8705 §3.4) */
  readonly tlsClientCertificateBoundAccessTokens?: boolean;
  /**
   * For spiffe_jwt, the SPIFFE ID of its JWT-SVIDs, `spiffe://photos.example/ns/prod/sa/publisher`, or all those below
   * one: `spiffe://photos.example/ns/prod/*`. Needs the option `spiffe`. (OAuth SPIFFE Client Authentication, draft 02,
   * §5.1)
   */
  readonly spiffeId?: string;
  /**
   * The profile of FAPI 2.0 that it is held to, whatever others are held to. Default: that of the option `profile`.
   * (FAPI 2.0 Security Profile, FAPI 2.0 Message Signing)
   */
  readonly profile?: Profile;
  /** The one algorithm with which it signs its requests. Default: any that is supported. (RFC 9101 §4) */
  readonly requestObjectSigningAlg?: string;
  /**
   * The algorithm with which it encrypts its signed requests to a key of this site: ECDH-ES, ECDH-ES+A128KW,
   * ECDH-ES+A256KW or RSA-OAEP-256. Requests that are only signed are then refused. Needs the option
   * `signedRequests.encryption`. Default: it may encrypt them with any, or not at all. (RFC 9101 §4, OpenID Connect
   * Registration §2)
   */
  readonly requestObjectEncryptionAlg?: string;
  /** The algorithm that then encrypts their content. Default: A128CBC-HS256. (OpenID Connect Registration §2) */
  readonly requestObjectEncryptionEnc?: string;
  /**
   * The algorithm that signs its signed answers. Needs the option `signedResponses`. Default: RS256 if there is such a
   * key, otherwise the server's usual one. (JARM §3)
   */
  readonly authorizationSignedResponseAlg?: string;
  /**
   * The algorithm that encrypts its signed answers to a key in its `jwks` or at its `jwksUri`: ECDH-ES (+A128KW,
   * +A256KW), RSA-OAEP or RSA-OAEP-256. Needs the option `signedResponses`. Default: they are not encrypted. (JARM §3)
   */
  readonly authorizationEncryptedResponseAlg?: string;
  /** The algorithm that then encrypts their content. Default: A128CBC-HS256. (JARM §3) */
  readonly authorizationEncryptedResponseEnc?: string;
  /**
   * The algorithm that signs its ID tokens. Needs the option `openid`. Default: RS256. (OpenID Connect Registration §2)
   */
  readonly idTokenSignedResponseAlg?: string;
  /**
   * The algorithm that encrypts its ID tokens to a key in its `jwks` or at its `jwksUri`. Default: they are not
   * encrypted. (OpenID Connect Registration §2)
   */
  readonly idTokenEncryptedResponseAlg?: string;
  /** The algorithm that then encrypts their content. Default: A128CBC-HS256. */
  readonly idTokenEncryptedResponseEnc?: string;
  /** The algorithm that signs answers of userinfo. Default: they are plain JSON. (OpenID Connect Registration §2) */
  readonly userinfoSignedResponseAlg?: string;
  /** The algorithm that encrypts them, signed or not. Default: they are not encrypted. */
  readonly userinfoEncryptedResponseAlg?: string;
  /** The algorithm that then encrypts their content. Default: A128CBC-HS256. */
  readonly userinfoEncryptedResponseEnc?: string;
  /** `acr_values` for requests that name none; your login page gets them. (OpenID Connect Registration §2) */
  readonly defaultAcrValues?: readonly string[];
  /** Seconds: `max_age` for requests that name none. Default: none. (OpenID Connect Registration §2) */
  readonly defaultMaxAge?: number;
  /**
   * Whether its ID tokens have to say when the login was. Default: they say it if it is known. (OpenID Connect
   * Registration §2)
   */
  readonly requireAuthTime?: boolean;
  /** `web` or `native`: its redirect URIs must then suit that. Default: not known. (OpenID Connect Registration §2) */
  readonly applicationType?: 'web' | 'native';
  /**
   * `pairwise`: it knows people by a `sub` that clients of other sectors do not see. It hears of people only at its
   * redirect URIs, so it can have only the grant types that lead there. Needs the option `openid.pairwise`. Default:
   * `public`, the id of the person. (OpenID Connect Core §8)
   */
  readonly subjectType?: 'public' | 'pairwise';
  /**
   * An https: URL of a JSON array that lists all its redirect URIs, and those of the other clients that know people by
   * the same pairwise `sub`. It is fetched when the client is registered, or changes its redirect URIs. Default: the
   * sector is the host of its redirect URIs. (OpenID Connect Core §8.1)
   */
  readonly sectorIdentifierUri?: string;
  /** Where others may send people to log in to it, an https: URL. (OpenID Connect Core §4) */
  readonly initiateLoginUri?: string;
  /**
   * Who must send a PKCE challenge, for this client alone: it may be an old one that cannot. Default: as the option
   * `pkce`.
   */
  readonly pkce?: 'public' | 'all' | 'optional';
  /** What it is for, at most 200 characters. The consent page shows it if the client is verified. */
  readonly description?: string;
  /**
   * Its home page, an https: URL. The consent page links to it if the client is verified, or if it is at the redirect
   * URI's host. (RFC 7591 §2, §5)
   */
  readonly clientUri?: string;
  /**
   * An https: URL. The consent page shows it if the client is verified, or if it is at the redirect URI's
   * host. (RFC 7591 §2, §5)
   */
  readonly logoUri?: string;
  /** Its privacy policy, as `clientUri`. */
  readonly policyUri?: string;
  /** Its terms of service, as `clientUri`. */
  readonly tosUri?: string;
  /** The user who registered it on the applications page, or to whom it was handed over. */
  readonly ownerId?: string;
  /** The other users with the same rights as `ownerId`, at most 19. Default: none. */
  readonly coOwnerIds?: readonly string[];
}

/** A client secret as it is kept. */
export interface ClientSecret {
  readonly hash: string;
  /** `sha256` for the random secrets made here, `bcrypt` for those that a person chose or brought along. */
  readonly algorithm: 'sha256' | 'bcrypt';
  /** The secret itself, encrypted under the host's `clientSecretKey`: for client_secret_jwt alone. */
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
 * to people, if they may be believed (RFC 7591 §2, §5).
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
  readonly details: RegistrationDetails;
  /** As it was presented (RFC 7591 §3.2.1). */
  readonly softwareStatement?: string;
  /** Since when it waits for its first grant; absent from then on. */
  readonly unusedSince?: Date;
  /** Set if the host vouches for the client, or once did: its token has then ended. */
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
  /** True until the first person allows the client, which is not stored before; absent from then on. */
  readonly isUnstored?: true;
  /** Follows from the option `trust.verified`, and so is never stored. */
  readonly isVerifiedByOptions?: true;
  /** What clients of its host may have at most. Follows from the option `trust.caps`, and so is never stored. */
  readonly caps?: DomainCaps;
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
  /** The host's own fields. */
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
  /** Absent if nobody of the site has approved or verified it since releases store this. */
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

/**
 * The host's own fields, which the option `schemas.client` adds to clients. The host types them by augmentation:
 * `declare module 'express-authorization-server' { interface CustomClientFields { readonly plan?: string } }`
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- what is in it is the host's to say
export interface CustomClientFields {}
