import { OAuthError } from '../../shared/errors.js';
import { type Form, hasParameter } from '../../shared/protocol/parameters.js';

/**
 * Parameters that ask for something that the client would not get, and the error for each. RFC 6749 §3.1 has unknown
 * parameters ignored; these are known, and a client would wrongly believe that it got what it asked for.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  request: 'request_not_supported', // OpenID Connect Core §3.1.2.6, RFC 9101 §4
  request_uri: 'request_uri_not_supported', // OpenID Connect Core §3.1.2.6, RFC 9101 §4
  registration: 'registration_not_supported', // OpenID Connect Core §3.1.2.6, §7.2.1
  authorization_details: 'invalid_authorization_details', // RFC 9396 §5: no type of them is known
  max_age: 'invalid_request', // OpenID Connect Core §3.1.2.1 names no error of its own
};

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
