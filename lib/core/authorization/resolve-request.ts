import { toRegisteredId } from '../../shared/crypto/secrets.js';
import { invalidRequest, OAuthError } from '../../shared/errors.js';
import { LoginNeeded } from '../../shared/outbound/limit-untrusted-fetch.js';
import { type Form, formatForm, peekParameter, requireParameter } from '../../shared/protocol/parameters.js';
import { findRegisteredRedirectUri } from '../../shared/protocol/redirect-uri.js';
import type { Client } from '../clients/client.js';
import { refuseBlocked } from '../clients/status/blocked-client.js';
import {
  parseAuthorizationParameters,
  type ParsedParameters,
  type RequestTarget,
  type ResolveDependencies,
  type ResolvedRequest,
  type SerializableRequest,
} from './authorization-request.js';
import { type Hints, hintsIn, parseHints } from './hints.js';
import { isSilent } from './prompt.js';
import { checkRequestParameters, MAX_REQUEST_LENGTH } from './request-parameters.js';
import {
  findSource,
  querySource,
  type ReadContext,
  RequestNeedsLogin,
  type UncheckedRequest,
} from './request-source.js';
import type { ResponseMode } from './response-modes/response-mode.js';

/** A request that can be read only once a user has logged in; it is entirely unchecked. */
export interface DeferredRequest extends Hints, SerializableRequest {
  readonly kind: 'deferred';
}

/**
 * Resolves a request. If something has to be fetched for it and nobody is logged in, the request is deferred: the code
 * that would fetch throws `LoginNeeded`, which only this function turns into a value.
 *
 * @throws OAuthError as `resolveRequest`. A silent request is never deferred, and nobody has checked where its response
 * would go (RFC 9700 §4.11.2): the user sees a page with login_required (OpenID Connect Core §3.1.2.6)
 */
export async function resolveOrDefer(
  query: Form,
  dependencies: ResolveDependencies,
  now: Date,
): Promise<ResolvedRequest | DeferredRequest> {
  const { getCaller } = dependencies;
  if (isSilent(peekParameter(query, 'prompt')) && getCaller !== undefined) {
    // a client must not learn from the fetches of this server whether a user is logged in
    const getSilentCaller = () => ({ ...getCaller(), isSilent: true as const });
    return resolveRequest(query, { ...dependencies, getCaller: getSilentCaller }, now);
  }
  try {
    return await resolveRequest(query, dependencies, now);
  } catch (error) {
    if (!(error instanceof LoginNeeded)) throw error;
    // the client's document, or a request at an address of the client, needs a login
    const original = error instanceof RequestNeedsLogin ? error.original : querySource.read(query);
    return { kind: 'deferred', ...parseHints(query), original };
  }
}

/**
 * Reads a request from its source and parses its parameters once. Then checks where the response may go
 * (`checkRequestTarget`), and the rest (`request-parameters.ts`).
 *
 * @param query of GET /authorize
 * @throws OAuthError which must be displayed to the user, never sent anywhere (RFC 6749 §4.1.2.1)
 */
export async function resolveRequest(
  query: Form,
  dependencies: ResolveDependencies,
  now: Date,
): Promise<ResolvedRequest> {
  const original = await findSource(dependencies.requestSources, query).read(query, now, dependencies);
  const parsed = parseAuthorizationParameters(original.parameters);
  const target = await checkRequestTarget(original, parsed, dependencies);
  try {
    return await checkRequestParameters(target, parsed, dependencies);
  } catch (error) {
    return { kind: 'refused', ...target, error };
  }
}

/**
 * The first part of the checks: who sends the request, and where its response may go.
 *
 * @throws OAuthError which must be displayed to the user, never sent anywhere (RFC 6749 §4.1.2.1)
 */
