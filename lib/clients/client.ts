import type { DomainCaps } from '../settings/client-document-options.js';
import type { Profile } from '../settings/profile-options.js';
import type { CustomClientFields } from './custom-client-fields.js';

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
  /** What else there is, such as the `ext` of keys that a browser exports. */
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
   * Where codes may go, compared exactly; on loopback the port is free. Default: none. (RFC 6749 §3.1.2.2,
   * RFC 8252 §7.3)
   */
  readonly redirectUris: readonly string[];
  /** What it may ask for. Default: `defaultScopes` of the server, or all. (RFC 6749 §3.3) */
  readonly scopes: readonly string[];
  /** How it gets tokens. Default: authorization_code and refresh_token, as far as they are on. (RFC 6749 §1.3) */
  readonly grantTypes: readonly string[];
  /** A first-party client that the host vouches for: the consent page is skipped. Default: `false`. */
  readonly trusted: boolean;
  /** A resource server that may ask about tokens (RFC 7662 §2.1); confidential clients only. Default: `false`. */
  readonly introspection?: boolean;
  /** The host has checked who is behind it, and the consent page says so. Default: `false`. */
  readonly verified?: boolean;
  /**
   * The resource servers that it is, by their URLs (the issuer is one): introspection tells it about access tokens for
   * these and nothing else. Default: about all tokens. (RFC 7662 §4, RFC 8707)
   */
  readonly resources?: readonly string[];
  /**
   * The one way it authenticates: client_secret_basic, client_secret_post, none, private_key_jwt, client_secret_jwt,
   * and with the option `mutualTls` tls_client_auth or self_signed_tls_client_auth. Default: private_key_jwt if it has
   * keys, tls_client_auth if it has the subject of a certificate, else its secret by either way, or none. (RFC 7591 §2)
   */
  readonly tokenEndpointAuthMethod?: string;
  /**
   * The response types that it may use, of those that its grant types are for. A client that registers itself on a site
   * with those of OpenID Connect has the ones that it has named. Default: all. (OpenID Connect Registration §2)
   */
  readonly responseTypes?: readonly string[];
  /**
   * The one algorithm by which it signs the JWTs that it authenticates by. Default: any that is supported. (OpenID
   * Connect Registration §2)
   */
  readonly tokenEndpointAuthSigningAlg?: string;
  /** The public keys of its private_key_jwt, or its certificates (`x5c`), by value. (RFC 7517 §5) */
  readonly jwks?: PublicJwks;
  /** Where its public keys are, instead of `jwks`. (RFC 7591 §2) */
  readonly jwksUri?: string;
  /** Seconds that its access tokens are valid. Default: as the option of the server. */
  readonly accessTokenTtl?: number;
  /** Seconds that its refresh tokens can stay unused. Default: as the option of the server. */
  readonly refreshTokenTtl?: number;
  /** How many access tokens it may get in an hour; more are answered 429. Default: no cap. */
  readonly tokensPerHour?: number;
  /** How many of its grants may be live at once, those of all people together. Default: no cap. */
  readonly maxGrants?: number;
  /** It may ask by pushed requests only; where the option `pushedRequests` is on. Default: `false`. (RFC 9126 §6) */
  readonly requirePushedAuthorizationRequests?: boolean;
  /** It may ask by signed requests only; where the option `signedRequests` is on. Default: `false`. (RFC 9101 §10.5) */
  readonly requireSignedRequestObject?: boolean;
  /**
   * Where its signed requests are that it names by `request_uri`, as they are; where the option
   * `signedRequests.byReference` is on. Default: none. (RFC 9101 §5.2, OpenID Connect Registration §2)
   */
  readonly requestUris?: readonly string[];
  /**
   * Where people may come after they have logged out here at its wish, compared exactly; where the option `openid` is
   * on. Default: none. (OpenID Connect RP-Initiated Logout §3.1)
   */
  readonly postLogoutRedirectUris?: readonly string[];
  /** Where it is told that somebody has logged out. Default: nowhere. (OpenID Connect Back-Channel Logout §2.2) */
  readonly backchannelLogoutUri?: string;
  /** It has to be told which session that was; it always is. (OpenID Connect Back-Channel Logout §2.2) */
  readonly backchannelLogoutSessionRequired?: boolean;
  /**
   * A page of it that logs out, which the browser loads in a frame. Default: none. (OpenID Connect Front-Channel Logout
   * §2)
   */
  readonly frontchannelLogoutUri?: string;
  /** It has to be told there which session that was; it always is. (OpenID Connect Front-Channel Logout §2) */
  readonly frontchannelLogoutSessionRequired?: boolean;
  /**
   * Its tokens are bound to a key of its own, each of them; where the option `dpop` is on. Default: `false`. (RFC 9449
   * §5.2)
   */
  readonly dpopBoundAccessTokens?: boolean;
  /**
   * The types of authorization details that it may ask for; in its own name, without a person, these alone. Default:
   * all that a person can allow. (RFC 9396 §10)
   */
  readonly authorizationDetailsTypes?: readonly string[];
  /**
   * Of tls_client_auth, one of the five; where the option `mutualTls` is on: the subject of its certificate, as RFC
   * 4514 writes it: `CN=shop,O=Print,C=DE`. (RFC 8705 §2.1.2)
   */
  readonly tlsClientAuthSubjectDn?: string;
  /** Or the name of a host among the alternative names of its certificate. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanDns?: string;
  /** Or a URI there. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanUri?: string;
  /** Or an IP address there. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanIp?: string;
  /** Or an e-mail address there. (RFC 8705 §2.1.2) */
  readonly tlsClientAuthSanEmail?: string;
  /**
   * Its tokens are bound to its certificate, each of them; where the option `mutualTls` is on. Default: `false`. (RFC
   * 8705 §3.4)
   */
  readonly tlsClientCertificateBoundAccessTokens?: boolean;
  /**
   * The profile of FAPI 2.0 that it is held to, whatever the site asks of others. Default: that of the option
   * `profile`. (FAPI 2.0 Security Profile, FAPI 2.0 Message Signing)
   */
  readonly profile?: Profile;
  /** The one algorithm by which it signs its requests. Default: any that is supported. (RFC 9101 §4) */
  readonly requestObjectSigningAlg?: string;
  /**
   * By which it encrypts its signed requests to a key of this site: ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW or
   * RSA-OAEP-256; where the option `signedRequests.encryption` is on. Requests that it has only signed are refused
   * then. Default: it may encrypt them by any, or not. (RFC 9101 §4, OpenID Connect Registration §2)
   */
  readonly requestObjectEncryptionAlg?: string;
  /** By which their content is encrypted then. Default: A128CBC-HS256. (OpenID Connect Registration §2) */
  readonly requestObjectEncryptionEnc?: string;
  /**
   * The algorithm by which its signed answers are signed; where the option `signedResponses` is on. Default: RS256 if
   * there is such a key, else the one of the server. (JARM §3)
   */
  readonly authorizationSignedResponseAlg?: string;
  /**
   * By which the keys of its signed answers are encrypted to a key in its `jwks` or at its `jwksUri`: ECDH-ES (+A128KW,
   * +A256KW), RSA-OAEP or RSA-OAEP-256; where the option `signedResponses` is on. Default: they are not encrypted.
   * (JARM §3)
   */
  readonly authorizationEncryptedResponseAlg?: string;
  /** By which their content is encrypted then. Default: A128CBC-HS256. (JARM §3) */
  readonly authorizationEncryptedResponseEnc?: string;
  /**
   * The algorithm by which its ID tokens are signed; where the option `openid` is on. Default: RS256. (OpenID Connect
   * Registration §2)
   */
  readonly idTokenSignedResponseAlg?: string;
  /**
   * By which the keys of its ID tokens are encrypted to a key in its `jwks` or at its `jwksUri`. Default: they are not
   * encrypted. (OpenID Connect Registration §2)
   */
  readonly idTokenEncryptedResponseAlg?: string;
  /** By which their content is encrypted then. Default: A128CBC-HS256. */
  readonly idTokenEncryptedResponseEnc?: string;
  /** The algorithm by which answers of userinfo are signed. Default: they are JSON. (OpenID Connect Registration §2) */
  readonly userinfoSignedResponseAlg?: string;
  /** By which their keys are encrypted, signed or not. Default: they are not encrypted. */
  readonly userinfoEncryptedResponseAlg?: string;
  /** By which their content is encrypted then. Default: A128CBC-HS256. */
  readonly userinfoEncryptedResponseEnc?: string;
  /** `acr_values` of its requests that name none, which your login page gets. (OpenID Connect Registration §2) */
  readonly defaultAcrValues?: readonly string[];
  /** Seconds: `max_age` of its requests that name none. Default: none. (OpenID Connect Registration §2) */
  readonly defaultMaxAge?: number;
  /**
   * Whether its ID tokens have to say when the login was. Default: as far as it is known. (OpenID Connect Registration
   * §2)
   */
  readonly requireAuthTime?: boolean;
  /**
   * `web` or `native`: its redirect URIs are held to that then. Default: not known. (OpenID Connect Registration §2)
   */
  readonly applicationType?: 'web' | 'native';
  /**
   * `pairwise`: it knows people by a `sub` that clients of other sectors do not see, where `openid.pairwise` is set. It
   * hears of people at its redirect URIs alone: of the grant types only those that lead there go with it.
   * Default: `public`, the id of the person. (OpenID Connect Core §8)
   */
  readonly subjectType?: 'public' | 'pairwise';
  /**
   * An https: URL of a JSON array that lists all its redirect URIs, and those of the other clients that know people by
   * the same pairwise `sub`. It is fetched when the client is registered, or has other redirect URIs. Default: the
   * sector is the host of its redirect URIs. (OpenID Connect Core §8.1)
   */
  readonly sectorIdentifierUri?: string;
  /** Where others may send people to log in to it, an https: URL. (OpenID Connect Core §4) */
  readonly initiateLoginUri?: string;
  /**
   * Who must send a PKCE challenge, for this client alone: an old one that cannot, say. Default: as the option `pkce`.
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
  /** The other users who may do with it what `ownerId` may, at most 19. Default: none. */
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
  /** The last four characters of one that was made here, by which its developer tells it from another one. */
  readonly ending?: string;
  /** The day (UTC) on which it was last used; absent if it was not used since such days are noted. */
  readonly lastUsedOn?: Date;
  /** Set if the secret was rotated: the old one works until then. */
  readonly expiresAt?: Date;
}

