import type { ClientMetadata } from '../../core/clients/client.js';
import { fieldsOf, listClientField, type MetadataOf } from '../../core/clients/client-field.js';
import { isHttpsUrl } from '../../core/clients/validation/schemas.js';
import type { Feature } from '../../server/server.js';

const clientFieldRows = {
  /**
   * The exact URLs of signed requests that it may send as `request_uri`. Needs `signedRequests.byReference`. Default:
   * none. (RFC 9101 §5.2)
   */
  requestUris: listClientField({
    requiresReapproval: 'if-extended',
    findProblems: requestUriProblem,
    wire: { name: 'request_uris' },
    printed: { label: 'request URIs' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

const MAX_REQUEST_URIS = 20;
const MAX_REQUEST_URI_LENGTH = 512;

/** RFC 9101 §5.2, OpenID Connect Registration §2 */
function requestUriProblem({ requestUris = [] }: ClientMetadata): string | undefined {
  if (requestUris.length > MAX_REQUEST_URIS) return `There can be ${MAX_REQUEST_URIS} request URIs at most.`;
  const wrong = requestUris.find((uri) => uri.length > MAX_REQUEST_URI_LENGTH || !isHttpsUrl(uri));
  if (wrong === undefined) return undefined;
  return `${wrong.slice(0, 80)} is no https: URL of ${MAX_REQUEST_URI_LENGTH} ASCII characters at most, without a user.`;
}

/**
 * Requests by reference, to an address of the client; `signedRequests` has their source.
 *
 * @see RFC 9101 §5.2
 */
export const requestReferences = {
  name: 'request-references',
  isOn: ({ signedRequests }) => Boolean(signedRequests && signedRequests.byReference),
  // OpenID Connect Discovery §3
  metadata: () => ({ request_uri_parameter_supported: true, require_request_uri_registration: true }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
