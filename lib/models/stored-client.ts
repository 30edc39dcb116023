import type { Client } from '../clients/client.js';
import type { Listed } from '../clients/client-lists.js';
import type { CustomClientFields } from '../clients/custom-client-fields.js';
import type { Formatted } from './document-format.js';

/** A registered client, as stored. */
export type StoredClient = Omit<Client, 'clientId' | 'custom'> &
  CustomClientFields &
  Formatted & { readonly _id: string; readonly listed?: Listed };
