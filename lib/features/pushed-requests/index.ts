import { asRequired, fieldsOf, flagClientField, type MetadataOf } from '../../core/clients/client-field.js';
import type { Feature } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { par } from './endpoint.js';
import { pushedRequestOptions } from './options.js';
import { createPushedSource } from './pushed.js';

const clientFieldRows = {
  /** It has to push its requests. Needs `pushedRequests`. Default: `false`. (RFC 9126 §6) */
  requirePushedAuthorizationRequests: flagClientField({
    requiresReapproval: true,
    wire: { name: 'require_pushed_authorization_requests' },
    printed: { label: 'pushed requests', format: asRequired },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** Authorization requests that clients send directly. @see RFC 9126 */
export const pushedRequests = {
  name: 'pushed-requests',
  isOn: (settings) => settings.pushedRequests !== false,
  options: pushedRequestOptions,
  endpoints: [par],
  collections: () => ['PushedRequest'],
  createRequestSources: ({ models }) => [createPushedSource(models.pushedRequests)],
  isPushingRequired: ({ pushedRequests: options }, client) =>
    requireEnabled(options, 'pushedRequests').required || client.requirePushedAuthorizationRequests === true,
  // RFC 9126 §5
  metadata: ({ pushedRequests: options }) => ({
    ...(requireEnabled(options, 'pushedRequests').required && {
      require_pushed_authorization_requests: true,
    }),
  }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
