import type { Profile } from '../profile.js';
import { clientsWithSecrets, configurationOfSecrets, STATIC } from '../static-clients.js';
import { openidOverrides } from './openid-overrides.js';

export const IMPLICIT_TYPES = ['id_token', 'id_token token'] as const;
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'implicit'] as const;

/** `response_type=id_token` and `id_token token`. (OpenID Connect Core §3.2) */
export const implicit: Profile = {
  title: 'Implicit OP: ID tokens, and tokens, from the authorization endpoint',
  plans: () => [{ name: 'oidcc-implicit-certification-test-plan', variant: STATIC }],
  options: () => ({ grantTypes: [...GRANT_TYPES], openid: { responseTypes: [...IMPLICIT_TYPES] } }),
  clients: (context) => clientsWithSecrets(context, { grantTypes: GRANT_TYPES }),
  configuration: configurationOfSecrets,
  overrides: openidOverrides,
};
