import type { Feature } from '../../server/server.js';
import { createDocumentedClients } from './document-client-source.js';
import { clientDocumentOptions } from './options.js';

/** Clients that describe themselves. @see OAuth Client ID Metadata Document, draft 02 */
export const clientDocuments = {
  name: 'client-id-metadata-documents',
  isOn: (settings) => settings.clientIdMetadataDocuments !== false,
  options: clientDocumentOptions,
  // §6
  metadata: () => ({ client_id_metadata_document_supported: true }),
  createClientSource: (parts) => createDocumentedClients(parts),
} satisfies Feature;
