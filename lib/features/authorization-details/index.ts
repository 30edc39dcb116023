import type { ClientMetadata } from '../../core/clients/client.js';
import {
  fieldsOf,
  listClientField,
  type MetadataOf,
  type RegistrationLimits,
} from '../../core/clients/client-field.js';
import { shortList } from '../../core/clients/validation/schemas.js';
import type { Feature } from '../../server/server.js';
import type { Settings } from '../../settings/settings.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { authorizationDetailsOptions } from './options.js';
import { detailTypes } from './types-metadata.js';

const clientFieldRows = {
  /**
   * The types of authorization details that it may ask for; without a user it needs this list. Default: all that a user
   * can allow. (RFC 9396 §10)
   */
  authorizationDetailsTypes: listClientField({
    shape: shortList,
    requiresReapproval: true,
    findProblems: (
      { authorizationDetailsTypes: types = [] }: ClientMetadata,
      { authorizationDetailsTypes: enabled }: RegistrationLimits,
    ): readonly string[] =>
      types
        .filter((type) => enabled?.includes(type) === false)
        .map((type) => `'${type.slice(0, 80)}' is no type of authorization details of this server.`),
    // RFC 9396 §10
    wire: { name: 'authorization_details_types' },
    printed: { label: 'authorization details' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** RFC 9396 §10, for this server and for the resources. */
function describeTypes({ authorizationDetails: types }: Settings) {
  return { authorization_details_types_supported: [...requireEnabled(types, 'authorizationDetails').keys()] };
}

/** Structured requests of clients, for more than a scope can say. @see RFC 9396 */
export const authorizationDetails = {
  name: 'authorization-details',
  isOn: ({ authorizationDetails: types }) => Boolean(types?.size),
  options: authorizationDetailsOptions,
  endpoints: [detailTypes],
  authorizationParameters: ['authorization_details'],
  metadata: describeTypes,
  resourceMetadata: describeTypes,
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
