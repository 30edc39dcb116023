import { PERSON } from '../people.js';
import type { Profile } from '../profile.js';
import { STATIC } from '../static-clients.js';
import { RESOURCE_SCOPE } from './fapi2.js';

const SCOPES = {
  'ssf.manage': 'Manage streams of security events',
  'ssf.read': 'Read streams of security events',
};
/** The events of CAEP Interoperability Profile §3, in the form of CAEP. */
const EVENTS = [
  ['session-revoked', {}],
  ['credential-change', { credential_type: 'password', change_type: 'update' }],
  ['device-compliance-change', { previous_status: 'compliant', current_status: 'not-compliant' }],
] as const;

export const sharedSignalsTransmitter: Profile = {
  title: 'SSF Transmitter, with the CAEP Interoperability Profile',
  variants: { ssf_delivery_mode: ['push', 'poll'] },
  plans(variant) {
    const common = {
      ...STATIC,
      ...variant,
      ssf_server_metadata: 'discovery',
      ssf_auth_mode: 'dynamic',
      client_auth_type: 'client_secret_basic',
    };
    return [
      { name: 'openid-ssf-transmitter-test-plan', variant: { ...common, ssf_profile: 'default' } },
      // its ssf_profile is part of the plan
      { name: 'openid-ssf-transmitter-caep-test-plan', variant: common },
    ];
  },
  options: ({ allowsPrivateAddresses }) => ({
    scopes: { [RESOURCE_SCOPE]: 'See your accounts', ...SCOPES },
    grantTypes: ['authorization_code', 'client_credentials'],
    sharedSignals: {
      transmitter: {
        allowPrivateAddresses: allowsPrivateAddresses,
        receivers: [{ clientId: 'client' }],
        minVerificationInterval: 0,
      },
    },
  }),
  clients: ({ credentials }) => [
    {
      clientId: 'client',
      clientSecret: credentials.secrets.client,
      name: 'Conformance suite (receiver)',
      tokenEndpointAuthMethod: 'client_secret_basic',
      grantTypes: ['client_credentials'],
      redirectUris: [],
      scopes: Object.keys(SCOPES),
    },
  ],
  configuration: ({ issuer, credentials }) => ({
    client: {
      client_id: 'client',
      client_secret: credentials.secrets.client,
      scope: Object.keys(SCOPES).join(' '),
    },
    ssf: { transmitter: { issuer } },
  }),
  commands: {
    signal: {
      title: 'for the events of the CAEP Interoperability Profile',
      async run(oauth) {
        for (const [name, event] of EVENTS)
          await oauth.sharedSignals.emit(name, {
            userId: PERSON,
            event: { ...event, reason_admin: { en: 'The operator has asked for it' } },
          });
        return `${EVENTS.length} events are on their way.`;
      },
    },
  },
};