/**
 * What a client says about itself when it registers; kept and given back to it; its logo and its pages are
 * shown to people, if they may be believed (RFC 7591 §2, §5).
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
  /** Set if the host vouches for the client, or did: its token has ended then. */
  readonly adoptedAt?: Date;
}

/** That an administrator has blocked a client: it gets nothing as long as that is so. */
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
  /** There, and true, until the first person allows the client: it is stored nowhere. */
  readonly isUnstored?: true;
  /** By the option `trust.verified`, and so never stored. */
  readonly isOfVerifiedDomain?: true;
  /** What clients of its host may have at most, by the option `trust.caps`, and so never stored. */
  readonly caps?: DomainCaps;
}

/** That somebody was asked to become an owner of a client. */
export interface OwnerInvitation {
  readonly id: string;
  /** Who was asked; absent if there is nobody by what was typed, which the inviter is not told. */
  readonly userId?: string;
  /** What the inviter typed. */
  readonly typed: string;
  /** `transfer`: the inviter is no owner any more as soon as it is accepted. */
  readonly as: 'owner' | 'transfer';
  readonly invitedBy: string;
  /** There, and true, if the inviter is an administrator and no owner. */
  readonly byHost?: true;
  readonly expiresAt: Date;
}

/** A registered client, wherever it comes from; it holds hashes, so it is not shown to anybody as it is. */
export interface Client extends ClientMetadata {
  /** What the host keeps of it beside. */
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
  /** Set until somebody of the site has approved it: only its owner can authorize it as long. */
  readonly awaitsApprovalSince?: Date;
  /** Since when `ownerId` is another one than it was registered for. */
  readonly ownerSince?: Date;
  /** Those who were asked to become owners, the newest last; some may have expired. */
  readonly invitations?: readonly OwnerInvitation[];
  /** Absent if it is not blocked. */
  readonly blocked?: ClientBlock;
  /** Set if it registered or describes itself: it is removed then. With each grant that moves on, if it has to. */
  readonly expiresAt?: Date;
}
