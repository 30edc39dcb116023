import type { ServerMetadata } from '../../server/server.js';
import { aliasOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';

/** RFC 8705 §5: the endpoints to which clients send requests directly. */
const ENDPOINTS = [
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'registration_endpoint',
  // it takes tokens, which may be bound to the certificate
  'userinfo_endpoint',
];

/** Where clients with a certificate find those of these endpoints that are on, if that is at another origin. */
export function describeAliases(settings: Settings, metadata: ServerMetadata): ServerMetadata {
  const aliases = ENDPOINTS.flatMap((name) => {
    const url = metadata[name];
    const alias = typeof url === 'string' ? aliasOf(settings, url) : undefined;
    return alias === undefined ? [] : [[name, alias] as const];
  });
  return aliases.length === 0 ? {} : { mtls_endpoint_aliases: Object.fromEntries(aliases) };
}
