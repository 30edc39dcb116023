import type { Credential } from '../../core/clients/auth-method-info.js';
import type { Feature } from '../../server/feature.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { createDocumentedClients } from './document-client-source.js';
import { createFetchClientDocument } from './fetch-client-document.js';
import { clientDocumentOptions } from './options.js';

/** §4.1: no shared secrets. Certificates are for clients that a user registers. */
const CREDENTIALS: readonly Credential[] = ['none', 'keys', 'svid'];

/** Clients that describe themselves. @see OAuth Client ID Metadata Document, draft 02 */
export const clientDocuments = {
  name: 'client-id-metadata-documents',
  isOn: (settings) => settings.clientIdMetadataDocuments !== false,
  options: clientDocumentOptions,
  // §6
  metadata: () => ({ client_id_metadata_document_supported: true }),
  createClientSource({ settings, models: { clients, consents }, rules, emit, limitUntrustedFetch }) {
    const options = switchedOn(settings.clientIdMetadataDocuments, 'clientIdMetadataDocuments');
    const { grantTypes, scopes, anyRedirectHost } = options;
    return createDocumentedClients({
      clients,
      consents,
      emit,
      settings: { ...options, approval: settings.applications.approval },
      rules: {
        ...rules,
        methods: rules.methods.filter(({ credential }) => CREDENTIALS.includes(credential)),
        grantTypes,
        scopes,
        defaultScopes: scopes,
        anyRedirectHost,
      },
      fetchDocument: createFetchClientDocument(options),
      limitUntrustedFetch,
    });
  },
} satisfies Feature;
