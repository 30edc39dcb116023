import type { Feature } from '../../server/server.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import { SSF_CONFIGURATION } from '../../shared/protocol/well-known.js';
import { POLL_METHOD, PUSH_METHOD } from './event-types.js';
import { checkSharedSignals, sharedSignalsServerOptions, SIGNAL_ALGORITHM } from './options.js';
import { createPushEndpoint } from './receiver/push-endpoint.js';
import { createManagementEndpoint } from './transmitter/management-endpoint.js';
import { transmitterOf } from './transmitter/stream-configuration.js';

/** Both features share one option, and use one of its members each. */
const bothOptions = {
  options: sharedSignalsServerOptions,
  checkOptions: checkSharedSignals,
  findSecretNeed: (settings) => (settings.sharedSignals ? 'sharedSignals' : undefined),
} satisfies Partial<Feature>;

/** Reports events about users to other services. @see Shared Signals Framework 1.0 */
export const sharedSignalsTransmitter = {
  name: 'shared-signals-transmitter',
  isOn: ({ sharedSignals }) => Boolean(sharedSignals && sharedSignals.transmitter),
  ...bothOptions,
  findKeyNeeds({ sharedSignals, profile }) {
    if (!sharedSignals || !sharedSignals.transmitter) return {};
    // a FAPI 2.0 profile excludes RS256 (§5.4)
    return {
      neededBy: 'sharedSignals.transmitter',
      alsoAlgorithms: profile === undefined ? [SIGNAL_ALGORITHM] : [],
    };
  },
  collections: () => ['SignalStream', 'StreamSubject', 'Webhook'],
  endpoints: [{ name: 'ssf', create: (server) => createManagementEndpoint(server) }],
  wellKnownDocuments: [
    {
      path: SSF_CONFIGURATION,
      // §7.1, CAEP Interoperability Profile §2.3
      describe(server) {
        const { settings } = server;
        const api = urlOf(settings, 'ssf');
        return {
          spec_version: '1_0',
          issuer: settings.issuer,
          jwks_uri: urlOf(settings, 'jwks'),
          delivery_methods_supported: [PUSH_METHOD, POLL_METHOD],
          configuration_endpoint: `${api}/streams`,
          status_endpoint: `${api}/status`,
          add_subject_endpoint: `${api}/subjects/add`,
          remove_subject_endpoint: `${api}/subjects/remove`,
          verification_endpoint: `${api}/verify`,
          authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
          default_subjects: transmitterOf(server).defaultSubjects,
        };
      },
    },
  ],
} satisfies Feature;

/** Receives events about users from other services. @see Shared Signals Framework 1.0 */
export const sharedSignalsReceiver = {
  name: 'shared-signals-receiver',
  isOn: ({ sharedSignals }) => Boolean(sharedSignals && sharedSignals.receiver),
  ...bothOptions,
  collections: () => ['ReceivedEvent'],
  endpoints: [{ name: 'ssf-events', create: (server) => createPushEndpoint(server) }],
} satisfies Feature;
