import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import {
  backchannelLogoutUriProblems,
  frontchannelLogoutUriProblems,
  postLogoutRedirectUriProblems,
} from '../../core/clients/logout-uri-problems.js';
import { flagSchema, listSchema, textSchema } from '../../core/clients/validation/schemas.js';
import type { Feature } from '../../server/feature.js';
import { endSession } from './end-session.js';

// typed explicitly: the inferred type would name zod's types in the declarations
const clientFields: readonly ClientField[] = [
  {
    name: 'postLogoutRedirectUris' satisfies keyof ClientMetadata,
    shape: listSchema,
    stored: { type: [String], default: undefined },
    requiresReapproval: 'if-extended',
    findProblems: postLogoutRedirectUriProblems,
    wire: { name: 'post_logout_redirect_uris' },
    flag: {
      flags: '--post-logout-redirect-uri <uri...>',
      description: 'where people may come after they have logged out',
    },
    printed: {
      label: 'after the logout',
      format: (uris: readonly string[] | undefined) => uris?.join(' '),
    },
  },
  {
    name: 'backchannelLogoutUri' satisfies keyof ClientMetadata,
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    findProblems: backchannelLogoutUriProblems,
    wire: { name: 'backchannel_logout_uri' },
    flag: {
      flags: '--backchannel-logout-uri <uri>',
      description: 'where it is told that somebody has logged out',
    },
    printed: { label: 'told of logouts at' },
  },
  {
    // our logout tokens name the session in any case
    name: 'backchannelLogoutSessionRequired' satisfies keyof ClientMetadata,
    shape: flagSchema,
    stored: { type: Boolean },
    wire: { name: 'backchannel_logout_session_required' },
  },
  {
    name: 'frontchannelLogoutUri' satisfies keyof ClientMetadata,
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    findProblems: frontchannelLogoutUriProblems,
    wire: { name: 'frontchannel_logout_uri' },
    flag: {
      flags: '--frontchannel-logout-uri <uri>',
      description: 'its page that logs out, which browsers load',
    },
    printed: { label: 'page that logs out' },
  },
  {
    name: 'frontchannelLogoutSessionRequired' satisfies keyof ClientMetadata,
    shape: flagSchema,
    stored: { type: Boolean },
    wire: { name: 'frontchannel_logout_session_required' },
  },
];

/**
 * A person who logs out here is logged out where they have signed in with this site, and the other way round.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0, Back-Channel Logout 1.0, Front-Channel Logout 1.0
 */
export const openidLogout = {
  name: 'openid-logout',
  isOn: (settings) => settings.openid !== false,
  endpoints: [endSession],
  collections: () => ['SignIn', 'Webhook'],
  metadata: () => ({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  }),
  clientFields,
} satisfies Feature;
