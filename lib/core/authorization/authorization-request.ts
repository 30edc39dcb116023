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
 * Where the response to a request goes, errors included, and who has sent it. It exists only once the checks of client
 * and redirect URI have passed.
 */
export interface RequestTarget extends Hints, SerializableRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly isRedirectUriRequested: boolean;
  /** Undefined if this server does not have the requested one. */
  readonly responseType: ResponseType | undefined;
  readonly responseMode: ResponseMode;
  readonly defaultMode: string;
  /** Goes back as it came; undefined if there is none, or if it cannot be sent back. */
  readonly state: string | undefined;
  /** Whether the client wants no page to be shown (`prompt=none`). */
  readonly isSilent: boolean;
}

/** What the query of a request is made from. */
export interface SerializableRequest {
  /** The request as it came: for the queries of our redirects and forms, and to consume it. */
  readonly original: UncheckedRequest;
  /** What the login has to meet; undefined if this server does not know how users log in, and of a refused request. */
  readonly requiredAuthentication?: RequiredAuthentication | undefined;
}

/** What a request needs of the user's login. @see RFC 9470 §4, OpenID Connect Core §3.1.2.1 */
export interface RequiredAuthentication {
  /** Seconds that may have passed since the login. */
  readonly maxAge: number | undefined;
  readonly acr: readonly unknown[] | undefined;
  /** Whether the user has already been at the login for this request. */
  readonly isLoginDone: boolean;
}

/** A request that is right. All later steps read this and nothing else. */
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
  /** The thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly jkt: string | undefined;
  readonly prompt: ReadonlySet<Prompt>;
}

/** A request that is wrong, whose client can be told by redirect (RFC 6749 §4.1.2.1). */
export interface RefusedRequest extends RequestTarget {
  readonly kind: 'refused';
  readonly error: unknown;
}

export type ResolvedRequest = AuthorizationRequest | RefusedRequest;

/**
 * Reads the parameters about the login, and those that extensions add.
 *
 * @returns what they say, and what they change of the request
 * @throws OAuthError which the client is told by redirect
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
  /** On whose rate limit a fetch counts. Default: the client's. */
  readonly getCaller?: GetCaller;
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  readonly responseModes: ReadonlyMap<string, ResponseMode>;
  /** Whether a client may send only requests that it has pushed (RFC 9126 §5, §6). */
  readonly isPushingRequired: (client: Client) => boolean;
  /** Whether a client may send only requests that it has signed (RFC 9101 §10.5). */
  readonly isSigningRequired: (client: Client) => boolean;
  /** Parameters of extensions that features read. */
  readonly authorizationParameters: ReadonlySet<string>;
  readonly loginPolicy: { readonly readRequest?: ReadLoginRequest };
  readonly prompts: readonly Prompt[];
  readonly resolveScopes: ResolveScopes;
}

/** The parameters that each server reads, beside its features and the hints, which are never refused. */
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

/** Each parameter that the authorization endpoint reads as text, beside those of the sources. */
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
  // our own: prompt.ts
  'login_done',
] as const;

/** The parameters of a request by their wire names: each sent once, as text, and not empty. */
export type AuthorizationParameters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

export interface ParsedParameters {
  readonly params: AuthorizationParameters;
  /** The errors of the parameters that were sent in another shape. */
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
  // whether the query has to say that the user has logged in for the request; max_age is in the request, or registered
  // for its client (OpenID Connect Registration §2)
  const { maxAge, acr } = requiredAuthentication ?? {};
  const isLoginRequested = maxAge !== undefined || acr !== undefined;
  return formatForm(original.toQuery(completed, isLoginRequested || undefined));
}

/** The path and query of GET /authorize for a request, without the prompts that were completed. */
export function pathTo(
  settings: ReturnToSettings,
  request: SerializableRequest,
  completed: readonly Prompt[] = [],
): string {
  return `${pathOf(settings, 'authorize')}?${serializeRequest(request, completed)}`;
}
