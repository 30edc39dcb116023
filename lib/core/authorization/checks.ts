import { OAuthError } from '../../shared/errors.js';
import {
  type Form,
  formatForm,
  parseParameter,
  parseRepeated,
  peekParameter,
  requireParameter,
} from '../../shared/protocol/parameters.js';
import { isChallengeRequired, parseCodeChallenge } from '../../shared/protocol/pkce.js';
import { findRegisteredRedirectUri } from '../../shared/protocol/redirect-uri.js';
import { parseResources, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { readDetails } from '../authorization-details/read-details.js';
import type { Client } from '../clients/client.js';
import { UnregisteredRedirectUri } from '../http/unregistered-redirect-uri.js';
import type { AuthorizationRequest, RequestRules } from './authorization-request.js';
import { findUsableClient } from './find-usable-client.js';
import { parseHints } from './hints.js';
import { checkOpenid } from './openid-request.js';
import { checkRequestProfile } from './profile.js';
import { isSilent, parsePrompt } from './prompt.js';
import { checkRequiredAuthentication } from './required-authentication.js';
import { chooseMode } from './response-modes/index.js';
import { refuseUnsupported } from './unsupported-parameters.js';

type Found = Partial<AuthorizationRequest>;

/** One check that a request has to pass, and what is known once it has. */
export interface RequestCheck {
  readonly name: string;
  /** Who is told of a refusal: the person, or the client once it is proven where that is (RFC 6749 §4.1.2.1). */
  readonly refusedBy: 'page' | 'redirect';
  /**
   * @param found what the checks before it have found
   * @returns what this one adds
   * @throws OAuthError
   */
  readonly check: (parameters: Form, found: Found, rules: RequestRules) => Found | Promise<Found>;
}

/** All checks of an authorization request, in their order: a new one is one line here. */
export const REQUEST_CHECKS: readonly RequestCheck[] = [
  { name: 'length', refusedBy: 'page', check: checkLength },
  { name: 'client', refusedBy: 'page', check: checkClient },
  { name: 'redirect_uri', refusedBy: 'page', check: checkRedirectUri },
  { name: 'response target', refusedBy: 'page', check: findResponseMode },
  // known even if the request is wrong: whoever is not logged in takes it along to the login
  { name: 'hints', refusedBy: 'page', check: parseHints },
  { name: 'silence', refusedBy: 'page', check: (parameters) => ({ isSilent: isSilent(parameters) }) },
  { name: 'state', refusedBy: 'redirect', check: checkState },
  { name: 'pushed', refusedBy: 'redirect', check: checkPushed },
  { name: 'signed', refusedBy: 'redirect', check: checkSigned },
  { name: 'profile', refusedBy: 'redirect', check: checkRequestProfile },
  { name: 'unsupported parameters', refusedBy: 'redirect', check: checkUnsupported },
  { name: 'response_type', refusedBy: 'redirect', check: checkResponseType },
  { name: 'response_mode', refusedBy: 'redirect', check: checkResponseMode },
  { name: 'resource', refusedBy: 'redirect', check: checkResources },
  { name: 'code_challenge', refusedBy: 'redirect', check: checkCodeChallenge },
  { name: 'dpop_jkt', refusedBy: 'redirect', check: checkKey },
  { name: 'authorization_details', refusedBy: 'redirect', check: checkDetails },
  { name: 'scope', refusedBy: 'redirect', check: checkScope },
  { name: 'required authentication', refusedBy: 'redirect', check: checkRequiredAuthentication },
  { name: 'openid', refusedBy: 'redirect', check: checkOpenid },
  { name: 'prompt', refusedBy: 'redirect', check: checkPrompt },
];

/** Longer requests would not fit into the URL of the login page, nor their answer into that of the client. */
const MAX_LENGTH = 6144;

/** A parameter that must be present, once. */
function required(form: Form, name: string): string {
  return requireParameter({ [name]: parseParameter(form, name) }, name);
}

/** What an earlier check has found. */
function having<Name extends keyof AuthorizationRequest>(
  found: Found,
  ...names: readonly Name[]
): Pick<AuthorizationRequest, Name> {
  const missing = names.find((name) => found[name] === undefined);
  if (missing !== undefined) throw new Error(`the check that finds ${missing} has to come first`);
  return found as Pick<AuthorizationRequest, Name>;
}

function checkLength(_parameters: Form, found: Found): Found {
  const name = having(found, 'reference').reference.referenceAfter([]);
  if (maxLength(name) > MAX_LENGTH && formatForm(name).length > MAX_LENGTH)
    throw new OAuthError('invalid_request', 'the authorization request is too long', {
      reason: 'request_too_large',
      status: 414,
    });
  return {};
}

/** The form as text is no longer: a character becomes nine at most, plus `=` and `&`. Most need not be written. */
function maxLength(form: Form): number {
  let length = 0;
  for (const [name, value] of Object.entries(form)) {
    for (const text of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof text === 'string') length += 9 * (name.length + text.length) + 2;
  }
  return length;
}

/** RFC 6749 §3.1.2.4 */
async function checkClient(form: Form, { reference }: Found, { findClient }: RequestRules): Promise<Found> {
  const client = reference?.client ?? (await findUsableClient(findClient, required(form, 'client_id')));
  return { client };
}

/** RFC 6749 §3.1.2.3 */
function checkRedirectUri(form: Form, found: Found): Found {
  const { client } = having(found, 'client');
  const requested = parseParameter(form, 'redirect_uri');
  if (requested === undefined) return { redirectUri: onlyRedirectUri(client), isRedirectUriRequested: false };
  if (findRegisteredRedirectUri(requested, client.redirectUris) === undefined)
    throw new UnregisteredRedirectUri(requested, client);
  return { redirectUri: requested, isRedirectUriRequested: true };
}

/** RFC 6749 §3.1.2.3: without a redirect_uri there must be exactly one registered. */
function onlyRedirectUri({ redirectUris }: Client): string {
  const [single, ...more] = redirectUris;
  if (single === undefined)
    throw new OAuthError('invalid_request', 'the client has no redirect URI registered', {
      reason: 'redirect_uri_not_registered',
    });
  if (more.length > 0)
    throw new OAuthError(
      'invalid_request',
      'the redirect_uri is missing: the client has several registered',
      {
        reason: 'redirect_uri_missing',
      },
    );
  return single;
}

/**
 * Decides how everything from here on is answered: an error goes the way of a response of the requested type (RFC 6749
 * §4.1.2.1, §4.2.2.1).
 */
function findResponseMode(form: Form, found: Found, { responseTypes, responseModes }: RequestRules): Found {
  const { redirectUri } = having(found, 'redirectUri');
  const type = peekParameter(form, 'response_type');
  const requested = peekParameter(form, 'response_mode');
  const defaultMode =
    (type === undefined ? undefined : findResponseType(type, responseTypes)?.defaultMode) ?? 'query';
  const returnedState = stateToReturn(form);
  const request = { defaultMode, redirectUri, state: returnedState ?? '' };
  return { responseMode: chooseMode(responseModes, requested, request), defaultMode, state: returnedState };
}

function stateToReturn(form: Form): string | undefined {
  const state = peekParameter(form, 'state');
  return state !== undefined && !/[\0\ufffd]/.test(state) ? state : undefined;
}

/** A state that cannot go back as it came is refused: a pushed request may be longer than the URL of its answer. */
function checkState(form: Form): Found {
  const state = parseParameter(form, 'state') ?? '';
  if (state.length > MAX_LENGTH)
    throw new OAuthError('invalid_request', 'the state is too long', { reason: 'request_too_large' });
  return {};
}

/** RFC 9126 §5, §6 */
function checkPushed(_form: Form, found: Found, { isPushingRequired }: RequestRules): Found {
  const { client, reference } = having(found, 'client', 'reference');
  if (reference.isPushed || !isPushingRequired(client)) return {};
  throw new OAuthError(
    'invalid_request',
    'this request has to be pushed first, to the pushed_authorization_request_endpoint',
    { reason: 'pushing_required' },
  );
}

/** RFC 9101 §10.5 */
function checkSigned(_form: Form, found: Found, { isSigningRequired }: RequestRules): Found {
  const { client, reference } = having(found, 'client', 'reference');
  if (reference.isSigned || !isSigningRequired(client)) return {};
  throw new OAuthError('invalid_request', 'this request has to be signed: a JWT in the parameter request', {
    reason: 'signing_required',
  });
}

function checkUnsupported(form: Form, _found: Found, { supportedParameters }: RequestRules): Found {
  refuseUnsupported(form, supportedParameters);
  return {};
}

/** OAuth 2.0 Multiple Response Type Encoding Practices §2.1: the requested mode must be one for this request. */
function checkResponseMode(form: Form, found: Found): Found {
  const name = parseParameter(form, 'response_mode');
  if (name === undefined || name === having(found, 'responseMode').responseMode.responseMode) return {};
  throw new OAuthError(
    'invalid_request',
    'the parameter response_mode has a value that is not supported for this request',
    { reason: 'response_mode_unsupported' },
  );
}

/** RFC 6749 §3.1.1: the order of its words does not matter. */
function findResponseType(name: string, responseTypes: RequestRules['responseTypes']) {
  return responseTypes.get(name) ?? responseTypes.get(name.split(' ').sort().join(' '));
}

/** RFC 6749 §3.1.1 */
function checkResponseType(form: Form, found: Found, { responseTypes }: RequestRules): Found {
  const responseType = findResponseType(required(form, 'response_type'), responseTypes);
  if (responseType === undefined)
    throw new OAuthError('unsupported_response_type', 'the response type is not supported by this server', {
      reason: 'response_type_unsupported',
    });
  const { grantTypes, responseTypes: registered } = having(found, 'client').client;
  const isLacking = (grantType: string) => !grantTypes.includes(grantType);
  // an access token that comes through the browser needs the implicit grant, whatever comes with it
  const isOther = registered?.includes(responseType.responseType) === false;
  if (
    isOther ||
    isLacking(responseType.grantType) ||
    (responseType.givesAccessToken === true && isLacking('implicit'))
  )
    throw new OAuthError('unauthorized_client', 'the client is not registered for this response type', {
      reason: 'response_type_not_registered',
    });
  return { responseType };
}

/** RFC 8707 §2.1 */
function checkResources(form: Form, _found: Found, rules: RequestRules): Found {
  const resources = parseResources(parseRepeated(form, 'resource'), rules.resources);
  requireResource(resources, rules);
  return { resources };
}

/** RFC 7636 §4.3 */
function checkCodeChallenge(form: Form, found: Found, { pkce }: RequestRules): Found {
  const { client, responseType } = having(found, 'client', 'responseType');
  const parameters = {
    code_challenge: parseParameter(form, 'code_challenge'),
    code_challenge_method: parseParameter(form, 'code_challenge_method'),
  };
  if (!responseType.usesPkce) return { codeChallenge: undefined };
  return {
    codeChallenge: parseCodeChallenge(parameters, isChallengeRequired(client.pkce ?? pkce, client.type)),
  };
}

/** RFC 9449 §10: the thumbprint of a key (RFC 7638), which is a SHA-256 hash */
function checkKey(form: Form, _found: Found, { supportedParameters }: RequestRules): Found {
  const jkt = supportedParameters.has('dpop_jkt') ? parseParameter(form, 'dpop_jkt') : undefined;
  if (jkt === undefined || /^[A-Za-z0-9_-]{43}$/.test(jkt)) return { jkt };
  throw new OAuthError('invalid_request', 'the parameter dpop_jkt is not the thumbprint of a key', {
    reason: 'parameter_malformed',
  });
}

/** RFC 9396 §3, §5 */
function checkDetails(form: Form, found: Found, rules: RequestRules): Found | Promise<Found> {
  const { client } = having(found, 'client');
  // most requests need not wait here
  if (rules.authorizationDetails.size === 0) return { authorizationDetails: [] };
  const text = parseParameter(form, 'authorization_details');
  return readDetails(text, client, rules).then((authorizationDetails = []) => ({ authorizationDetails }));
}

/** OpenID Connect Core §3.1.2.1 */
function checkPrompt(form: Form, _found: Found, { prompts, openid }: RequestRules): Found {
  return { prompt: parsePrompt(form, prompts, openid !== false) };
}

/** RFC 6749 §3.3, RFC 8707 §2.1 */
function checkScope(form: Form, found: Found, rules: RequestRules): Found {
  const { client, resources, authorizationDetails } = having(
    found,
    'client',
    'resources',
    'authorizationDetails',
  );
  const scopes = rules.resolveScopes(client, parseParameter(form, 'scope'), authorizationDetails);
  const fitting = scopesAt(scopes, resources, rules.resources);
  // the client is told who has logged in, whichever API its access token is for
  const isFitting = (scope: string) =>
    fitting.includes(scope) || (rules.openid !== false && scope === 'openid');
  return { scopes: scopes.filter(isFitting) };
}
