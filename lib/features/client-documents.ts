import { createDocumentedClients } from '../clients/documented-clients.js';
import { createFetchClientDocument } from '../clients/fetch-client-document.js';
import type { Feature } from '../server/feature.js';

/** §4.1: the ways to authenticate that need no secret. */
const METHODS = ['none', 'private_key_jwt'];

/** Clients that describe themselves. @see OAuth Client ID Metadata Document, draft 02 */
export const clientDocuments = {
  name: 'client-id-metadata-documents',
  isOn: (settings) => settings.clientIdMetadataDocuments !== false,
  // §6
  metadata: () => ({ client_id_metadata_document_supported: true }),
  createClientSource({ settings, models: { clients, consents }, rules, emit }) {
    const options = settings.clientIdMetadataDocuments;
    if (options === false) throw new TypeError('clientIdMetadataDocuments is off');
    const { grantTypes, scopes, anyRedirectHost } = options;
    return createDocumentedClients({
      clients,
      consents,
      emit,
      settings: { ...options, approval: settings.applications.approval },
      rules: {
        ...rules,
        tokenEndpointAuthMethods: rules.tokenEndpointAuthMethods.filter((name) => METHODS.includes(name)),
        grantTypes,
        scopes,
        defaultScopes: scopes,
        anyRedirectHost,
      },
      fetchDocument: createFetchClientDocument({ ...options, isLimited: settings.rateLimits !== false }),
    });
  },
} satisfies Feature;
