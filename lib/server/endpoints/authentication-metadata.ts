import { PROFILE_ALGORITHMS } from '../../settings/profile.js';
import type { ServerMetadata } from '../endpoint-of.js';
import type { Server } from '../server.js';

/** How clients authenticate at an endpoint, under the prefix that RFC 8414 §2 gives it. */
export function describeAuthentication(
  { clientAuthenticationMethods: methods, settings }: Server,
  prefix: string,
  isAllowed: (name: string) => boolean = () => true,
): ServerMetadata {
  const algorithms = new Set(methods.flatMap(({ signingAlgorithms = [] }) => signingAlgorithms));
  return {
    [`${prefix}_endpoint_auth_methods_supported`]: methods.map(({ name }) => name).filter(isAllowed),
    [`${prefix}_endpoint_auth_signing_alg_values_supported`]: [...algorithms].filter(
      (name) => settings.profile === undefined || PROFILE_ALGORITHMS.includes(name),
    ),
  };
}
