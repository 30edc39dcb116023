import { type RequestHandler, Router } from 'express';

import { DEVICE_CODE } from '../grant-types/device-code.js';
import { crossOrigin } from '../http/cross-origin.js';
import { jsonError } from '../http/json-error.js';
import { refuseOtherMethods } from '../http/methods.js';
import type { Report } from '../observability/report.js';
import type { Settings } from '../settings/settings.js';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

export interface MetadataDependencies {
  readonly settings: Settings;
  readonly report: Report;
  readonly grantTypes: readonly string[];
  readonly responseTypes: readonly string[];
  readonly responseModes: readonly string[];
  readonly clientAuthenticationMethods: readonly string[];
  /** The algorithms of the JWTs that clients authenticate by. */
  readonly clientAuthenticationAlgorithms: readonly string[];
  /** The languages of the pages. */
  readonly locales: readonly string[];
}

/** RFC 8414 §2, from the same lists that the endpoints work by. */
function buildMetadata({
  settings,
  grantTypes,
  responseTypes,
  responseModes,
  clientAuthenticationMethods,
  clientAuthenticationAlgorithms,
  locales,
}: MetadataDependencies): Readonly<Record<string, unknown>> {
  const endpoints = `${settings.issuer}${settings.basePath}`;
  return {
    issuer: settings.issuer,
    ...(responseTypes.length > 0 && { authorization_endpoint: `${endpoints}/authorize` }),
    token_endpoint: `${endpoints}/token`,
    revocation_endpoint: `${endpoints}/revoke`,
    // RFC 8628 §4
    ...(grantTypes.includes(DEVICE_CODE) && {
      device_authorization_endpoint: `${endpoints}/device_authorization`,
    }),
    introspection_endpoint: `${endpoints}/introspect`,
    // RFC 8414 §3.2: claims with zero elements MUST be omitted; response_types_supported is required all the same (§2)
    ...(Object.keys(settings.scopes).length > 0 && { scopes_supported: Object.keys(settings.scopes) }),
    ...(settings.registration !== false && { registration_endpoint: `${endpoints}/register` }),
    jwks_uri: `${endpoints}/jwks`,
    response_types_supported: responseTypes,
    ...(responseModes.length > 0 && { response_modes_supported: responseModes }),
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    introspection_endpoint_auth_methods_supported: clientAuthenticationMethods.filter(
      (method) => method !== 'none',
    ),
    token_endpoint_auth_signing_alg_values_supported: clientAuthenticationAlgorithms,
    revocation_endpoint_auth_signing_alg_values_supported: clientAuthenticationAlgorithms,
    introspection_endpoint_auth_signing_alg_values_supported: clientAuthenticationAlgorithms,
    introspection_signing_alg_values_supported: signingAlgorithmsOf(settings),
    ui_locales_supported: locales,
    code_challenge_methods_supported: ['S256'],
    ...(settings.resources.size > 0 && { protected_resources: [...settings.resources.keys()] }),
    // RFC 9207 §3
    authorization_response_iss_parameter_supported: true,
  };
}

/** RFC 9701 §7 */
function signingAlgorithmsOf({ signingKeys: { keys, algorithm } }: Settings): readonly string[] {
  return keys === undefined ? [algorithm] : [...new Set(keys.map((key) => key.algorithm))];
}

/**
 * Answers the metadata at the paths given, as the router sees them.
 *
 * @see RFC 8414 §3
 */
export function createMetadataEndpoint(dependencies: MetadataDependencies, paths: readonly string[]): Router {
  const body = JSON.stringify(buildMetadata(dependencies));
  const refuse = refuseOtherMethods('GET', 'HEAD');
  const router = Router();
  const allowOrigins = crossOrigin('GET');
  const answer: RequestHandler = (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      void refuse(req, res, next);
      return;
    }
    res.set('Cache-Control', 'public, max-age=300').type('application/json').send(body);
  };
  // compared as text: an issuer's path may have characters that mean something in a route of Express
  router.use((req, res, next) => {
    if (!paths.includes(req.path)) return next();
    void allowOrigins(req, res, () => void answer(req, res, next));
  });
  router.use(jsonError('metadata', dependencies.report));
  return router;
}

/** Where the router itself answers: below its own mount. */
export const MOUNTED_PATHS = [WELL_KNOWN];

/** Both spellings of the well-known URL for an issuer with a path: RFC 8414 §3.1, and the older one below the path (§5). */
export function wellKnownPaths({ issuerPath }: Settings): readonly string[] {
  return [`${WELL_KNOWN}${issuerPath}`, `${issuerPath}${WELL_KNOWN}`];
}
