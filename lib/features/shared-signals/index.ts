import type { Feature } from '../../server/server.js';
import { SSF_CONFIGURATION } from '../../shared/protocol/well-known.js';
import { checkSharedSignals, sharedSignalsServerOptions, SIGNAL_ALGORITHM } from './options.js';
import { createPushEndpoint } from './receiver/push-endpoint.js';
import { describeTransmitter } from './transmitter/configuration-document.js';
import { createManagementEndpoint } from './transmitter/management-endpoint.js';

/** Both have one option, of which each reads its part. */
const bothOptions = {
  options: sharedSignalsServerOptions,
  checkOptions: checkSharedSignals,
  findSecretNeed: (settings) => (settings.sharedSignals ? 'sharedSignals' : undefined),
} satisfies Partial<Feature>;

/** Tells other services what happens to users here. @see Shared Signals Framework 1.0 */
export const sharedSignalsTransmitter = {
  name: 'shared-signals-transmitter',
  isOn: ({ sharedSignals }) => Boolean(sharedSignals && sharedSignals.transmitter),
  ...bothOptions,
  findKeyNeeds({ sharedSignals, profile }) {
    if (!sharedSignals || !sharedSignals.transmitter) return {};
    // a profile of FAPI 2.0 has no RS256 (§5.4)
    return {
      neededBy: 'sharedSignals.transmitter',
      alsoAlgorithms: profile === undefined ? [SIGNAL_ALGORITHM] : [],
    };
  },
  collections: () => ['SignalStream', 'StreamSubject', 'Webhook'],
  endpoints: [{ name: 'ssf', create: (server) => createManagementEndpoint(server) }],
  wellKnownDocuments: [{ path: SSF_CONFIGURATION, describe: describeTransmitter }],
} satisfies Feature;

/** Hears from other services what happens to users there. @see Shared Signals Framework 1.0 */
export const sharedSignalsReceiver = {
  name: 'shared-signals-receiver',
  isOn: ({ sharedSignals }) => Boolean(sharedSignals && sharedSignals.receiver),
  ...bothOptions,
  collections: () => ['ReceivedEvent'],
  endpoints: [{ name: 'ssf-events', create: (server) => createPushEndpoint(server) }],
} satisfies Feature;
