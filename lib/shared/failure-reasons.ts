/** Why a request failed before its client was known: no client's page can show these. */
type BeforeTheClient =
  // the request itself
  | 'tls_missing'
  | 'wrong_method'
  | 'wrong_content_type'
  | 'request_malformed'
  | 'request_too_slow'
  | 'parameters_in_url'
  | 'request_uri_invalid'
  | 'logout_request_invalid'
  // who it comes from
  | 'credentials_missing'
  | 'credentials_malformed'
  | 'credentials_ambiguous'
  | 'assertion_malformed'
  | 'client_unknown'
  | 'client_not_let_in'
  | 'dpop_nonce_missing'
  | 'client_document_unusable'
  | 'client_certificate_malformed'
  // registration, and resources
  | 'client_metadata_invalid'
  | 'software_statement_invalid'
  | 'initial_access_token_invalid'
  | 'registration_token_invalid'
  | 'access_token_missing'
  | 'access_token_malformed'
  | 'access_token_invalid'
  | 'scope_insufficient'
  | 'authentication_insufficient'
  | 'authorization_details_insufficient'
  | 'user_required'
  | 'kind_not_allowed'
  | 'too_many_tokens'
  | 'user_unknown'
  | 'revocation_not_allowed'
  // security event tokens, and their streams
  | 'event_token_malformed'
  | 'event_token_wrong_time'
  | 'event_token_wrong_key'
  | 'event_token_wrong_issuer'
  | 'event_token_wrong_audience'
  | 'event_token_not_expected'
  | 'transmitter_unknown'
  | 'stream_not_allowed'
  | 'stream_unknown'
  | 'stream_invalid';

/** Why a request of a known client failed: its developers are told, and can fix it. */
export const CLIENT_FAILURES = [
  // who it is, and what it may do
  'wrong_client_secret',
  'client_secret_missing',
  'wrong_authentication_method',
  'wrong_assertion_signature',
  'assertion_expired',
  'assertion_used',
  'assertion_invalid',
  'client_keys_missing',
  'client_keys_unavailable',
  'client_certificate_missing',
  'client_certificate_untrusted',
  'client_certificate_wrong',
  'client_blocked',
  'client_not_approved',
  'rate_limited',
  'public_client',
  'introspection_not_registered',
  'grant_type_unsupported',
  'grant_type_not_registered',
  'response_type_unsupported',
  'response_type_not_registered',
  'response_mode_unsupported',
  // what it asks for
  'redirect_uri_missing',
  'redirect_uri_mismatch',
  'redirect_uri_not_registered',
  'request_too_large',
  'parameter_missing',
  'parameter_malformed',
  'parameter_unsupported',
  'pushing_required',
  'signing_required',
  'request_object_invalid',
  'request_uri_unusable',
  'dpop_proof_missing',
  'dpop_proof_invalid',
  'key_mismatch',
  'prompt_invalid',
  'login_required',
  'consent_required',
  'denied_by_user',
  'pkce_missing',
  'pkce_method_unsupported',
  'pkce_malformed',
  'pkce_mismatch',
  'scope_malformed',
  'scope_unknown',
  'scope_not_registered',
  'scope_not_granted',
  'resource_missing',
  'resource_unknown',
  'resource_not_granted',
  'resource_ambiguous',
  'resource_without_scopes',
  'authorization_details_invalid',
  'authorization_details_not_registered',
  'authorization_details_not_granted',
  // what it presents
  'code_unknown',
  'code_expired',
  'code_used',
  'code_revoked',
  'code_of_other_client',
  'code_redirect_uri_mismatch',
  'refresh_token_unknown',
  'refresh_token_expired',
  'refresh_token_reused',
  'refresh_token_revoked',
  'access_ended',
  'choice_lost',
  'device_code_unknown',
  'device_code_expired',
  'device_code_used',
  'device_code_revoked',
  'token_of_other_client',
  'token_not_revocable',
  'subject_token_invalid',
  'exchange_not_allowed',
  'exchange_too_deep',
  'issuer_not_trusted',
  'subject_not_trusted',
  'wrong_password',
  'refused_by_policy',
  'too_many_grants',
  // what the host's own code refuses, and whatever has no reason of its own
  'other',
] as const;

export type ClientFailure = (typeof CLIENT_FAILURES)[number];

/**
 * Why a client was refused, more precisely than the RFC's error code: for events, for `onError`, and for the developers
 * of the client. Never on the wire: somebody who tries codes or secrets must not hear which half was right.
 */
export type FailureReason = BeforeTheClient | ClientFailure;
