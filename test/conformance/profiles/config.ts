import type { Profile } from '../profile.js';

/** The metadata alone. (OpenID Connect Discovery) */
export const config: Profile = {
  title: 'Config OP: the metadata',
  plans: () => [{ name: 'oidcc-config-certification-test-plan', variant: {} }],
  options: () => ({}),
  clients: () => [],
  configuration: () => ({}),
};
