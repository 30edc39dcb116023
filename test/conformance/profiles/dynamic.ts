import { showConsent } from '../browser-commands.js';
import type { Profile, Variant } from '../profile.js';
import { HYBRID_TYPES } from './hybrid.js';
import { GRANT_TYPES, IMPLICIT_TYPES } from './implicit.js';

/** Modules for the logo, the privacy policy and the terms of a client. */
const PICTURED = ['logo', 'policy', 'tos'].map((page) => `oidcc-registration-${page}-uri`);
const RESPONSE_TYPES = ['code', ...IMPLICIT_TYPES, ...HYBRID_TYPES];

/** Clients that register themselves. (OpenID Connect Registration) */
export const dynamic: Profile = {
  title: 'Dynamic OP: clients that register themselves',
  variants: { response_type: RESPONSE_TYPES },
  plans: ({ response_type }: Variant) => [
    { name: 'oidcc-dynamic-certification-test-plan', variant: { response_type: response_type! } },
  ],
  options: ({ allowsPrivateAddresses }) => ({
    grantTypes: [...GRANT_TYPES],
    registration: { open: true, grantTypes: [...GRANT_TYPES] },
    openid: {
      responseTypes: [...IMPLICIT_TYPES, ...HYBRID_TYPES],
      pairwiseSalt: 'of a host that has nothing but made-up people',
    },
    signedRequests: { byReference: true },
    // the audience of the suite's assertions
    clientAuthentication: {
      allowPrivateAddresses: allowsPrivateAddresses,
      assertions: { audience: 'issuer_or_token_endpoint' },
    },
  }),
  clients: () => [],
  configuration: () => ({
    client: { client_name: 'Conformance suite (client)' },
    client2: { client_name: 'Conformance suite (client2)' },
  }),
  overrides: (context) => Object.fromEntries(PICTURED.map((module) => [module, showConsent(context)])),
};
