import type { Profile } from '../profile.js';
import { dynamic } from './dynamic.js';

/** `initiate_login_uri`. (OpenID Connect Core §4) */
export const thirdPartyInitiatedLogin: Profile = {
  ...dynamic,
  title: '3rd Party-Init OP: logins that begin elsewhere',
  variants: { response_type: ['code'] },
  plans: () => [
    { name: 'oidcc-3rdparty-init-login-certification-test-plan', variant: { response_type: 'code' } },
  ],
  overrides: () => ({}),
};
