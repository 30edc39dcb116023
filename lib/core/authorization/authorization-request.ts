import type { Settings } from '../../settings/settings.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { formatForm } from '../../shared/protocol/parameters.js';
import type { PkceRequirement } from '../../shared/protocol/pkce.js';
import type { Resources } from '../../shared/protocol/resource.js';
import type { Client } from '../clients/client.js';
import type { ResolveScopes } from '../clients/resolve-scopes.js';
import type { ReadIdTokenHint } from '../openid/id-token-hints.js';
import type { Hints } from './hints.js';
import type { OpenidRequest } from './openid-request.js';
import type { Prompt } from './prompt.js';
import { needsLoginDone, type RequiredAuthentication } from './required-authentication.js';
import type { ResponseMode } from './response-modes/response-mode.js';
import type { ResponseType } from './response-types/response-type.js';
import type { FindClient, RequestReference, RequestSource } from './sources/request-source.js';

/**
 * Where the answer to a request goes, errors included. It exists only once the checks of client and redirect URI have
 * passed.
 */
export interface ResponseTarget {
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  /** The default mode of its response type. */
  readonly defaultMode: string;
  /** Goes back as it came; undefined if there is none, or if it cannot be sent back. */
  readonly state: string | undefined;
}

/** What a client asks of a resource owner, resolved once and checked; all later steps read this and nothing else. */
export interface AuthorizationRequest extends ResponseTarget, Hints {
  readonly client: Client;
  /** Whether the request named its redirect URI. */
  readonly isRedirectUriRequested: boolean;
  readonly responseType: ResponseType;
  readonly scopes: readonly string[];
  /** RFC 8707 §2.1 */
  readonly resources: readonly string[];
  /** RFC 9396 §3 */
  readonly authorizationDetails: readonly AuthorizationDetail[];
  /** RFC 7636 §4.3 */
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly jkt: string | undefined;
  /** What it says about signing the person in; undefined if it does not ask for that. */
  readonly openid: OpenidRequest | undefined;
  /** What it needs of the login of its person; undefined if this server does not know how people log in. */
  readonly requiredAuthentication: RequiredAuthentication | undefined;
  readonly prompt: ReadonlySet<Prompt>;
  /** Whether nobody is to be asked (`prompt=none`). */
  readonly isSilent: boolean;
  /** How the request is named while people log in, and what becomes of it when they have decided. */
  readonly reference: RequestReference;
}

/** A request that is wrong, whose client can be told by redirect (RFC 6749 §4.1.2.1). */
export interface RefusedRequest
  extends ResponseTarget, Hints, Pick<AuthorizationRequest, 'client' | 'isSilent' | 'reference'> {
  readonly refusal: unknown;
}

/** The rules that requests are checked against. */
export interface RequestRules {
  /** Sources besides the query string. */
  readonly sources: readonly RequestSource[];
  readonly findClient: FindClient;
  /** Who is charged for what has to be fetched. Default: the client. */
  readonly getCaller?: GetCaller;
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  readonly responseModes: ReadonlyMap<string, ResponseMode>;
  readonly pkce: PkceRequirement;
  /** The profile of FAPI that all clients are held to. */
  readonly profile?: Settings['profile'];
  /** Whether a client may send only requests that it has pushed (RFC 9126 §5, §6). */
  readonly isPushingRequired: (client: Client) => boolean;
  /** Whether a client may send only requests that it has signed (RFC 9101 §10.5). */
  readonly isSigningRequired: (client: Client) => boolean;
  /** Parameters of extensions that features read. */
  readonly supportedParameters: ReadonlySet<string>;
  readonly resources: Resources;
  /** Whether a request has to name one of them. */
  readonly requireResource: boolean;
  /** The types of authorization details that there are (RFC 9396). */
  readonly authorizationDetails: Settings['authorizationDetails'];
  readonly openid: Settings['openid'];
  readonly stepUp: Settings['stepUp'];
  readonly scopes: Settings['scopes'];
  readonly readIdTokenHint: ReadIdTokenHint;
  /** The prompts that clients can ask for. */
  readonly prompts: readonly Prompt[];
  readonly resolveScopes: ResolveScopes;
}

export function isRefused(request: AuthorizationRequest | RefusedRequest): request is RefusedRequest {
  return 'refusal' in request;
}

/** What the name of a request is made from; what a refused request says about logins no longer matters. */
export type WithReference = Pick<AuthorizationRequest, 'reference'> &
  Partial<Pick<AuthorizationRequest, 'requiredAuthentication'>>;

/** The text that stands for the request while people log in: after `?` in an address, or in a field of a form. */
export function serializeReference(
  { reference, requiredAuthentication }: WithReference,
  answered: readonly Prompt[] = [],
): string {
  // max_age is in the request, or registered for its client (OpenID Connect Registration §2)
  return formatForm(reference.referenceAfter(answered, needsLoginDone(requiredAuthentication) || undefined));
}
