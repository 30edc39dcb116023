import type { Client } from '../clients/client.js';
import type { Sender } from '../http/sender.js';
import type { Emit } from '../observability/events.js';
import type { Parameters } from '../protocol/parameters.js';

/** A request of a client that has shown who it is. */
export interface ClientRequest {
  readonly client: Client;
  readonly parameters: Parameters;
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  readonly sender: Sender;
  /** The moment at which the whole request happens. */
  readonly now: Date;
  /** Says what happened, as an event of this request. */
  readonly emit: Emit;
}
