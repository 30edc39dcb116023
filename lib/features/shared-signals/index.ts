import type { Feature } from '../../server/feature.js';
import type { Settings } from '../../settings/settings.js';
import { SSF_CONFIGURATION } from '../../shared/protocol/well-known.js';
import { pushEndpoint } from './receiver/push-endpoint.js';
import { describeTransmitter } from './transmitter/configuration-document.js';
import { managementEndpoint } from './transmitter/management-endpoint.js';

function isReceiver({ sharedSignals }: Settings): boolean {
  return sharedSignals !== false && sharedSignals.receiver !== false;
}

function isTransmitter({ sharedSignals }: Settings): boolean {
  return sharedSignals !== false && sharedSignals.transmitter !== false;
}

/** Tells other services what happens to users here. @see Shared Signals Framework 1.0 */
export const sharedSignalsTransmitter = {
  name: 'shared-signals-transmitter',
  isOn: isTransmitter,
  collections: () => ['SignalStream', 'StreamSubject', 'Webhook'],
  endpoints: [managementEndpoint],
  wellKnownDocuments: [{ path: SSF_CONFIGURATION, describe: describeTransmitter }],
} satisfies Feature;

/** Hears from other services what happens to users there. @see Shared Signals Framework 1.0 */
export const sharedSignalsReceiver = {
  name: 'shared-signals-receiver',
  isOn: isReceiver,
  collections: () => ['ReceivedEvent'],
  endpoints: [pushEndpoint],
} satisfies Feature;
