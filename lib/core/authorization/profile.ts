import { OAuthError } from '../../shared/errors.js';
import { type Form, parseParameter } from '../../shared/protocol/parameters.js';
import { requiresFapi, requiresMessageSigning } from '../clients/fapi-profile.js';
import type { AuthorizationRequest, RequestRules } from './authorization-request.js';

/**
 * What requests of FAPI 2.0 clients must contain, apart from having to be pushed, and signed.
 *
 * @throws OAuthError invalid_request
 */
export function checkRequestProfile(
  form: Form,
  { client, isRedirectUriRequested, responseMode }: Partial<AuthorizationRequest>,
  rules: Pick<RequestRules, 'profile'>,
): Record<never, never> {
  if (!requiresFapi(rules, client)) return {};
  // FAPI 2.0 Security Profile §5.3.2.2-6
  if (isRedirectUriRequested !== true)
    throw new OAuthError('invalid_request', 'the redirect_uri is missing', {
      reason: 'redirect_uri_missing',
    });
  // §5.3.2.2-1
  if (parseParameter(form, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'the response type must be code', {
      reason: 'response_type_unsupported',
    });
  // §5.3.2.2-5; that it is S256 is checked for all clients
  if (parseParameter(form, 'code_challenge') === undefined)
    throw new OAuthError(
      'invalid_request',
      'code challenge required (PKCE with code_challenge_method=S256)',
      { reason: 'pkce_missing' },
    );
  // FAPI 2.0 Message Signing §5.4.1-1
  if (requiresMessageSigning(rules, client) && responseMode?.isSigned !== true)
    throw new OAuthError('invalid_request', 'the answer has to be signed: response_mode=jwt', {
      reason: 'response_mode_unsupported',
    });
  return {};
}
