import type { Profile } from '../profile.js';
import { clientsWithSecrets, configurationOfSecrets, STATIC } from '../static-clients.js';
import { openidOverrides } from './openid-overrides.js';

/** `response_type=code`. (OpenID Connect Core §3.1) */
export const basic: Profile = {
  title: 'Basic OP: the code flow',
  plans: () => [{ name: 'oidcc-basic-certification-test-plan', variant: STATIC }],
  options: () => ({}),
  clients: clientsWithSecrets,
  configuration: configurationOfSecrets,
  overrides: openidOverrides,
};
