import { LoginNeeded } from '../../shared/outbound/login-needed.js';
import type { Client } from '../clients/client.js';
import type { RequestReference } from './sources/request-source.js';

/** A request at an address of its client, which is not fetched before the person has logged in. */
export class UnreadRequest extends LoginNeeded {
  constructor(
    readonly client: Client,
    readonly reference: RequestReference,
  ) {
    super();
  }
}
