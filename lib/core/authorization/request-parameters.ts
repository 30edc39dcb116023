import { invalidRequest, OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { isChallengeRequired, parseCodeChallenge } from '../../shared/protocol/pkce.js';
import { parseResources, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { readDetails } from '../authorization-details/read-details.js';
import { requiresFapi, requiresMessageSigning } from '../clients/fapi-profile.js';
import {
  ALWAYS_READ,
  type AuthorizationRequest,
  type ParsedParameters,
  type RequestTarget,
  type ResolveDependencies,
} from './authorization-request.js';
import { promptValues } from './prompt.js';

/** Longer requests would not fit into the URL of the login page, nor their responses into the client's URL. */
export const MAX_REQUEST_LENGTH = 6144;

/**
 * Parameters whose meaning this server does not support, each with its error. RFC 6749 §3.1 says to ignore unknown
 * parameters. These are defined, and a client could not tell that the server ignored them.
 */
const REFUSALS = {
  request: 'request_not_supported', // OpenID Connect Core §3.1.2.6, RFC 9101 §4
  request_uri: 'request_uri_not_supported', // OpenID Connect Core §3.1.2.6, RFC 9101 §4
  registration: 'registration_not_supported', // OpenID Connect Core §3.1.2.6, §7.2.1
  authorization_details: 'invalid_authorization_details', // RFC 9396 §5: this server has no such type
  max_age: 'invalid_request', // OpenID Connect Core §3.1.2.1 names no error of its own
} as const;

/**
 * The second part of the checks: the requested scopes, resources and the like.
 *
 * @throws OAuthError which the client gets by redirect (RFC 6749 §4.1.2.1)
 */
export async function checkRequestParameters(
  target: RequestTarget,
  parsed: ParsedParameters,
  dependencies: ResolveDependencies,
): Promise<AuthorizationRequest> {
  const { client, original, responseType, responseMode } = target;
  const { params, malformed, resource } = parsed;
  const { settings, authorizationParameters: supportedParameters } = dependencies;
  const { openid } = settings;

  // RFC 6749 §3.1: request parameters MUST NOT be included more than once
  for (const [name, error] of malformed)
    if ((ALWAYS_READ as readonly string[]).includes(name) || supportedParameters.has(name)) throw error;

  // a state that is too long to be returned: a pushed request may be longer than the URL of its response
  if (params.state !== undefined && params.state.length > MAX_REQUEST_LENGTH)
    throw invalidRequest('the state is too long', 'request_too_large');

  // RFC 9126 §5, §6
  if (original.isPushed !== true && dependencies.isPushingRequired(client))
    throw invalidRequest(
      'this request has to be pushed first, to the pushed_authorization_request_endpoint',
      'pushing_required',
    );

  // RFC 9101 §10.5
  if (original.isSigned !== true && dependencies.isSigningRequired(client))
    throw invalidRequest('this request has to be signed: a JWT in the parameter request', 'signing_required');

  // FAPI 2.0 Security Profile §5.3.2.2, besides pushed and signed requests
  if (requiresFapi(settings, client)) {
    // §5.3.2.2-6
    if (!target.isRedirectUriRequested)
      throw invalidRequest('the redirect_uri is missing', 'redirect_uri_missing');
    // §5.3.2.2-1
    if (params.response_type !== 'code')
      throw new OAuthError('unsupported_response_type', 'the response type must be code', {
        reason: 'response_type_unsupported',
      });
    // §5.3.2.2-5; the method S256 is checked for all clients
    if (params.code_challenge === undefined)
      throw invalidRequest('code challenge required (PKCE with code_challenge_method=S256)', 'pkce_missing');
    // FAPI 2.0 Message Signing §5.4.1-1
    if (requiresMessageSigning(settings, client) && responseMode.isSigned !== true)
      throw invalidRequest('the answer has to be signed: response_mode=jwt', 'response_mode_unsupported');
  }
  refuseUnsupported(parsed, supportedParameters);

  // RFC 6749 §3.1.1
  requireParameter(params, 'response_type');
  if (responseType === undefined)
    throw new OAuthError('unsupported_response_type', 'the response type is not supported by this server', {
      reason: 'response_type_unsupported',
    });
  const { grantTypes, responseTypes: registered } = client;
  if (
    registered?.includes(responseType.responseType) === false ||
    !grantTypes.includes(responseType.grantType) ||
    // an access token through the browser needs the implicit grant, even beside a code
    (responseType.givesAccessToken === true && !grantTypes.includes('implicit'))
  )
    throw new OAuthError('unauthorized_client', 'the client is not registered for this response type', {
      reason: 'response_type_not_registered',
    });

  // OAuth 2.0 Multiple Response Type Encoding Practices §2.1: the requested mode must suit this request
  if (params.response_mode !== undefined && params.response_mode !== responseMode.responseMode)
    throw invalidRequest(
      'the parameter response_mode has a value that is not supported for this request',
      'response_mode_unsupported',
    );

  // RFC 8707 §2
  const resources = parseResources(resource, settings.resources);

  // RFC 7636 §4.3
  const isPkceRequired = isChallengeRequired(client.pkce ?? settings.security.pkce, client.type);
  const codeChallenge = responseType.usesPkce ? parseCodeChallenge(params, isPkceRequired) : undefined;

  // RFC 9449 §10: the thumbprint of a key (RFC 7638), which is a SHA-256 hash
  const jkt = supportedParameters.has('dpop_jkt') ? params.dpop_jkt : undefined;
  if (jkt !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(jkt))
    throw invalidRequest('the parameter dpop_jkt is not the thumbprint of a key', 'parameter_malformed');

  // RFC 9396 §3, §5
  const authorizationDetails = (await readDetails(params.authorization_details, client, settings)) ?? [];

  // RFC 6749 §3.3, RFC 8707 §2.1. The scope `openid` stays, whichever API the access token is for
  const requested = dependencies.resolveScopes(client, params.scope, authorizationDetails);
  const atResources = scopesAt(requested, resources, settings.resources);
  const scopes = requested.filter((scope) => atResources.includes(scope) || (openid && scope === 'openid'));
  requireResource(resources, settings, authorizationDetails.length === 0 ? scopes : []);

  // OpenID Connect Core §3.1.2.1, RFC 9470 §4
  const ofLogin = await dependencies.loginPolicy.readRequest?.(params, { ...target, responseType, scopes });

  // OpenID Connect Core §3.1.2.1, prompt=create §4.1: a server whose metadata lists its prompts refuses others
  const values = promptValues(params.prompt);
  const prompts = dependencies.prompts.filter((prompt) => values.includes(prompt));
  if (openid && values.some((value) => !(prompts as readonly string[]).includes(value)))
    throw invalidRequest('the parameter prompt has a value that is not supported', 'prompt_invalid');
  if (prompts.includes('none') && values.length > 1)
    throw invalidRequest('the prompt none cannot be combined with another one', 'prompt_invalid');

  return {
    kind: 'valid',
    ...target,
    responseType,
    scopes,
    ...ofLogin,
    resources,
    authorizationDetails,
    codeChallenge,
    jkt,
    prompt: new Set(prompts),
  };
}

/**
 * Refuses the parameters that this server does not support (`REFUSALS`).
 *
 * @param supported the parameters that features read
 * @throws OAuthError
 */
export function refuseUnsupported(
  { params, malformed }: ParsedParameters,
  supported: ReadonlySet<string>,
): void {
  for (const [name, error] of Object.entries(REFUSALS)) {
    // RFC 6749 §3.1: parameters sent without a value MUST be treated as if they were omitted
    const isSent = params[name as keyof typeof REFUSALS] !== undefined || malformed.has(name);
    if (!isSent || supported.has(name)) continue;
    throw new OAuthError(error, `the parameter ${name} is not supported by this server`, {
      reason: 'parameter_unsupported',
    });
  }
}
