import { field, fieldsOf, type MetadataOf } from '../../core/clients/client-field.js';
import { requestUriProblems } from '../../core/clients/validation/request-uri-problems.js';
import { listSchema } from '../../core/clients/validation/schemas.js';
import type { Feature } from '../../server/feature.js';

/** What its clients are registered with. */
const clientFieldRows = {
  /**
   * The exact URLs of signed requests that it may send as `request_uri`. Needs `signedRequests.byReference`. Default:
   * none. (RFC 9101 §5.2)
   */
  requestUris: field<readonly string[]>({
    shape: listSchema,
    stored: { type: [String], default: undefined },
    requiresReapproval: 'if-extended',
    findProblems: requestUriProblems,
    wire: { name: 'request_uris' },
    flag: {
      flags: '--request-uri <uri...>',
      description: 'where its request objects are (RFC 9101 §5.2)',
    },
    printed: { label: 'request URIs', format: (uris: readonly string[] | undefined) => uris?.join(' ') },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** Signed requests that are fetched from an address of their client; `signedRequests` has their source. @see RFC 9101 §5.2 */
export const requestReferences = {
  name: 'request-references',
  isOn: ({ signedRequests }) => signedRequests !== false && signedRequests.byReference,
  // OpenID Connect Discovery §3
  metadata: () => ({ request_uri_parameter_supported: true, require_request_uri_registration: true }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
