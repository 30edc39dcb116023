/** Reasons before the client is known: no client's page can show these. */
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
  // authentication of the client
  | 'credentials_missing'
  | 'credentials_malformed'
  | 'credentials_ambiguous'
  | 'assertion_malformed'
  | 'client_unknown'
  | 'client_registration_ended'
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

/**
 * Reasons of failures for a known client, each with advice for its developers. In English only, like the errors on the
 * wire and the documentation.
 */
export const FAILURE_MEANINGS = {
  // authentication and authorization of the client
  wrong_client_secret: 'The client secret was wrong. Check that your server has the newest one.',
  client_secret_missing: 'No client secret was sent. Send it by HTTP Basic, or as client_secret in the body.',
  wrong_authentication_method: 'It proved who it is in another way than it is registered for.',
  wrong_assertion_signature:
    'The signature of the client assertion fits none of its keys. Check the key, its kid and the algorithm.',
  assertion_expired:
    'The client assertion had expired. Make a new one for each request, and check your clock.',
  assertion_used: 'The client assertion was used before. Give each one a jti of its own.',
  assertion_invalid: 'A claim of the client assertion was wrong. The answer says which.',
  client_keys_missing:
    'There is no key to check the client assertion by. Register one, or make a new secret.',
  client_keys_unavailable:
    'Its keys could not be fetched from its jwks_uri. See that it answers quickly, with a key set.',
  client_certificate_missing:
    'It showed no certificate. Send its requests over mutual TLS, to the addresses for it (mtls_endpoint_aliases) if there are some.',
  client_certificate_untrusted:
    'Its certificate has expired, is not valid yet, or is of an authority that is not trusted here. Take a new one, with its whole chain.',
  client_certificate_wrong:
    'Its certificate is not the one that it is registered with. Check the subject, or register the new certificate.',
  client_blocked: 'It is blocked. Ask the people who run this site.',
  client_not_approved: 'It waits for approval. Until then only its owner can use it.',
  rate_limited: 'It asked too often, or was wrong too often. Wait as long as Retry-After says.',
  public_client: 'It is a public client: it has no secret to send, and gets no access for itself.',
  introspection_not_registered:
    'It may not ask what a token is worth. The people who run this site can allow it.',
  grant_type_unsupported: 'This site does not know the grant_type. Check its spelling.',
  grant_type_not_registered:
    'It is not registered for the grant_type. Choose it under “Edit” if it is offered.',
  response_type_unsupported: 'This site does not offer the response_type. Send response_type=code.',
  response_type_not_registered: 'It is not registered for the response_type.',
  response_mode_unsupported:
    'The response_mode is unknown, switched off, cannot reach the redirect URI, or would put tokens into a query. Leave it out.',
  // the requested scopes, resources and the like
  redirect_uri_missing: 'It has several redirect URIs and sent none. Send the one you mean as redirect_uri.',
  redirect_uri_mismatch:
    'The redirect_uri is none of those above. It must be the same to the last character.',
  redirect_uri_not_registered: 'It has no redirect URI. Add one under “Edit”.',
  request_too_large: 'The request was too long. Shorten state, or ask for fewer scopes.',
  parameter_missing: 'A parameter was missing. The answer names it.',
  parameter_malformed: 'A parameter was there twice, or was no plain text. The answer names it.',
  parameter_unsupported:
    'This site does not support one of the parameters. The answer names it: leave it out.',
  pushing_required: 'The request has to be pushed first, to the pushed authorization request endpoint.',
  signing_required: 'The request was not signed, and it has to be. Send it as a request object (RFC 9101).',
  request_object_invalid:
    'The request object was wrong: its signature, its time, or what stands in it. The error says which.',
  request_uri_unusable:
    'The request object could not be had from the request_uri: it is not registered, did not answer, or answered something else. The error says which.',
  dpop_proof_missing: 'A proof of the key (DPoP) was missing. Send one with each request.',
  dpop_proof_invalid:
    'A proof of the key (DPoP) was wrong: its signature, its time, or the address in it. The error says which.',
  key_mismatch:
    'A token or code was bound to another key than the proof was made with. Use the key that it was asked for with.',
  prompt_invalid: 'The prompt had none beside another value. Send none alone.',
  login_required:
    'Nobody was logged in, or the user had allowed this application nothing yet, and prompt=none lets nobody be asked. Ask again without it.',
  consent_required:
    'The user had not allowed this yet, and prompt=none lets nobody be asked. Ask again without it.',
  denied_by_user: 'People said no. Ask for less, and tell them before what it is for.',
  pkce_missing: 'No code_challenge was sent. Use PKCE with code_challenge_method=S256.',
  pkce_method_unsupported: 'The code_challenge_method has to be S256.',
  pkce_malformed: 'The code_challenge is not the base64url form of a SHA-256 hash.',
  pkce_mismatch:
    'The code_verifier does not fit the code_challenge. Keep it with the request until its code is redeemed.',
  scope_malformed:
    'The scope was empty, or had characters that no scope has. Put one space between two scopes.',
  scope_unknown: 'There is no such scope. Check its spelling.',
  scope_not_registered: 'The scope is not one that it may ask for. Choose it under “Edit” if it is offered.',
  scope_not_granted: 'It refreshed with a scope that the user had not allowed. Leave scope out.',
  resource_missing:
    'This site wants to know for which resource. Name it by resource, unless you only sign users in.',
  resource_unknown: 'This site does not know the resource.',
  resource_not_granted: 'The resource was not allowed. Name it in the authorization request already.',
  resource_ambiguous: 'Several resources were allowed, and a token is for one. Name it by resource.',
  resource_without_scopes: 'None of the scopes belongs to the resource.',
  authorization_details_invalid:
    'The authorization_details are malformed, of a type that is not known here, or have missing or unknown fields.',
  authorization_details_not_registered: 'It is not registered for a type of these authorization_details.',
  authorization_details_not_granted:
    'The authorization_details are more than what was allowed. Ask for what was allowed, or leave them out.',
  // codes and tokens
  code_unknown: 'There is no such code, or it is long gone. Redeem it at once, unchanged.',
  code_expired: 'The code had expired. Redeem it at once.',
  code_used: 'The code was redeemed a second time, which ended its access. Redeem a code once.',
  code_revoked: 'The user had ended the access that the code was for. Send them through again.',
  code_of_other_client: 'The code was for another application. Check which client ID your server uses.',
  code_redirect_uri_mismatch:
    'The redirect_uri differs from that of the authorization request. Send the same one with the code.',
  refresh_token_unknown: 'There is no such refresh token, or it is long gone. Send the user through again.',
  refresh_token_expired: 'The refresh token had expired. Send the user through again.',
  refresh_token_reused:
    'A refresh token was used a second time, which ended the access. Keep the new one each time, and refresh once at a time.',
  refresh_token_revoked: 'The access had been ended. Send the user through again.',
  access_ended: 'The access had ended: the user had allowed it for so long. Send them to allow it again.',
  choice_lost:
    'What the user had picked is no longer theirs to give, a workspace they have left, say. Send them to allow it again.',
  device_code_unknown: 'There is no such device code, or it is for another application. Begin anew.',
  device_code_expired: 'The device code expired before anybody had allowed it. Begin anew.',
  device_code_used:
    'The device code was used a second time, which ended its access. Stop asking once you have tokens.',
  device_code_revoked: 'The access of the device had been ended. Begin anew.',
  token_of_other_client: 'The token was for another application. Check which client ID your server uses.',
  token_not_revocable:
    'This token cannot be taken back. It ends by itself a few minutes after it was issued.',
  subject_token_invalid:
    'A token that it wanted to exchange was unknown, expired or revoked, or bound to another key.',
  exchange_not_allowed:
    'It may not exchange this token: it needs mayExchange, and the token has to be its own, for a resource of it, or handed on to it by a client that names it in mayAct.',
  exchange_too_deep: 'The token came of too many exchanges already.',
  issuer_not_trusted: 'This site does not trust the issuer of the assertion.',
  subject_not_trusted: 'This site trusts the issuer of the assertion, but not this subject.',
  wrong_password: 'The user name or the password was wrong.',
  refused_by_policy: 'A rule of this site refused it. The answer says which, as far as the site tells.',
  // refusals by the site's code, and errors without a reason of their own
  other: 'It was refused for another reason. The answer says more.',
} satisfies Readonly<Record<string, string>>;

export type ClientFailure = keyof typeof FAILURE_MEANINGS;

export const CLIENT_FAILURES = Object.keys(FAILURE_MEANINGS) as readonly ClientFailure[];

/**
 * Why a client was refused, more precisely than by the RFC's error code: for events, for `onError`, and for the
 * client's developers. Never on the wire: an attacker who tries codes or secrets must not learn which half was right.
 */
export type FailureReason = BeforeTheClient | ClientFailure;
