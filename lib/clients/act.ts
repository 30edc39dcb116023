import type { Emit } from '../observability/events.js';

/** When somebody changes a client, and where the event of it goes. */
export interface Act {
  readonly emit: Emit;
  readonly now: Date;
}
