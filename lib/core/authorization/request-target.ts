import { OAuthError } from '../../shared/errors.js';
import {
  type Form,
  formatForm,
  parseParameter,
  peekParameter,
  requireOnce,
} from '../../shared/protocol/parameters.js';
import { findRegisteredRedirectUri } from '../../shared/protocol/redirect-uri.js';
import type { Client } from '../clients/client.js';
import { refuseBlocked } from '../clients/status/blocked-client.js';
import { UnregisteredRedirectUri } from '../http/unregistered-redirect-uri.js';
import type { RequestTarget, ResolveDependencies } from './authorization-request.js';
import { parseHints } from './hints.js';
import { isSilent } from './prompt.js';
import { chooseMode } from './response-modes/index.js';
import type { ResponseType } from './response-types/response-type.js';
import type { FindClient, UncheckedRequest } from './sources/request-source.js';

/** Longer requests would not fit into the URL of the login page, nor their response into that of the client. */
export const MAX_REQUEST_LENGTH = 6144;

/**
 * The first part of the checks: who sends the request, and where its response may go.
 *
 * @throws OAuthError which must be shown to the user, never sent anywhere (RFC 6749 §4.1.2.1)
 */
export async function checkRequestTarget(
  unchecked: UncheckedRequest,
  { findClient, responseTypes, responseModes }: ResolveDependencies,
): Promise<RequestTarget> {
  const { parameters } = unchecked;
  checkLength(unchecked.toQuery([]));
  // RFC 6749 §3.1.2.4
  const client =
    unchecked.client ?? (await findUsableClient(findClient, requireOnce(parameters, 'client_id')));
  const requestedUri = parseParameter(parameters, 'redirect_uri');
  const redirectUri = resolveRedirectUri(requestedUri, client);
  const state = stateToReturn(parameters);
  // an error goes the way of a response of the requested type (RFC 6749 §4.1.2.1, §4.2.2.1)
  const requestedType = findResponseType(responseTypes, peekParameter(parameters, 'response_type') ?? '');
  const defaultMode = requestedType?.defaultMode ?? 'query';
  return {
    unchecked,
    client,
    redirectUri,
    isRedirectUriRequested: requestedUri !== undefined,
    responseMode: chooseMode(responseModes, peekParameter(parameters, 'response_mode'), {
      defaultMode,
      redirectUri,
      state: state ?? '',
    }),
    defaultMode,
    state,
    isSilent: isSilent(parameters),
    ...parseHints(parameters),
  };
}

/**
 * The client of a request.
 *
 * @throws OAuthError if there is none, or it is blocked: it is shown to the user (RFC 6749 §3.1.2.4)
 */
export async function findUsableClient(findClient: FindClient, clientId: string): Promise<Client> {
  const client = await findClient(clientId);
  if (client === null)
    throw new OAuthError('invalid_client', 'there is no such client', {
      reason: 'client_unknown',
      status: 400,
      detail: `client_id ${clientId.slice(0, 200)}`,
    });
  // RFC 9700 §4.11.2: no redirect to a URI that is not trusted, and this site no longer trusts this one
  refuseBlocked(client);
  return client;
}

function checkLength(query: Form): void {
  if (maxLength(query) > MAX_REQUEST_LENGTH && formatForm(query).length > MAX_REQUEST_LENGTH)
    throw new OAuthError('invalid_request', 'the authorization request is too long', {
      reason: 'request_too_large',
      status: 414,
    });
}

/** An upper bound that costs less than the text: `formatForm` writes a character as nine at most, plus `=` and `&`. */
function maxLength(form: Form): number {
  let length = 0;
  for (const [name, value] of Object.entries(form)) {
    for (const text of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof text === 'string') length += 9 * (name.length + text.length) + 2;
  }
  return length;
}

/** RFC 6749 §3.1.2.3: without a redirect_uri there must be exactly one registered. */
function resolveRedirectUri(requested: string | undefined, client: Client): string {
  if (requested !== undefined) {
    if (findRegisteredRedirectUri(requested, client.redirectUris) === undefined)
      throw new UnregisteredRedirectUri(requested, client);
    return requested;
  }
  const [only, ...more] = client.redirectUris;
  if (only === undefined)
    throw new OAuthError('invalid_request', 'the client has no redirect URI registered', {
      reason: 'redirect_uri_not_registered',
    });
  if (more.length > 0)
    throw new OAuthError(
      'invalid_request',
      'the redirect_uri is missing: the client has several registered',
      { reason: 'redirect_uri_missing' },
    );
  return only;
}

function stateToReturn(parameters: Form): string | undefined {
  const state = peekParameter(parameters, 'state');
  return state !== undefined && !/[\0\ufffd]/.test(state) ? state : undefined;
}

/** RFC 6749 §3.1.1: the order of the words of a `response_type` does not matter. */
export function findResponseType(
  responseTypes: ReadonlyMap<string, ResponseType>,
  name: string,
): ResponseType | undefined {
  return responseTypes.get(name) ?? responseTypes.get(name.split(' ').sort().join(' '));
}
