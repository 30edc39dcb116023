import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { flagSchema } from '../../core/clients/validation/schemas.js';
import type { Feature } from '../../server/feature.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { par } from './endpoint.js';
import { createPushedSource } from './pushed.js';

// typed explicitly: the inferred type would name zod's types in the declarations
const clientFields: readonly ClientField[] = [
  {
    name: 'requirePushedAuthorizationRequests' satisfies keyof ClientMetadata,
    shape: flagSchema,
    stored: { type: Boolean },
    requiresReapproval: true,
    wire: { name: 'require_pushed_authorization_requests' },
    flag: {
      flags: '--require-pushed-requests',
      description: 'it may ask for authorization by pushed requests only (RFC 9126)',
      negated: { flags: '--no-require-pushed-requests', description: 'by plain ones, too' },
    },
    printed: {
      label: 'pushed requests',
      format: (isRequired: boolean | undefined) => (isRequired ? 'required' : undefined),
    },
  },
];

/** Authorization requests that clients send themselves. @see RFC 9126 */
export const pushedRequests = {
  name: 'pushed-requests',
  isOn: (settings) => settings.pushedRequests !== false,
  endpoints: [par],
  collections: () => ['PushedRequest'],
  createRequestSources: ({ models }) => [createPushedSource(models.pushedRequests)],
  isPushingRequired: ({ pushedRequests: options }, client) =>
    switchedOn(options, 'pushedRequests').required || client.requirePushedAuthorizationRequests === true,
  // RFC 9126 §5
  metadata: ({ pushedRequests: options }) => ({
    ...(switchedOn(options, 'pushedRequests').required && { require_pushed_authorization_requests: true }),
  }),
  clientFields,
} satisfies Feature;
