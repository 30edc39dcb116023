import type { Emit } from '../observability/events.js';
import type { GetCaller } from '../outbound/fetch-for-stranger.js';

/** When somebody changes a client, and where the event of it goes. */
export interface Act {
  readonly emit: Emit;
  readonly now: Date;
  /** Who is charged if an address of the client has to be fetched. Default: the client. */
  readonly getCaller?: GetCaller;
}
