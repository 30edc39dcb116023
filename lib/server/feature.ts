import type { LoginPolicy } from '../core/authorization/login-policy.js';
import type { Prompt } from '../core/authorization/prompt.js';
import type { RequestSource } from '../core/authorization/request-source.js';
import type { ResponseMode } from '../core/authorization/response-modes/response-mode.js';
import type { CreateResponseType } from '../core/authorization/response-types/response-type.js';
import type { ClientKeys } from '../core/client-authentication/client-keys.js';
import type { Client } from '../core/clients/client.js';
import type { ClientField } from '../core/clients/client-field.js';
import type { ClientSource } from '../core/clients/client-store.js';
import type { RegistrationRules } from '../core/clients/wire-metadata.js';
import type { GrantType } from '../core/grant-types/grant-type.js';
import type { ReadToken } from '../core/grants/tokens/access-tokens.js';
import type { ReadClientCertificate } from '../core/http/client-certificate.js';
import type { SigningKeys } from '../core/keys/signing-keys.js';
import type { Emit } from '../core/observability/events.js';
import type { EndSignIns, LogoutSender } from '../core/openid/session-store.js';
import type { ProofVerifier } from '../core/proof-of-possession/dpop-proof.js';
import type { FeatureOptions } from '../settings/options.js';
import type { Settings } from '../settings/settings.js';
import type { LimitUntrustedFetch } from '../shared/outbound/limit-untrusted-fetch.js';
import type { FeatureCollection } from '../storage/collections.js';
import type { Stores } from '../storage/stores.js';
import type { Endpoint, FindBinding, RootAliases, ServerMetadata, WellKnownDocument } from './server.js';

/** What the parts of features are made from. */
export interface FeatureParts {
  readonly settings: Settings;
  readonly models: Stores;
  readonly signingKeys: SigningKeys;
  readonly clientKeys: ClientKeys;
  /** The rules by which a registration is checked, except those that the option of the feature sets. */
  readonly rules: Pick<
    RegistrationRules,
    | 'responseTypes'
    | 'tokenEndpointAuthMethods'
    | 'methods'
    | 'reservedNames'
    | 'redirectUriRules'
    | 'trustDomains'
  > & { readonly fields: readonly ClientField[] };
  readonly emit: Emit;
  /** Every fetch from an address that a stranger has named goes through it. */
  readonly limitUntrustedFetch: LimitUntrustedFetch;
}

/** What ends sign-ins. */
export interface Logout {
  readonly endSignIns: EndSignIns;
  readonly logoutSender: LogoutSender;
}

/** What one option switches on, in whichever modules its parts are. If it is off, it has no route and no metadata. */
export interface Feature extends FeatureOptions {
  readonly name: string;
  readonly isOn: (settings: Settings) => boolean;
  readonly grantTypes?: readonly GrantType[];
  readonly responseTypes?: readonly CreateResponseType[];
  /** Response types that its option names one by one. */
  readonly createResponseTypes?: (settings: Settings) => readonly CreateResponseType[];
  /** Which logins are good enough for a request, and what is kept of them. */
  readonly createLoginPolicy?: (parts: FeatureParts) => LoginPolicy;
  /** Ends the sign-ins of users through this site, and tells clients of it. */
  readonly createLogout?: (parts: FeatureParts) => Logout;
  /** Verifies proofs that clients hold a key. */
  readonly createProofs?: (parts: FeatureParts) => ProofVerifier;
  /** Reads the certificates of clients. */
  readonly createCertificateReader?: (parts: FeatureParts) => ReadClientCertificate;
  /** Ways in which answers to authorization requests reach clients, besides query and fragment. */
  readonly createResponseModes?: (parts: FeatureParts) => readonly ResponseMode[];
  /** Reads access tokens of its own form. */
  readonly readToken?: ReadToken;
  readonly endpoints?: readonly Endpoint[];
  /** What it adds to the metadata of the server (RFC 8414 §2), besides what its endpoints and all others add. */
  readonly metadata?: (settings: Settings, ofEndpoints: ServerMetadata) => ServerMetadata;
  /** Where clients look for the metadata, besides the place of RFC 8414 §3. */
  readonly metadataPaths?: readonly string[];
  /** Documents about itself at well-known paths of their own. */
  readonly wellKnownDocuments?: readonly WellKnownDocument[];
  /** What it adds to the metadata of each resource (RFC 9728 §2). */
  readonly resourceMetadata?: (settings: Settings) => ServerMetadata;
  /** Endpoints that answer at the root of the site as well. */
  readonly rootAliases?: RootAliases;
  readonly clientFields?: readonly ClientField[];
  /** Parameters of the authorization request that it reads, and that would otherwise be refused (`request_uri`). */
  readonly authorizationParameters?: readonly string[];
  /** What clients can ask to be done first, besides what every server can do. */
  readonly prompts?: (settings: Settings) => readonly Prompt[];
  /** Whether the client has to push its authorization requests. */
  readonly isPushingRequired?: (settings: Settings, client: Client) => boolean;
  /** Whether the client has to sign them. */
  readonly isSigningRequired?: (settings: Settings, client: Client) => boolean;
  /** What tokens are bound to. */
  readonly createBinding?: (settings: Settings) => FindBinding;
  /** Ways to name authorization requests other than by their parameters. */
  readonly createRequestSources?: (parts: FeatureParts) => readonly RequestSource[];
  /** Where clients are looked up instead of in the store; it finds those of the store as well. */
  readonly createClientSource?: (parts: FeatureParts) => ClientSource;
  /** What it keeps, by the names of the models. */
  readonly collections?: (settings: Settings) => readonly FeatureCollection[];
}
