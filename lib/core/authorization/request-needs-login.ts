import { LoginNeeded } from '../../shared/outbound/login-needed.js';
import type { Client } from '../clients/client.js';
import type { UncheckedRequest } from './sources/request-source.js';

/** Thrown for a request at an address of its client: it is not fetched before the user has logged in. */
export class RequestNeedsLogin extends LoginNeeded {
  constructor(
    readonly client: Client,
    readonly unchecked: UncheckedRequest,
  ) {
    super();
  }
}
