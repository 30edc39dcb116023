import type { AuthorizationServer } from '../../../lib/index.js';
import { PERSON } from '../people.js';
import type { HostContext, Profile } from '../profile.js';

const transmitterIn = (oauth: AuthorizationServer, { suiteUrl }: HostContext) =>
  oauth.sharedSignals.transmitter(suiteUrl);

/** Shared Signals Framework, CAEP Interoperability Profile: the receiver. The suite transmits. */
export const sharedSignalsReceiver: Profile = {
  title: 'SSF Receiver, with the CAEP Interoperability Profile',
  variants: { ssf_profile: ['caep_interop', 'default'], ssf_delivery_mode: ['push', 'poll'] },
  plans({ ssf_profile, ssf_delivery_mode = '' }) {
    const variant = { ssf_delivery_mode, ssf_auth_mode: 'static' };
    return [
      ssf_profile === 'default'
        ? { name: 'openid-ssf-receiver-test-plan', variant: { ssf_profile, ...variant } }
        : // its ssf_profile is part of the plan
          { name: 'openid-ssf-receiver-caep-test-plan', variant },
    ];
  },
  options: ({ variant, issuer, suiteUrl, allowsPrivateAddresses, credentials }) => ({
    sharedSignals: {
      receiver: {
        transmitters: [
          {
            issuer: suiteUrl,
            allowPrivateAddresses: allowsPrivateAddresses,
            audience: issuer,
            delivery: variant.ssf_delivery_mode === 'poll' ? 'poll' : 'push',
            accessToken: () => credentials.secrets.client,
            // any subject of the suite
            findUser: () => PERSON,
          },
        ],
        endSessions: () => undefined,
        onSignal: ({ type }) => console.error(`Received ${type}.`),
      },
    },
  }),
  clients: () => [],
  configuration: ({ issuer, credentials }) => ({
    ssf: {
      transmitter: { access_token: credentials.secrets.client },
      stream: { audience: issuer },
      // the user in the events of the suite
      subjects: { valid: { format: 'opaque', id: PERSON }, invalid: { format: 'opaque', id: 'nobody' } },
    },
  }),
  commands: {
    stream: {
      title: 'to make, read and verify a stream at the suite, once a module waits',
      async run(oauth, context) {
        const transmitter = transmitterIn(oauth, context);
        const { stream_id: id } = await transmitter.createStream();
        await transmitter.readStream(id);
        if (context.variant.ssf_profile === 'default') {
          await transmitter.updateStream(id, { description: 'Conformance host' });
          await transmitter.replaceStream(id);
          await transmitter.updateStatus(id, 'enabled');
        }
        const { status } = await transmitter.readStatus(id);
        await transmitter.verify(id);
        return `The stream ${id} is ${status}.`;
      },
    },
    delete: {
      title: 'to delete it, once its events have come',
      async run(oauth, context) {
        const transmitter = transmitterIn(oauth, context);
        const streams = await transmitter.readStreams();
        for (const { stream_id: id } of streams) await transmitter.deleteStream(id);
        return `${streams.length} streams are deleted.`;
      },
    },
  },
};
