import type { Profile } from '../profile.js';
import { clientsWithSecrets, configurationOfSecrets, STATIC } from '../static-clients.js';
import { HYBRID_TYPES } from './hybrid.js';
import { GRANT_TYPES, IMPLICIT_TYPES } from './implicit.js';
import { openidOverrides } from './openid-overrides.js';

/** `response_mode=form_post`, once for each flow of the site. (OAuth 2.0 Form Post Response Mode) */
export const formPost: Profile = {
  title: 'Form Post OP: answers by a form, in each of the flows',
  plans: () =>
    ['basic', 'implicit', 'hybrid'].map((flow) => ({
      name: `oidcc-formpost-${flow}-certification-test-plan`,
      variant: STATIC,
    })),
  options: () => ({
    grantTypes: [...GRANT_TYPES],
    openid: { responseTypes: [...IMPLICIT_TYPES, ...HYBRID_TYPES] },
    // the response mode of one module is only in an unsigned request object, which this server ignores: with the list
    // of algorithms in the metadata, which has no `none`, the suite skips the module
    signedRequests: true,
  }),
  clients: (context) => clientsWithSecrets(context, { grantTypes: GRANT_TYPES }),
  configuration: configurationOfSecrets,
  overrides: openidOverrides,
};
