import type { Client } from '../../core/clients/client.js';
import type { Listed } from '../../core/clients/client-lists.js';
import type { CustomClientFields } from '../../shared/custom-fields.js';
import type { Formatted } from '../connection/model.js';

/** A registered client, as stored. */
export type StoredClient = Omit<Client, 'clientId' | 'custom'> &
  CustomClientFields &
  Formatted & { readonly _id: string; readonly listed?: Listed };
