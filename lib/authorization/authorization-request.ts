import type { Client } from '../clients/client.js';
import { OAuthError } from '../errors.js';
import { type Form, parseParameters, requireParameter } from '../protocol/parameters.js';
import { parseCodeChallenge } from '../protocol/pkce.js';
import { findRegisteredRedirectUri } from '../protocol/redirect-uri.js';
import { parseResources, type Resources, scopesAt } from '../protocol/resource.js';
import type { ResponseType } from './response-type.js';

/** Stage one: who asks and where the answer may go. Only what has passed it is ever redirected to. */
export interface AuthorizationTarget {
  readonly client: Client;
  /** Where the answer goes. */
  readonly redirectUri: string;
  /** Whether the request had a `redirect_uri`. */
  readonly isRedirectUriRequested: boolean;
}

/** Stage two: a request that the resource owner can be asked about. */
export interface AuthorizationRequest extends AuthorizationTarget {
  readonly responseType: ResponseType;
  readonly scopes: readonly string[];
  /** RFC 8707 §2.1 */
  readonly resources: readonly string[];
  readonly codeChallenge: string | undefined;
}

const TARGET_PARAMETERS = new Set(['client_id', 'redirect_uri']);
const STATE_PARAMETER = new Set(['state']);
const REQUEST_PARAMETERS = new Set(['response_type', 'scope', 'code_challenge', 'code_challenge_method']);

/**
 * @throws OAuthError which must be shown to the person, never sent anywhere (RFC 6749 §4.1.2.1)
 * @see RFC 6749 §3.1.2.3, §3.1.2.4
 */
export async function parseTarget(
  form: Form,
  findClient: (id: string) => Promise<Client | null>,
): Promise<AuthorizationTarget> {
  const parameters = parseParameters(form, TARGET_PARAMETERS);
  const client = await findClient(requireParameter(parameters, 'client_id'));
  if (client === null) throw new OAuthError('invalid_client', 'there is no such client', { status: 400 });
  const requested = parameters.redirect_uri;
  if (requested === undefined)
    return { client, redirectUri: onlyRedirectUri(client), isRedirectUriRequested: false };
  if (findRegisteredRedirectUri(requested, client.redirectUris) === undefined) {
    throw new OAuthError('invalid_request', 'the redirect_uri is not registered for this client', {
      detail: `redirect_uri ${requested.slice(0, 200)}, registered: ${client.redirectUris.join(' ')}`,
    });
  }
  return { client, redirectUri: requested, isRedirectUriRequested: true };
}

/** RFC 6749 §3.1.2.3: without a redirect_uri there must be exactly one registered. */
function onlyRedirectUri(client: Client): string {
  const [only, ...more] = client.redirectUris;
  if (only === undefined)
    throw new OAuthError('invalid_request', 'the client has no redirect URI registered');
  if (more.length > 0)
    throw new OAuthError('invalid_request', 'the redirect_uri is missing: the client has several registered');
  return only;
}

/** The `state`, which goes back as it came; undefined where it cannot be told. */
export function findState(form: Form): string | undefined {
  const { state } = form;
  return typeof state === 'string' && state !== '' && !/[\0\ufffd]/.test(state) ? state : undefined;
}

/** Where an error of the request is sent: as a response of the requested type would be (RFC 6749 §4.1.2.1, §4.2.2.1). */
export function errorModeOf(
  form: Form,
  responseTypes: ReadonlyMap<string, ResponseType>,
): 'query' | 'fragment' {
  const { response_type: name } = form;
  return (typeof name === 'string' ? responseTypes.get(name)?.mode : undefined) ?? 'query';
}

export interface RequestRules {
  readonly responseTypes: ReadonlyMap<string, ResponseType>;
  readonly requirePkce: boolean;
  readonly resources: Resources;
  readonly resolveScopes: (client: Client, scope: string | undefined) => readonly string[];
}

/**
 * @throws OAuthError which goes back to the client by redirect
 * @see RFC 6749 §4.1.1, §4.2.1, RFC 7636 §4.3
 */
export function parseAuthorizationRequest(
  target: AuthorizationTarget,
  form: Form,
  rules: RequestRules,
): AuthorizationRequest {
  parseParameters(form, STATE_PARAMETER);
  const parameters = parseParameters(form, REQUEST_PARAMETERS);
  const { client } = target;
  const responseType = rules.responseTypes.get(requireParameter(parameters, 'response_type'));
  if (responseType === undefined)
    throw new OAuthError('unsupported_response_type', 'the response type is not supported by this server');
  if (!client.grantTypes.includes(responseType.grantType)) {
    throw new OAuthError('unauthorized_client', 'the client is not registered for this response type');
  }
  const resources = parseResources(form, rules.resources);
  // RFC 9700 §2.1.1: public clients MUST use PKCE
  const isPkceRequired = rules.requirePkce || client.type === 'public';
  return {
    ...target,
    responseType,
    codeChallenge: responseType.usesPkce ? parseCodeChallenge(parameters, isPkceRequired) : undefined,
    scopes: scopesAt(rules.resolveScopes(client, parameters.scope), resources, rules.resources),
    resources,
  };
}
