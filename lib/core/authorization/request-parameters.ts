import { OAuthError } from '../../shared/errors.js';
import {
  type Form,
  hasParameter,
  parseParameter,
  parseRepeated,
  requireOnce,
} from '../../shared/protocol/parameters.js';
import { isChallengeRequired, parseCodeChallenge } from '../../shared/protocol/pkce.js';
import { parseResources, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { readDetails } from '../authorization-details/read-details.js';
import type { Client } from '../clients/client.js';
import { requiresFapi, requiresMessageSigning } from '../clients/fapi-profile.js';
import type { RequestParameters, RequestTarget, ResolveDependencies } from './authorization-request.js';
import { checkOpenid } from './openid-request.js';
import { parsePrompt } from './prompt.js';
import { findResponseType, MAX_REQUEST_LENGTH } from './request-target.js';
import { parseRequiredAuthentication } from './required-authentication.js';
import type { ResponseType } from './response-types/response-type.js';

/**
 * Parameters whose meaning this server does not support, and the error for each. RFC 6749 §3.1 says to ignore unknown
 * parameters. These are known, and a client could not tell that they were ignored.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  request: 'request_not_supported', // OpenID Connect Core §3.1.2.6, RFC 9101 §4
  request_uri: 'request_uri_not_supported', // OpenID Connect Core §3.1.2.6, RFC 9101 §4
  registration: 'registration_not_supported', // OpenID Connect Core §3.1.2.6, §7.2.1
  authorization_details: 'invalid_authorization_details', // RFC 9396 §5: no type of them is known
  max_age: 'invalid_request', // OpenID Connect Core §3.1.2.1 names no error of its own
};

/**
 * The second part of the checks: what the client requests. A new check is one line here.
 *
 * @throws OAuthError which the client is told by redirect (RFC 6749 §4.1.2.1)
 */
export async function checkRequestParameters(
  target: RequestTarget,
  dependencies: ResolveDependencies,
): Promise<RequestParameters & Pick<RequestTarget, 'acrValues'>> {
  const { client, unchecked, responseMode } = target;
  const { parameters } = unchecked;
  checkStateLength(parameters);
  requirePushed(target, dependencies);
  requireSigned(target, dependencies);
  checkRequestProfile(parameters, target, dependencies);
  refuseUnsupported(parameters, dependencies.supportedParameters);
  const responseType = parseResponseType(parameters, client, dependencies);
  checkResponseMode(parameters, responseMode.responseMode);
  const resources = parseResources(parseRepeated(parameters, 'resource'), dependencies.resources);
  requireResource(resources, dependencies);
  const codeChallenge = parseChallenge(parameters, { client, responseType }, dependencies);
  const jkt = parseKeyThumbprint(parameters, dependencies);
  const authorizationDetails = await readAuthorizationDetails(parameters, client, dependencies);
  const scopes = parseScope(parameters, { client, resources, authorizationDetails }, dependencies);
  const requiredAuthentication = parseRequiredAuthentication(parameters, client, dependencies);
  const byOpenid = await checkOpenid(
    parameters,
    { client, scopes, responseType, requiredAuthentication, acrValues: target.acrValues },
    dependencies,
  );
  const prompt = parsePrompt(parameters, dependencies.prompts, dependencies.openid !== false);
  return { responseType, resources, authorizationDetails, codeChallenge, jkt, prompt, ...byOpenid };
}

/** A state that cannot go back as it came is refused: a pushed request may be longer than the URL of its response. */
function checkStateLength(parameters: Form): void {
  const state = parseParameter(parameters, 'state') ?? '';
  if (state.length > MAX_REQUEST_LENGTH)
    throw new OAuthError('invalid_request', 'the state is too long', { reason: 'request_too_large' });
}

/** RFC 9126 §5, §6 */
function requirePushed(
  { client, unchecked }: RequestTarget,
  { isPushingRequired }: Pick<ResolveDependencies, 'isPushingRequired'>,
): void {
  if (unchecked.isPushed || !isPushingRequired(client)) return;
  throw new OAuthError(
    'invalid_request',
    'this request has to be pushed first, to the pushed_authorization_request_endpoint',
    { reason: 'pushing_required' },
  );
}

/** RFC 9101 §10.5 */
function requireSigned(
  { client, unchecked }: RequestTarget,
  { isSigningRequired }: Pick<ResolveDependencies, 'isSigningRequired'>,
): void {
  if (unchecked.isSigned || !isSigningRequired(client)) return;
  throw new OAuthError('invalid_request', 'this request has to be signed: a JWT in the parameter request', {
    reason: 'signing_required',
  });
}

/** OAuth 2.0 Multiple Response Type Encoding Practices §2.1: the requested mode must be one for this request. */
function checkResponseMode(parameters: Form, chosen: string): void {
  const requested = parseParameter(parameters, 'response_mode');
  if (requested === undefined || requested === chosen) return;
  throw new OAuthError(
    'invalid_request',
    'the parameter response_mode has a value that is not supported for this request',
    { reason: 'response_mode_unsupported' },
  );
}

/** RFC 6749 §3.1.1 */
function parseResponseType(
  parameters: Form,
  { grantTypes, responseTypes: registered }: Client,
  { responseTypes }: Pick<ResolveDependencies, 'responseTypes'>,
): ResponseType {
  const responseType = findResponseType(responseTypes, requireOnce(parameters, 'response_type'));
  if (responseType === undefined)
    throw new OAuthError('unsupported_response_type', 'the response type is not supported by this server', {
      reason: 'response_type_unsupported',
    });
  const isLacking = (grantType: string) => !grantTypes.includes(grantType);
  const isOther = registered?.includes(responseType.responseType) === false;
  if (
    isOther ||
    isLacking(responseType.grantType) ||
    // an access token that comes through the browser needs the implicit grant, whatever comes with it
    (responseType.givesAccessToken === true && isLacking('implicit'))
  )
    throw new OAuthError('unauthorized_client', 'the client is not registered for this response type', {
      reason: 'response_type_not_registered',
    });
  return responseType;
}

/** RFC 7636 §4.3 */
function parseChallenge(
  parameters: Form,
  { client, responseType }: { readonly client: Client; readonly responseType: ResponseType },
  { security: { pkce } }: Pick<ResolveDependencies, 'security'>,
): string | undefined {
  const fields = {
    code_challenge: parseParameter(parameters, 'code_challenge'),
    code_challenge_method: parseParameter(parameters, 'code_challenge_method'),
  };
  if (!responseType.usesPkce) return undefined;
  return parseCodeChallenge(fields, isChallengeRequired(client.pkce ?? pkce, client.type));
}

/** RFC 9449 §10: the thumbprint of a key (RFC 7638), which is a SHA-256 hash */
function parseKeyThumbprint(
  parameters: Form,
  { supportedParameters }: Pick<ResolveDependencies, 'supportedParameters'>,
): string | undefined {
  const jkt = supportedParameters.has('dpop_jkt') ? parseParameter(parameters, 'dpop_jkt') : undefined;
  if (jkt === undefined || /^[A-Za-z0-9_-]{43}$/.test(jkt)) return jkt;
  throw new OAuthError('invalid_request', 'the parameter dpop_jkt is not the thumbprint of a key', {
    reason: 'parameter_malformed',
  });
}

/** RFC 9396 §3, §5 */
async function readAuthorizationDetails(
  parameters: Form,
  client: Client,
  dependencies: ResolveDependencies,
): Promise<RequestParameters['authorizationDetails']> {
  if (dependencies.authorizationDetails.size === 0) return [];
  const text = parseParameter(parameters, 'authorization_details');
  return (await readDetails(text, client, dependencies)) ?? [];
}

/** RFC 6749 §3.3, RFC 8707 §2.1 */
function parseScope(
  parameters: Form,
  {
    client,
    resources,
    authorizationDetails,
  }: Pick<RequestParameters, 'resources' | 'authorizationDetails'> & { readonly client: Client },
  dependencies: ResolveDependencies,
): readonly string[] {
  const scopes = dependencies.resolveScopes(
    client,
    parseParameter(parameters, 'scope'),
    authorizationDetails,
  );
  const fitting = scopesAt(scopes, resources, dependencies.resources);
  // the client is told who has logged in, whichever API its access token is for
  const isFitting = (scope: string) =>
    fitting.includes(scope) || (dependencies.openid !== false && scope === 'openid');
  return scopes.filter(isFitting);
}

/**
 * @param supported the parameters that a feature reads
 * @throws OAuthError
 */
export function refuseUnsupported(form: Form, supported: ReadonlySet<string>): void {
  for (const [name, error] of Object.entries(REFUSALS)) {
    // RFC 6749 §3.1: parameters sent without a value MUST be treated as if they were omitted
    if (!hasParameter(form, name) || supported.has(name)) continue;
    throw new OAuthError(error, `the parameter ${name} is not supported by this server`, {
      reason: 'parameter_unsupported',
    });
  }
}

/**
 * What requests of FAPI 2.0 clients must contain, apart from having to be pushed, and signed.
 *
 * @throws OAuthError invalid_request
 */
function checkRequestProfile(
  form: Form,
  { client, isRedirectUriRequested, responseMode }: RequestTarget,
  settings: Pick<ResolveDependencies, 'profile'>,
): void {
  if (!requiresFapi(settings, client)) return;
  // FAPI 2.0 Security Profile §5.3.2.2-6
  if (!isRedirectUriRequested)
    throw new OAuthError('invalid_request', 'the redirect_uri is missing', {
      reason: 'redirect_uri_missing',
    });
  // FAPI 2.0 Security Profile §5.3.2.2-1
  if (parseParameter(form, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'the response type must be code', {
      reason: 'response_type_unsupported',
    });
  // FAPI 2.0 Security Profile §5.3.2.2-5; that it is S256 is checked for all clients
  if (parseParameter(form, 'code_challenge') === undefined)
    throw new OAuthError(
      'invalid_request',
      'code challenge required (PKCE with code_challenge_method=S256)',
      { reason: 'pkce_missing' },
    );
  // FAPI 2.0 Message Signing §5.4.1-1
  if (requiresMessageSigning(settings, client) && responseMode.isSigned !== true)
    throw new OAuthError('invalid_request', 'the answer has to be signed: response_mode=jwt', {
      reason: 'response_mode_unsupported',
    });
}
