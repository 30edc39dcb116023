import type { Profile } from '../profile.js';
import {
  FAPI2_VARIANTS,
  fapi2Clients,
  fapi2Configuration,
  fapi2Options,
  fapi2Overrides,
  fapi2Plan,
  isOpenid,
  takesCertificates,
} from './fapi2.js';

const PLAN = 'fapi2-security-profile-final-test-plan';

export const fapi2SecurityProfile: Profile = {
  title: 'FAPI 2.0 Security Profile',
  variants: FAPI2_VARIANTS,
  plans: (variant) => [
    fapi2Plan(PLAN, variant),
    // the same host, for tokens without a user
    ...(isOpenid(variant)
      ? []
      : [{ name: PLAN, variant: { ...variant, fapi_profile: 'fapi_client_credentials_grant' } }]),
  ],
  options: fapi2Options,
  clients: fapi2Clients,
  configuration: fapi2Configuration,
  takesCertificates,
  overrides: fapi2Overrides,
};
