import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { OAuthError } from '../../shared/errors.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { type Form, formatForm, parseRepeated, readParameters } from '../../shared/protocol/parameters.js';
import type { Client } from '../clients/client.js';
import type { ClientSource } from '../clients/client-store.js';
import type { ResolveScopes } from '../clients/resolve-scopes.js';
import type { ReturnToSettings } from '../sessions/return-to.js';
import type { Hints } from './hints.js';
import type { Prompt } from './prompt.js';
import type { RequestSource, UncheckedRequest } from './request-source.js';
import type { ResponseMode } from './response-modes/response-mode.js';
import type { ResponseType } from './response-types/response-type.js';

/**
 * Where the response to a request goes, errors included, and which client sent the request. It exists only once the
 * checks of client and redirect URI have passed.
 */
export interface RequestTarget extends Hints, SerializableRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly isRedirectUriRequested: boolean;
  /** Undefined if this server does not have the requested response type. */
  readonly responseType: ResponseType | undefined;
  readonly responseMode: ResponseMode;
  readonly defaultMode: string;
  /** Returned unchanged; undefined if there is none, or if it cannot be sent back. */
  readonly state: string | undefined;
  /** Whether the client forbids pages (`prompt=none`). */
  readonly isSilent: boolean;
}

/** The source of a request's query. */
export interface SerializableRequest {
  /** The request as it was sent: for the queries of redirects and forms, and to consume the request. */
  readonly original: UncheckedRequest;
  /** The requirements on the login; undefined for a refused request, or if the server cannot know users' logins. */
  readonly requiredAuthentication?: RequiredAuthentication | undefined;
}

/** What a request needs of the user's login. @see RFC 9470 §4, OpenID Connect Core §3.1.2.1 */
export interface RequiredAuthentication {
  /** Seconds that may have passed since the login. */
  readonly maxAge: number | undefined;
  readonly acr: readonly unknown[] | undefined;
  /** Whether the user has already logged in for this request. */
  readonly isLoginDone: boolean;
}

/** A valid request. All later steps read only this. */
export interface AuthorizationRequest extends RequestTarget {
  readonly kind: 'valid';
  readonly responseType: ResponseType;
  /** With OpenID Connect also single claims, as entries that `isClaimEntry` recognizes. */
  readonly scopes: readonly string[];
  /** RFC 8707 §2.1 */
  readonly resources: readonly string[];
  /** RFC 9396 §3 */
  readonly authorizationDetails: readonly AuthorizationDetail[];
  /** RFC 7636 §4.3 */
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the key to which the code is bound (RFC 9449 §10). */
  readonly jkt: string | undefined;
  readonly prompt: ReadonlySet<Prompt>;
}

/** An invalid request whose client gets the error by redirect (RFC 6749 §4.1.2.1). */
export interface RefusedRequest extends RequestTarget {
  readonly kind: 'refused';
  readonly error: unknown;
}

export type ResolvedRequest = AuthorizationRequest | RefusedRequest;

/**
 * Reads the parameters about the login, and those of extensions.
 *
 * @returns the members of the request that these parameters set
 * @throws OAuthError which the client gets by redirect
 */
export type ReadLoginRequest = (
  params: AuthorizationParameters,
  request: RequestTarget & { readonly responseType: ResponseType; readonly scopes: readonly string[] },
) => Promise<Partial<AuthorizationRequest>>;

/** The parts of the server that resolve authorization requests. */
export interface ResolveDependencies {
  readonly settings: Settings;
  readonly requestSources: readonly RequestSource[];
  readonly clientSource: ClientSource;
  /** The caller whose rate limit a fetch counts against. Default: the client. */
  readonly getCaller?: GetCaller;
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  readonly responseModes: ReadonlyMap<string, ResponseMode>;
  /** Whether a client may send only requests that it has pushed (RFC 9126 §5, §6). */
  readonly isPushingRequired: (client: Client) => boolean;
  /** Whether a client may send only requests that it has signed (RFC 9101 §10.5). */
  readonly isSigningRequired: (client: Client) => boolean;
  /** Extension parameters that features read. */
  readonly authorizationParameters: ReadonlySet<string>;
  readonly loginPolicy: { readonly readRequest?: ReadLoginRequest };
  readonly prompts: readonly Prompt[];
  readonly resolveScopes: ResolveScopes;
}

/** The parameters that every server reads, besides those of its features and the hints, which are never refused. */
export const ALWAYS_READ = [
  'response_type',
  'response_mode',
  'scope',
  'state',
  // RFC 7636 §4.3
  'code_challenge',
  'code_challenge_method',
  'prompt',
] as const;

/** Each parameter that the authorization endpoint reads as text, besides those of the sources. */
const NAMES = [
  'client_id',
  'redirect_uri',
  ...ALWAYS_READ,
  // RFC 9449 §10, RFC 9396 §3
  'dpop_jkt',
  'authorization_details',
  // OpenID Connect Core §3.1.2.1, §5.2, §5.5, §6, §7.2.1
  'nonce',
  'max_age',
  'ui_locales',
  'id_token_hint',
  'login_hint',
  'acr_values',
  'claims',
  'claims_locales',
  'request',
  'request_uri',
  'registration',
  // a parameter of this server: prompt.ts
  'login_done',
] as const;

/** The parameters of a request by their wire names: each sent once, as text, and not empty. */
export type AuthorizationParameters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

export interface ParsedParameters {
  readonly params: AuthorizationParameters;
  /** The errors of repeated or nested parameters. */
  readonly malformed: ReadonlyMap<string, OAuthError>;
  /** RFC 8707 §2: the values of `resource`, which may be repeated. */
  readonly resource: readonly unknown[];
}

export function parseAuthorizationParameters(form: Form): ParsedParameters {
  return { ...readParameters(form, NAMES), resource: parseRepeated(form, 'resource') };
}

/** The query of GET /authorize for a request: after `?` in an address, or in a field of a form. */
export function serializeRequest(
  { original, requiredAuthentication }: SerializableRequest,
  completed: readonly Prompt[] = [],
): string {
  // the query records the login if the request, or the client's registration (OpenID Connect Registration §2), requires
  // one by `max_age` or `acr`
  const { maxAge, acr } = requiredAuthentication ?? {};
  const isLoginRequested = maxAge !== undefined || acr !== undefined;
  return formatForm(original.toQuery(completed, isLoginRequested || undefined));
}

/** The path and query of GET /authorize for a request, without the completed prompts. */
export function pathTo(
  settings: ReturnToSettings,
  request: SerializableRequest,
  completed: readonly Prompt[] = [],
): string {
  return `${pathOf(settings, 'authorize')}?${serializeRequest(request, completed)}`;
}
