import type { Server } from '../../server/server.js';
import { createRunningReceiver } from './receiver/running-receiver.js';

/** The shared signals with what the server itself does with them. */
export interface RunningSharedSignals {
  /** Stores what is not stored yet, and resolves once nothing is being sent. */
  close(): Promise<void>;
}

export function createSharedSignals(server: Server): RunningSharedSignals {
  const { sharedSignals } = server.settings;
  const receiver =
    sharedSignals !== false && sharedSignals.receiver !== false ? createRunningReceiver(server) : undefined;
  return {
    async close() {
      await receiver?.close();
    },
  };
}