export async function checkRequestTarget(
  original: UncheckedRequest,
  { params, malformed }: ParsedParameters,
  dependencies: ResolveDependencies,
): Promise<RequestTarget> {
  // the upper bound costs less than the text: `formatForm` writes a character as nine at most, plus `=` and `&`
  const query = original.toQuery([]);
  let maxLength = 0;
  for (const [name, value] of Object.entries(query))
    for (const text of [value].flat())
      if (typeof text === 'string') maxLength += 9 * (name.length + text.length) + 2;
  if (maxLength > MAX_REQUEST_LENGTH && formatForm(query).length > MAX_REQUEST_LENGTH)
    throw invalidRequest('the authorization request is too long', 'request_too_large', { status: 414 });

  // RFC 6749 §3.1.2.4
  let { client } = original;
  if (client === undefined) {
    const wrongId = malformed.get('client_id');
    if (wrongId !== undefined) throw wrongId;
    client = await findUsableClient(dependencies, requireParameter(params, 'client_id'));
  }

  // RFC 6749 §3.1.2.3, §3.1.2.4: a registered URI; without a redirect_uri there must be exactly one registered
  const { redirect_uri: requested } = params;
  const wrongUri = malformed.get('redirect_uri');
  if (wrongUri !== undefined) throw wrongUri;
  const [only, ...others] = client.redirectUris;
  if (requested !== undefined && findRegisteredRedirectUri(requested, client.redirectUris) === undefined)
    throw new UnregisteredRedirectUri(requested, client);
  if (requested === undefined && others.length > 0)
    throw invalidRequest(
      'the redirect_uri is missing: the client has several registered',
      'redirect_uri_missing',
    );
  const redirectUri = requested ?? only;
  if (redirectUri === undefined)
    throw invalidRequest('the client has no redirect URI registered', 'redirect_uri_not_registered');

  // RFC 6749 §3.1.1: the order of the words does not matter. §4.1.2.1, §4.2.2.1: an error goes the way of a response of
  // the requested type
  const { responseTypes, responseModes } = dependencies;
  const { response_type: typeName = '' } = params;
  const responseType = responseTypes.get(typeName) ?? responseTypes.get(typeName.split(' ').sort().join(' '));
  const defaultMode = responseType?.defaultMode ?? 'query';

  // Multiple Response Type Encoding Practices §2.1: the requested mode, if it fits and can reach the client
  const { state } = params;
  const requestedMode = responseModes.get(params.response_mode ?? '');
  const isFitting =
    requestedMode?.fits(defaultMode) === true && requestedMode.reaches?.(redirectUri, state ?? '') !== false;

  return {
    original,
    client,
    redirectUri,
    isRedirectUriRequested: requested !== undefined,
    responseType,
    responseMode: (isFitting ? requestedMode : responseModes.get(defaultMode)) as ResponseMode,
    defaultMode,
    state,
    isSilent: isSilent(params.prompt),
    ...hintsIn(params),
  };
}

/**
 * The client of a request.
 *
 * @throws OAuthError, which is displayed to the user, for an unknown or blocked client (RFC 6749 §3.1.2.4)
 */
export async function findUsableClient(
  { clientSource, getCaller }: ReadContext,
  clientId: string,
): Promise<Client> {
  const client = await clientSource.find(clientId, { getCaller });
  if (client === null) {
    const [description, reason] =
      toRegisteredId(clientId) === clientId
        ? (['the registration of this client has ended', 'client_registration_ended'] as const)
        : (['there is no such client', 'client_unknown'] as const);
    const detail = `client_id ${clientId.slice(0, 200)}`;
    throw new OAuthError('invalid_client', description, { reason, status: 400, detail });
  }
  // RFC 9700 §4.11.2: no redirect to an untrusted URI, and the site no longer trusts a blocked client
  refuseBlocked(client);
  return client;
}

/** An error with the client and the redirect URI, so that the client's developer can see the difference on the page. */
export class UnregisteredRedirectUri extends OAuthError {
  readonly client: Client;
  readonly redirectUri: string;

  constructor(redirectUri: string, client: Client) {
    const displayed = redirectUri.slice(0, 200);
    super('invalid_request', 'the redirect_uri is not registered for this client', {
      reason: 'redirect_uri_mismatch',
      detail: `redirect_uri ${displayed}, registered: ${client.redirectUris.join(' ')}`,
    });
    this.client = client;
    this.redirectUri = displayed;
  }
}
