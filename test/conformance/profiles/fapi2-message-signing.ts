import type { Profile, ProfileOptions, Variant } from '../profile.js';
import {
  FAPI2_VARIANTS,
  fapi2Clients,
  fapi2Configuration,
  fapi2Options,
  fapi2Overrides,
  fapi2Plan,
  takesCertificates,
} from './fapi2.js';

/** FAPI 2.0 Message Signing (Final): signed requests (JAR), signed answers (JARM), or both. */
export const fapi2MessageSigning: Profile = {
  title: 'FAPI 2.0 Message Signing: signed requests, signed answers, or both',
  variants: {
    fapi_request_method: ['signed_non_repudiation', 'unsigned'],
    fapi_response_mode: ['jarm', 'plain_response'],
    ...FAPI2_VARIANTS,
  },
  plans: (variant) => [fapi2Plan('fapi2-message-signing-final-test-plan', variant)],
  options: (context) => ({ ...fapi2Options(context), ...signing(context.variant) }),
  clients: fapi2Clients,
  configuration: fapi2Configuration,
  takesCertificates,
  overrides: fapi2Overrides,
};

/** The profile of the site demands both; one of them alone is an option beside the Security Profile. */
function signing({ fapi_request_method, fapi_response_mode }: Variant): ProfileOptions {
  const signsRequests = fapi_request_method === 'signed_non_repudiation';
  const signsAnswers = fapi_response_mode === 'jarm';
  if (signsRequests && signsAnswers) return { profile: 'fapi2-message-signing' };
  return {
    ...(signsRequests && { signedRequests: { required: true } }),
    ...(signsAnswers && { signedResponses: true }),
  };
}
