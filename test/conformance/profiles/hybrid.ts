import type { Profile } from '../profile.js';
import { clientsWithSecrets, configurationOfSecrets, STATIC } from '../static-clients.js';
import { GRANT_TYPES } from './implicit.js';
import { openidOverrides } from './openid-overrides.js';

export const HYBRID_TYPES = ['code id_token', 'code token', 'code id_token token'] as const;

/** A code with further members in the answer. (OpenID Connect Core §3.3) */
export const hybrid: Profile = {
  title: 'Hybrid OP: a code, and tokens beside it',
  plans: () => [{ name: 'oidcc-hybrid-certification-test-plan', variant: STATIC }],
  options: () => ({ grantTypes: [...GRANT_TYPES], openid: { responseTypes: [...HYBRID_TYPES] } }),
  clients: (context) => clientsWithSecrets(context, { grantTypes: GRANT_TYPES }),
  configuration: configurationOfSecrets,
  overrides: openidOverrides,
};
