import type { Feature } from '../../server/feature.js';
import type { Settings } from '../../settings/settings.js';
import { pushEndpoint } from './receiver/push-endpoint.js';

function isReceiver({ sharedSignals }: Settings): boolean {
  return sharedSignals !== false && sharedSignals.receiver !== false;
}

/** Hears from other services what happens to people there. @see Shared Signals Framework 1.0 */
export const sharedSignalsReceiver = {
  name: 'shared-signals-receiver',
  isOn: isReceiver,
  collections: () => ['ReceivedEvent'],
  endpoints: [pushEndpoint],
} satisfies Feature;
