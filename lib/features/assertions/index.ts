import type { Feature } from '../../server/server.js';
import { jwtBearer } from './grant-type.js';
import { assertionServerOptions, checkAssertions } from './options.js';

/** Clients that present an assertion of a trusted issuer. @see RFC 7521 §4.1, RFC 7523 §2.1 */
export const assertions = {
  name: 'assertions',
  isOn: (settings) => settings.assertions !== false,
  options: assertionServerOptions,
  checkOptions: checkAssertions,
  grantTypes: [jwtBearer],
  // ID-JAG §7.2
  metadata: ({ assertions: trust }) =>
    trust && trust.some(({ kind }) => kind === 'enterprise')
      ? { authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'] }
      : {},
} satisfies Feature;
